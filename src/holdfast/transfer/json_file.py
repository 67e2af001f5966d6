"""Plans out of one store and into another, as JSON with their whole history.

The JSON is `{"format": "holdfast", "version": 1, "boards": […]}`. A board has its `session`, `agent` and `plan`, its
`changes` from the oldest on, each with who made it and the plan after it, and in `start` the plan before the first.
"""

import json
from typing import NamedTuple

from ..errors import UsageError
from ..plan import Author, Change, Plan
from ..stores import Key, Store
from ..stores.damage import readable_or_raise, sessions_with_damage
from .fields import not_an_export, reader, to_json
from .history import History, missing_changes, read_history, write_history

FORMAT = "holdfast"
VERSION = 1


class ExportedChange(NamedTuple):
    """A change in an export. The plan before it is the plan after the change before."""

    by: Author
    action: str
    undoes: int
    plan: Plan


class ExportedBoard(NamedTuple):
    """A board in an export."""

    session: str
    agent: str
    plan: Plan
    start: Plan
    changes: tuple[ExportedChange, ...]


def export_json(store: Store, session: str | None = None) -> str:
    """Every board of a store, or of one session, with its history. Raises StoreError if it cannot be read."""
    asked = [board for board in sessions_with_damage(store) if session is None or board.key[0] == session]
    boards = [_exported(read_history(store, key, plan)) for key, plan in sorted(readable_or_raise(asked))]
    value = {"format": FORMAT, "version": VERSION, "boards": [to_json(board) for board in boards]}
    return json.dumps(value, indent=1) + "\n"


def import_json(text: str, store: Store, overwrite: bool = False) -> list[Key]:
    """Put exported boards into a store, check that they arrived, and return their keys.

    A board that is already there with another history is refused before anything is written. With `overwrite`, the
    imported history follows the board's own, and its revisions and numbers are raised to fit. An import that was
    interrupted goes on where it ended when it is run again. Raises UsageError if the text is not an export, StoreError
    if a board cannot be written.
    """
    histories = read_export(text)
    for history in histories:
        missing_changes(store, history, overwrite)
    for history in histories:
        write_history(store, history, overwrite)
    return [history.key for history in histories]


def read_export(text: str) -> list[History]:
    """The boards of an export. Raises UsageError, with the place of the fault, for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise not_an_export(str(error)) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise not_an_export('it has no "format": "holdfast"')
    if value.get("version") != VERSION:
        raise UsageError(f"an export of version {value.get('version')}, and this Holdfast reads {VERSION}: update it")
    boards = reader(tuple[ExportedBoard, ...])(value.get("boards", []), "boards")
    return [_history(board, f"boards[{place}]") for place, board in enumerate(boards)]


def _exported(history: History) -> ExportedBoard:
    end = history.changes[-1].after if history.changes else history.start
    changes = [ExportedChange(change.by, change.action, change.undoes, change.after) for change in history.changes]
    return ExportedBoard(*history.key, end, history.start, tuple(changes))


def _history(board: ExportedBoard, at: str) -> History:
    before, changes = board.start, []
    for change in board.changes:
        changes.append(Change(before, change.plan, change.by, change.action, change.undoes))
        before = change.plan
    if before != board.plan:
        raise not_an_export(f"{at}: the last change does not lead to the plan")
    return History(Key(board.session, board.agent), board.start, changes)
