"""Ten steps worked through one by one, as items with the keys of any client."""

from collections.abc import Sequence
from typing import Any

STEPS = (
    ("Read the failing test and the parser", "Reading the failing test and the parser"),
    ("Find where the trailing comma is lost", "Finding where the trailing comma is lost"),
    ("Fix the loop in parse_list", "Fixing the loop in parse_list"),
    ("Add a test for an empty list", "Adding a test for an empty list"),
    ("Add a test for nested lists", "Adding a test for nested lists"),
    ("Run the unit tests", "Running the unit tests"),
    ("Update the grammar in docs/grammar.md", "Updating the grammar in docs/grammar.md"),
    ("Run the linter and the type checker", "Running the linter and the type checker"),
    ("Note the fix in CHANGELOG.md", "Noting the fix in CHANGELOG.md"),
    ("Summarize the change for the user", "Summarizing the change for the user"),
)
STATUSES = [
    ["completed" if step < now else "in_progress" if step == now else "pending" for step in range(len(STEPS))]
    for now in (*range(10), *range(8, 0, -1))
]
"""Worked through in order, and all the way back, so that each list changes two todos."""


def items(statuses: Sequence[str], *fields: str) -> list[dict[str, Any]]:
    """The ten steps as items with these fields."""
    return [
        {key: value for key, value in _fields(number, *step, status).items() if key in fields}
        for number, (step, status) in enumerate(zip(STEPS, statuses, strict=True), 1)
    ]


def _fields(number: int, content: str, doing: str, status: str) -> dict[str, str]:
    names = {"content": content, "step": content, "title": content, "description": content}
    evidence = {"evidence": "42 tests passed"} if status == "completed" else {}
    return {"id": str(number), **names, "status": status, "activeForm": doing, "priority": "high", **evidence}
