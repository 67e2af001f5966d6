"""`holdfast agent` as tests start it: a process, with nothing of this machine in its environment."""

import os
import sys
from pathlib import Path

HOLDFAST = [sys.executable, "-m", "holdfast", "agent"]


def environ(folder: Path, **more: str) -> dict[str, str]:
    """An environment without keys, and with a plan file of its own."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH")}
    return {**kept, "HOME": str(folder), "HOLDFAST_DB": str(folder / "plans.db"), "PYTHONUTF8": "1", **more}
