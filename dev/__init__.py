"""What only developers run: benchmarks, torture, mutation, releases, real clients. Nothing here is installed."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout."""


class NotRun(Exception):
    """A check that cannot be made on this machine. The message says why."""
