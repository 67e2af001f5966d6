"""What a person may change: reword, tick, cancel, add, remove, move, undo, redo, restore. Each is a person's edit.

A change names the revision that the person saw, by `If-Match`. If the plan has changed since, nothing is done, and the
answer holds the plan as it is now.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from ..board import Board
from ..board.commit import CONFLICT
from ..dialects import Reply
from ..errors import UsageError
from ..plan import DetailsWish
from ..stores import Key, Store
from ..text import describe, is_whole_number
from .answers import APIError, JSONAnswer
from .forms import plan_form
from .queries import board_key, plan_answer

FIELDS = ("content", "status", "active_form", "check")
DETAILS = ("description", "priority", "owner", "section", "reason")
"""What else may be said of a todo, each a text; and `blocked_by`, the ids of the todos that come first."""
LARGEST_NUMBER = 10**15 - 1
"""The largest position or revision that is read."""

Edit = Callable[[Board, int], Reply]
"""An edit of a board at the revision that the person saw."""


class TodoEndpoint(HTTPEndpoint):
    """One todo of a plan."""

    async def patch(self, request: Request) -> Response:
        """Reword it, give it another status, or say more about it."""
        known = (*FIELDS, *DETAILS, "blocked_by")
        fields = await _fields(request, known)
        if not fields:
            raise APIError(422, "nothing_said", f"say what to change: {', '.join(known)}")
        for name, value in fields.items():
            if name != "blocked_by" and not isinstance(value, str):
                raise APIError(422, "wrong_type", f"{name}: expected a text, received {describe(value)}")
        details, id = _details(fields), _todo_id(request)
        changes = {name: value for name, value in fields.items() if name in FIELDS}
        return await _answer(
            request, lambda board, seen: board.edit(id, **changes, details=details, expected_revision=seen)
        )

    async def delete(self, request: Request) -> Response:
        """Remove it from the plan."""
        return await _answer(request, lambda board, seen: board.remove(_todo_id(request), expected_revision=seen))


def _details(fields: Mapping[str, Any]) -> DetailsWish | None:
    """What is said of a todo besides its text and its status; None if nothing is."""
    waits = fields.get("blocked_by")
    if waits is not None and not (isinstance(waits, list) and all(isinstance(id, str) for id in waits)):
        raise APIError(422, "wrong_type", f"blocked_by: expected a list of ids, received {describe(waits)}")
    texts = {name: fields[name] for name in DETAILS if name in fields}
    return (
        DetailsWish(**texts, blocked_by=None if waits is None else tuple(waits)) if texts or waits is not None else None
    )


async def approve(request: Request) -> Response:
    """Let the work begin on a plan that waits for a person."""
    return await _answer(request, lambda board, seen: board.approve(expected_revision=seen))


async def rename(request: Request) -> Response:
    """Give the session a name that people know it by; an empty one takes it away."""
    name = (await _fields(request, ("name",))).get("name")
    if not isinstance(name, str):
        raise APIError(422, "wrong_type", f"name: expected a text, received {describe(name)}")
    return await _answer(request, lambda board, seen: board.rename(name, expected_revision=seen))


async def add(request: Request) -> Response:
    """Add a todo, at the end or at a position counted from 0."""
    fields = await _fields(request, ("content", "position"))
    position = _whole_number(fields, "position") if "position" in fields else None
    content = fields.get("content", "")
    return await _answer(request, lambda board, seen: board.add(content, position=position, expected_revision=seen))


async def move(request: Request) -> Response:
    """Move a todo to another position, counted from 0."""
    position = _whole_number(await _fields(request, ("position",)), "position")
    return await _answer(request, lambda board, seen: board.move(_todo_id(request), position, expected_revision=seen))


async def undo(request: Request) -> Response:
    """Undo the newest change that is not undone yet, no matter who made it."""
    return await _answer(request, lambda board, seen: board.undo(expected_revision=seen))


async def redo(request: Request) -> Response:
    """Undo the newest undo, if nothing was changed since."""
    return await _answer(request, lambda board, seen: board.redo(expected_revision=seen))


async def restore(request: Request) -> Response:
    """Bring the plan back as it was at a revision."""
    fields = await _fields(request, ("revision",))
    revision = _whole_number(fields, "revision")
    return await _answer(request, lambda board, seen: board.restore(revision, expected_revision=seen))


async def _answer(request: Request, edit: Edit) -> Response:
    key, revision = board_key(request), _expected_revision(request)
    return await run_in_threadpool(_apply, request.app.state.store, key, revision, edit)


def _apply(store: Store, key: Key, revision: int, edit: Edit) -> JSONAnswer:
    """Make an edit of the plan that the person saw, and answer with the plan after it. Raises APIError if it failed."""
    board = Board.for_person(store, key.session, key.agent)
    plan_answer(key, board.plan)  # an edit starts no plan
    try:
        reply = edit(board, revision)
    except UsageError as reason:
        raise APIError(422, "no_such_revision", str(reason)) from reason
    if reply.ok:
        return plan_answer(key, reply.plan)
    message = "; ".join(fault.message for fault in reply.faults)
    if any(fault.code == CONFLICT for fault in reply.faults):
        raise APIError(412, "conflict", reply.faults[0].message, {"plan": plan_form(key, reply.plan)})
    if any(fault.code == "store" for fault in reply.faults):
        raise APIError(503, "store", message, retry_after=1)
    faults = [{"path": fault.path, "message": fault.message, "code": fault.code} for fault in reply.faults]
    raise APIError(422, "refused", message, {"faults": faults})


def _todo_id(request: Request) -> str:
    return str(request.path_params["todo"])


def _expected_revision(request: Request) -> int:
    tag = request.headers.get("if-match")
    if tag is None:
        raise APIError(428, "no_revision", 'say which revision you saw: If-Match: "7"')
    number = tag.strip().removeprefix("W/").strip('"')
    if not is_whole_number(number, 15):
        raise APIError(400, "bad_revision", 'If-Match: expected one revision in quotes, as in "7"')
    return int(number)


def _whole_number(fields: Mapping[str, Any], name: str) -> int:
    number = fields.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LARGEST_NUMBER:
        message = f"{name}: expected a whole number from 0 to {LARGEST_NUMBER}, received {describe(number)}"
        raise APIError(422, "wrong_type", message)
    return number


async def _fields(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """The body as an object with these fields at most."""
    try:
        fields = json.loads(await request.body())
    except (ValueError, RecursionError) as reason:
        raise APIError(400, "bad_json", f"the body is not JSON: {reason}") from reason
    if not isinstance(fields, dict):
        raise APIError(422, "wrong_type", f"expected an object, received {describe(fields)}")
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise APIError(422, "unknown_field", f"no field {describe(unknown[0])} here; there are {', '.join(known)}")
    return fields
