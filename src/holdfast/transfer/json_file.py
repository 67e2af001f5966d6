"""Moving house: plans out of one store and into another, as JSON with their whole history, or as Markdown.

The JSON is `{"format": "holdfast", "version": 1, "boards": […]}`. A board has its `session`, `agent` and `plan`, its
`changes` from the oldest on, each with who made it and the plan after it, and in `start` the plan before the first.
"""

import json
from collections.abc import Mapping

from ..plan import NO_DETAILS, Plan, Todo
from ..stores import Key, Store
from ..stores.damage import survey, whole
from . import json_reader
from .history import History, missing, put, taken
from .json_reader import FORMAT, VERSION
from .markdown import from_markdown, to_markdown

__all__ = ["export_json", "from_markdown", "import_json", "to_markdown"]


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
    histories = json_reader.read(text)
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
