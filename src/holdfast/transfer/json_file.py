"""Plans out of one store and into another, as JSON with their whole history.

The JSON is `{"format": "holdfast", "version": 1, "boards": […]}`. A board has its `session`, `agent` and `plan`, its
`changes` from the oldest on, each with who made it and the plan after it, and in `start` the plan before the first.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from .. import dialects
from ..board.settings import from_json
from ..errors import UsageError
from ..plan import Author, Change, Plan, Status, Todo
from ..plan.dependencies import cycle
from ..plan.rules import CEILING_ITEMS, CEILING_TEXT
from ..stores import Key, Store
from ..stores.damage import readable_or_raise, sessions_with_damage
from ..text import describe
from .fields import not_an_export, reader, to_json
from .history import History, board_label, missing_changes, read_history, write_history

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
    return "".join(export_pieces(store, session))


def export_pieces(store: Store, session: str | None = None) -> Iterator[str]:
    """The same text in pieces, a change at a time: an export may be larger than the memory. Raises StoreError."""
    asked = [board for board in sessions_with_damage(store) if session is None or board.key[0] == session]
    keys = sorted(readable_or_raise(asked))
    yield f'{{\n "format": "{FORMAT}",\n "version": {VERSION},\n "boards": ['
    for place, (key, plan) in enumerate(keys):
        yield "," * (place > 0)
        yield from _board_pieces(read_history(store, key, plan))
    yield "\n ]\n}\n" if keys else "]\n}\n"


def _board_pieces(history: History) -> Iterator[str]:
    end = history.changes[-1].after if history.changes else history.start
    head = ExportedBoard(*history.key, end, history.start, ())._asdict()
    del head["changes"]
    fields = [f'   "{name}": {_indented(to_json(value), 3)}' for name, value in head.items()]
    yield "\n  {\n" + ",\n".join(fields) + ',\n   "changes": ['
    for place, change in enumerate(history.changes):
        exported = ExportedChange(change.by, change.action, change.undoes, change.after)
        yield f"{',' * (place > 0)}\n    {_indented(to_json(exported), 4)}"
    yield ("\n   ]" if history.changes else "]") + "\n  }"


def _indented(value: object, spaces: int) -> str:
    """A value as JSON, whose lines after the first begin with so many spaces more."""
    return json.dumps(value, indent=1).replace("\n", "\n" + " " * spaces)


def import_json(text: str, store: Store, overwrite: bool = False) -> dict[Key, bool]:
    """Put exported boards into a store, check that they arrived, and return their keys, each with whether it was new.

    A board that is already there with another history is refused before anything is written. With `overwrite`, the
    imported history follows the board's own, and its revisions and numbers are raised to fit. So it does for a board
    that was deleted. An import that was interrupted goes on where it ended when it is run again. Raises UsageError if
    the text is not an export, StoreError if a board cannot be written.
    """
    histories = read_export(text)
    may_follow = {history.key: overwrite or store.load(history.key).is_deleted for history in histories}
    for history in histories:
        missing_changes(store, history, may_follow[history.key])
    return {history.key: write_history(store, history, may_follow[history.key]) > 0 for history in histories}


def read_export(text: str) -> list[History]:
    """The boards of an export. Raises UsageError, with the place of the fault, for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise not_an_export(str(error)) from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise not_an_export('it has no "format": "holdfast"')
    if value.get("version") != VERSION:
        raise UsageError(
            f"this export has version {value.get('version')}, and this Holdfast reads {VERSION}: update Holdfast"
        )
    boards = reader(tuple[ExportedBoard, ...])(value.get("boards", []), "boards")
    histories = [_history(board, f"boards[{place}]") for place, board in enumerate(boards)]
    for place, history in enumerate(histories):
        if history.key in [other.key for other in histories[:place]]:
            raise not_an_export(f"boards[{place}]: {board_label(history.key)} is there twice")
    return histories


def _history(board: ExportedBoard, at: str) -> History:
    before, changes = board.start, []
    _check_plan(Plan(), before, f"{at}.start")
    for place, change in enumerate(board.changes):
        _check_plan(before, change.plan, f"{at}.changes[{place}].plan")
        changes.append(Change(before, change.plan, change.by, change.action, change.undoes))
        before = change.plan
    if before != board.plan:
        raise not_an_export(f"{at}: the last change does not lead to the plan")
    return History(Key(board.session, board.agent), board.start, changes)


def _check_plan(before: Plan, plan: Plan, at: str) -> None:
    """Check a plan in an export, and what the change that led to it did, by the rules that hold for every write.

    Raises UsageError with the place.
    """
    if len(plan.todos) > CEILING_ITEMS:
        raise not_an_export(f"{at}.todos: at most {CEILING_ITEMS} todos, received {len(plan.todos)}")
    known = {todo.id: todo for todo in before.todos}
    ids: set[str] = set()
    for place, todo in enumerate(plan.todos):
        if todo.id in ids:
            raise not_an_export(f"{at}.todos[{place}].id: {describe(todo.id)} is there twice")
        ids.add(todo.id)
        if known.get(todo.id) != todo:
            _check_todo(todo, plan, f"{at}.todos[{place}]")
    if len(plan.summary) > CEILING_TEXT:
        raise not_an_export(f"{at}.summary: at most {CEILING_TEXT} characters, received {len(plan.summary)}")
    if ring := cycle({todo.id: todo.details.blocked_by for todo in plan.todos if todo.details.blocked_by}):
        raise not_an_export(f"{at}.todos: they wait for each other: {' → '.join(map(describe, ring))}")
    _check_running(before, plan, at)


def _check_todo(todo: Todo, plan: Plan, at: str) -> None:
    """Check one todo that is not the same as in the plan before."""
    if not todo.id.strip() or (todo.id.isdecimal() and plan.next_id <= int(todo.id[:20]) < 10**6):
        raise not_an_export(f"{at}.id: {describe(todo.id)} is blank, or not below next_id, which is {plan.next_id}")
    if not todo.content.strip() and not _may_be_blank(plan):
        raise not_an_export(f"{at}.content: a text is required, received {describe(todo.content)}")
    for field in ("content", "active_form", "evidence"):
        if len(getattr(todo, field)) > CEILING_TEXT:
            received = len(getattr(todo, field))
            raise not_an_export(f"{at}.{field}: at most {CEILING_TEXT} characters, received {received}")


def _may_be_blank(plan: Plan) -> bool:
    try:
        return dialects.get(from_json(plan.settings).dialect).form.blank_allowed
    except UsageError:
        return False


def _check_running(before: Plan, plan: Plan, at: str) -> None:
    """Check that a change started no more todos than there may be. What agents have claimed does not count."""
    most, running = from_json(plan.settings).all_rules().max_in_progress, _running(plan)
    if running > most and running > _running(before):
        raise not_an_export(f"{at}.todos: at most {most} in progress, received {running}")


def _running(plan: Plan) -> int:
    return sum(todo.status is Status.IN_PROGRESS and not todo.details.owner for todo in plan.todos)
