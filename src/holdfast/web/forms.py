"""What the API answers, as plain data: a plan, a change, a board on the overview. `openapi.json` describes each."""

import os
from typing import NamedTuple

from ..paths import below_home
from ..plan import Change, Details, Difference, Plan, Status, Todo
from ..plan.change_words import begins_plan, clears_plan, kind
from ..plan.pace import began
from ..stores import Key, Record
from ..text import shorten
from ..transfer.data import JSON, plan_data
from .ids import plan_id

LONGEST_QUOTE = 200
MOST_PARTS = 20
"""How many single changes of a write are listed; the rest is counted."""

MOST_MARKS = 60
"""How many todos are shown one by one on the overview; a longer plan is shown by its counts."""

MOST_OUTCOMES = 4
"""How many todos of a finished plan are named on the overview; the rest is counted."""

MOST_TEXT = 2_000
"""How many characters of a plan are searched."""


class Summary(NamedTuple):
    """A board as the overview knows it: what a card shows of its plan, and the text that is searched."""

    key: Key
    revision: int
    began_at: float
    updated_at: float
    is_empty: bool
    is_finished: bool
    is_started: bool
    awaits_approval: bool
    form: JSON
    text: str


def summary(key: Key, plan: Plan) -> Summary:
    """The summary of a plan that has or had todos. One without todos counts as finished."""
    return Summary(
        key,
        plan.revision,
        began(plan),
        plan.updated_at,
        not plan.todos,
        not plan.open,
        plan.current is not None,
        plan.awaits_approval,
        _board_form(key, plan),
        searched_text(key, plan),
    )


def searched_text(key: Key, plan: Plan) -> str:
    """What is searched of a board, in one case: its names and its todos."""
    about = plan.about
    names = (about.name, about.title, about.client, about.folder, about.branch)
    texts = (key.session, key.agent, *filter(None, names), plan.summary, *(todo.content for todo in plan.todos))
    return "\n".join(texts)[:MOST_TEXT].casefold()


def plan_form(key: Key, plan: Plan) -> JSON:
    """A whole plan, with what the model has not been told of."""
    untold = [{"id": edit.id, "kind": kind(Difference(edit.before, edit.after))} for edit in plan.edits]
    return {"id": plan_id(key), **plan_data(key, plan), "untold": untold}


def change_form(record: Record) -> JSON:
    """A change: who made it, when, and what became of each todo, in short."""
    change = record.change
    parts = _parts(change)
    return {
        "sequence": record.sequence,
        "plan": plan_id(record.key),
        "session": record.key.session,
        "agent": record.key.agent,
        "revision": change.after.revision,
        "number": change.after.number,
        "at": change.after.updated_at,
        "by": change.by,
        "action": change.action,
        "undoes": change.undoes,
        "is_new_plan": begins_plan(change),
        "is_cleared": clears_plan(change),
        "total": len(change.after.todos),
        "total_before": len(change.before.todos),
        "untold": len(change.after.edits),
        "parts": parts[:MOST_PARTS],
        "left_out": len(parts[MOST_PARTS:]),
    }


def _board_form(key: Key, plan: Plan) -> JSON:
    current, stuck = plan.current, next((todo for todo in plan.todos if todo.status is Status.BLOCKED), None)
    return {
        "id": plan_id(key),
        "agent": key.agent,
        "revision": plan.revision,
        "title": shorten(plan.about.label, LONGEST_QUOTE),
        "client": shorten(plan.about.client, LONGEST_QUOTE),
        "folder": shorten(below_home(plan.about.folder, os.path.expanduser("~")), LONGEST_QUOTE),
        "branch": shorten(plan.about.branch, LONGEST_QUOTE),
        "awaits_approval": plan.awaits_approval,
        "summary": shorten(plan.summary, LONGEST_QUOTE),
        "began_at": began(plan),
        "updated_at": plan.updated_at,
        "done": len(plan.done),
        "total": len(plan.todos),
        "counts": {str(status): count for status, count in plan.counts().items()},
        "statuses": [str(todo.status) for todo in plan.todos] if len(plan.todos) <= MOST_MARKS else [],
        "current": None if current is None else _work(current),
        "next": None if plan.next is None else _work(plan.next),
        "blocked": None if stuck is None else _work(stuck),
        "outcome": _outcome(plan),
        "untold": len(plan.edits),
    }


def _outcome(plan: Plan) -> list[str]:
    """What was done in a finished plan: the first few completed todos."""
    done = [todo for todo in plan.todos if todo.status is Status.COMPLETED] if plan.is_finished else []
    return [shorten(todo.content, LONGEST_QUOTE) for todo in done[:MOST_OUTCOMES]]


def _work(todo: Todo) -> JSON:
    return {"id": todo.id, "label": shorten(todo.label, LONGEST_QUOTE), "started_at": todo.started_at}


def _parts(change: Change) -> list[JSON]:
    parts = [_part(pair) for pair in change.differences]
    if parts or change.before.todos == change.after.todos:
        return parts
    return [{"kind": "moved", "id": "", "text": "", "was": None, "fields": []}]


def _part(pair: Difference) -> JSON:
    before, after = pair
    todo = after or before
    assert todo is not None, "a difference has a todo before or after"
    what = kind(pair)
    was = shorten(before.content, LONGEST_QUOTE) if what == "reworded" and before is not None else None
    return {
        "kind": what,
        "id": todo.id,
        "text": shorten(todo.content, LONGEST_QUOTE),
        "was": was,
        "fields": _changed_fields(before, after),
    }


def _changed_fields(before: Todo | None, after: Todo | None) -> list[str]:
    """What was changed besides text and status, by the names of the fields."""
    if before is None or after is None:
        return []
    pairs = zip(before.details, after.details, strict=True)
    return [name for name, (old, new) in zip(Details._fields, pairs, strict=True) if old != new]
