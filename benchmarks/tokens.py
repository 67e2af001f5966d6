"""The tokens of one plan of ten steps, worked to the end in eleven updates, in every dialect (o200k)."""

import json
from typing import Any

from benchmarks.measuring import Row
from holdfast import Session, dialects
from holdfast.counting import Tokens, exact

STEPS = (
    ("Read the failing test and the module it covers", "Reading the failing test and the module it covers"),
    ("Reproduce the failure locally", "Reproducing the failure locally"),
    ("Find where the overlap check goes wrong", "Finding where the overlap check goes wrong"),
    ("Write a unit test for the edge case", "Writing a unit test for the edge case"),
    ("Fix the overlap check", "Fixing the overlap check"),
    ("Run the unit tests", "Running the unit tests"),
    ("Update the documentation", "Updating the documentation"),
    ("Add a changelog entry", "Adding a changelog entry"),
    ("Run the linter and the type checker", "Running the linter and the type checker"),
    ("Summarise the change for the user", "Summarising the change for the user"),
)


def worked(dialect: str) -> Tokens:
    """What the plan costs in one dialect, with the reminders that the default policy gives on the way."""
    session = Session(dialect=dialect, counter=exact())
    attention = session.attend("quiet")
    for done in range(len(STEPS) + 1):
        attention.tail()
        reply = session.board.write(json.dumps(_call(dialect, done), ensure_ascii=False, separators=(",", ":")))
        assert reply.ok, reply.text
        attention.tail()
        session.board.worked("bash")
    assert session.board.plan.is_finished
    return session.tokens


def tokens() -> list[Row]:
    """The total of each dialect, as a ratio to the whole-list form that most coding agents use."""
    totals = {name: worked(name).total for name in dialects.names()}
    whole = totals["sema"]
    return [
        Row(f"tokens of a plan of ten steps: {name}", total, "tokens", total / whole, _budget(name))
        for name, total in sorted(totals.items(), key=lambda pair: pair[1])
    ]


def _call(dialect: str, done: int) -> dict[str, Any]:
    """The arguments of the update after `done` steps, as a model that knows the dialect writes them."""
    if dialect == "holdfast":
        if not done:
            return {"todos": [{"content": content} for content, _ in STEPS]}
        return {"todos": [{"id": str(done), "status": "completed"}]}
    form = dialects.get(dialect).form
    items = [_item(dialect, place, done) for place in range(len(STEPS))]
    return {**({"summary": "Fix the overlap check"} if dialect == "envelope" else {}), form.list_field: items}


def _item(dialect: str, place: int, done: int) -> dict[str, str]:
    content, active_form = STEPS[place]
    running = "pending" if dialect == "two-state" else "in_progress"
    status = "completed" if place < done else running if place == done else "pending"
    item = {"content": content, "status": status}
    return item if dialect in ("two-state", "envelope") else {**item, "activeForm": active_form}


def _budget(name: str) -> str:
    return "at most 720, the lowest of all" if name == "holdfast" else ""
