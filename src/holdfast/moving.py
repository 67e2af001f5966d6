"""Moving house: plans out of one store and into another, as JSON with their whole history, or as Markdown.

The JSON is `{"format": "holdfast", "version": 1, "boards": […]}`. A board has its `session`, `agent` and `plan`, its
`changes` from the oldest on, each with who made it and the plan after it, and in `start` the plan before the first.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from .errors import UsageError
from .histories import History, missing, put, taken
from .plan import NO_DETAILS, Change, Details, Edit, Plan, Status, Todo
from .stores import Key, Store
from .stores.damage import survey, whole
from .task_list import from_markdown, to_markdown

__all__ = ["export_json", "from_markdown", "import_json", "to_markdown"]

FORMAT = "holdfast"
VERSION = 1


def export_json(store: Store, session: str | None = None) -> str:
    """Every board of a store, or of one session, with its history. Raises StoreError if it cannot be read."""
    asked = [board for board in survey(store) if session is None or board.key[0] == session]
    boards = [taken(store, key, plan) for key, plan in sorted(whole(asked))]
    value = {"format": FORMAT, "version": VERSION, "boards": [_board_to_value(board) for board in boards]}
    return json.dumps(value, indent=1) + "\n"


def import_json(text: str, store: Store, overwrite: bool = False) -> list[Key]:
    """Put exported boards into a store, and see that they arrived; returns whose they are.

    A board that is already there with another history is refused, before anything is written; with `overwrite` the
    imported history follows upon its own, with revisions and numbers counted on. An import that was interrupted goes on
    where it ended when it is run again. Raises UsageError if the text is no export, StoreError if it cannot be kept.
    """
    histories = _read(text)
    for history in histories:
        missing(store, history, overwrite)
    for history in histories:
        put(store, history, overwrite)
    return [history.key for history in histories]


def _board_to_value(board: History) -> Mapping[str, object]:
    end = board.changes[-1].after if board.changes else board.start
    return {
        **board.key._asdict(),
        "plan": _plan_to_value(end),
        "start": _plan_to_value(board.start),
        "changes": [
            {"by": change.by, "action": change.action, "undoes": change.undoes, "plan": _plan_to_value(change.after)}
            for change in board.changes
        ],
    }


def _plan_to_value(plan: Plan) -> Mapping[str, object]:
    edits = [
        {"before": _todo_to_value(edit.before), "after": _todo_to_value(edit.after), "position": edit.position}
        for edit in plan.edits
    ]
    return {**plan._asdict(), "todos": [_todo_to_value(todo) for todo in plan.todos], "edits": edits}


def _todo_to_value(todo: Todo | None) -> Mapping[str, object] | None:
    """A todo by the names of its fields; details only where there are some."""
    if todo is None:
        return None
    value = todo._asdict()
    details = value.pop("details")
    return value if details == NO_DETAILS else {**value, "details": details._asdict()}


def _read(text: str) -> list[History]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not an export of Holdfast: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageError('not an export of Holdfast: it has no "format": "holdfast"')
    if value.get("version") != VERSION:
        raise UsageError(f"an export of version {value.get('version')}, and this Holdfast reads {VERSION}: update it")
    return [_at(f"boards[{place}]", _board_from_value, board) for place, board in enumerate(value.get("boards", []))]


def _at(path: str, read: Callable[[Any], History], value: object) -> History:
    try:
        return read(value)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise UsageError(f"not an export of Holdfast: {type(error).__name__} at {path}: {error}") from error


def _board_from_value(value: Any) -> History:
    start = before = _plan_from_value(value["start"])
    changes = []
    for change in value["changes"]:
        after = _plan_from_value(change["plan"])
        changes.append(Change(before, after, change["by"], change["action"], change["undoes"]))
        before = after
    if before != _plan_from_value(value["plan"]):
        raise ValueError("the last change does not lead to the plan")
    return History(Key(value["session"], value["agent"]), start, changes)


def _plan_from_value(value: Any) -> Plan:
    edits = [
        Edit(_todo_from_value(edit["before"]), _todo_from_value(edit["after"]), edit["position"])
        for edit in value["edits"]
    ]
    todos = [_known_todo(todo) for todo in value["todos"]]
    return Plan(**{**value, "todos": tuple(todos), "edits": tuple(edits), "seen": tuple(value.get("seen", ()))})


def _todo_from_value(value: Any) -> Todo | None:
    return None if value is None else _known_todo(value)


def _known_todo(value: Any) -> Todo:
    details = value.get("details", {})
    known = Details(**{**details, "blocked_by": tuple(details.get("blocked_by", ()))})
    return Todo(**{**value, "status": Status(value["status"]), "details": known})
