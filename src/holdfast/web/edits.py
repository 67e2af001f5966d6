"""What a person may change: reword, tick, cancel, add, remove, move, undo. Each is a person's edit of a board.

A change names the revision that the person saw, by `If-Match`. If the plan has moved on, nothing is changed, and the
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
from ..stores import Key
from ..text import describe, is_whole_number
from .answers import Answer, Refusal
from .forms import plan_form
from .queries import board_key, plan_answer

FIELDS = ("content", "status", "active_form")
LARGEST = 1_000_000
Act = Callable[[Board, int], Reply]
"""An edit of a board at the revision that the person saw."""


class OneTodo(HTTPEndpoint):
    """One todo of a plan."""

    async def patch(self, request: Request) -> Response:
        """Reword it, or give it another status."""
        return await _change(request)

    async def delete(self, request: Request) -> Response:
        """Take it off the plan."""
        return await _done(request, lambda board, seen: board.remove(_todo(request), expected_revision=seen))


async def _change(request: Request) -> Response:
    said = await _said(request, FIELDS)
    if not said:
        raise Refusal(422, "nothing_said", f"say what to change: {', '.join(FIELDS)}")
    for name, value in said.items():
        if not isinstance(value, str):
            raise Refusal(422, "wrong_type", f"{name}: expected a text, received {describe(value)}")
    return await _done(request, lambda board, seen: board.edit(_todo(request), **said, expected_revision=seen))


async def add(request: Request) -> Response:
    """Add a todo, at the end or at a position counted from 0."""
    said = await _said(request, ("content", "position"))
    position = _position(said) if "position" in said else None
    return await _done(
        request, lambda board, seen: board.add(said.get("content", ""), position=position, expected_revision=seen)
    )


async def move(request: Request) -> Response:
    """Put a todo at another position, counted from 0."""
    position = _position(await _said(request, ("position",)))
    return await _done(request, lambda board, seen: board.move(_todo(request), position, expected_revision=seen))


async def undo(request: Request) -> Response:
    """Take the newest change back that is not taken back yet, whoever made it."""
    return await _done(request, lambda board, seen: board.undo(expected_revision=seen))


async def _done(request: Request, act: Act) -> Response:
    key, revision = board_key(request), _revision(request)
    return await run_in_threadpool(_act, request, key, revision, act)


def _act(request: Request, key: Key, revision: int, act: Act) -> Answer:
    board = Board.for_person(request.app.state.store, key.session, key.agent)
    plan_answer(key, board.plan)  # an edit begins no plan
    reply = act(board, revision)
    if reply.ok:
        return plan_answer(key, reply.plan)
    if any(fault.code == CONFLICT for fault in reply.faults):
        raise Refusal(412, "conflict", reply.faults[0].message, {"plan": plan_form(key, reply.plan)})
    if any(fault.code == "store" for fault in reply.faults):
        raise Refusal(503, "store", "; ".join(fault.message for fault in reply.faults), retry_after=1)
    faults = [{"path": fault.path, "message": fault.message, "code": fault.code} for fault in reply.faults]
    raise Refusal(422, "refused", "; ".join(fault.message for fault in reply.faults), {"faults": faults})


def _todo(request: Request) -> str:
    return str(request.path_params["todo"])


def _revision(request: Request) -> int:
    said = request.headers.get("if-match")
    if said is None:
        raise Refusal(428, "no_revision", 'say which revision you saw: If-Match: "7"')
    number = said.strip().removeprefix("W/").strip('"')
    if not is_whole_number(number, 15):
        raise Refusal(400, "bad_revision", 'If-Match: expected one revision in quotes, as in "7"')
    return int(number)


def _position(said: Mapping[str, Any]) -> int:
    position = said.get("position")
    if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position <= LARGEST:
        raise Refusal(422, "wrong_type", f"position: expected a whole number from 0 on, received {describe(position)}")
    return position


async def _said(request: Request, known: tuple[str, ...]) -> dict[str, Any]:
    """The body as an object with these fields at most."""
    try:
        said = json.loads(await request.body())
    except (ValueError, RecursionError) as reason:
        raise Refusal(400, "bad_json", f"the body is no JSON: {reason}") from reason
    if not isinstance(said, dict):
        raise Refusal(422, "wrong_type", f"expected an object, received {describe(said)}")
    strange = [name for name in said if name not in known]
    if strange:
        raise Refusal(422, "unknown_field", f"no field {describe(strange[0])} here; there are {', '.join(known)}")
    return said
