"""What anybody may ask: the sessions, a plan, how it once was, what was changed in it."""

import time
from itertools import dropwhile, islice

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .. import __version__
from ..board import Board
from ..errors import UsageError
from ..plan import Plan
from ..plan.pace import Pace
from ..stores import Key, Record, Store
from ..text import is_whole_number
from ..transfer.data import JSON
from .answers import Answer, Refusal
from .broadcast import Broadcast
from .forms import change_form, plan_form
from .ids import key_of, rank_of
from .overview import Query

MOST_SESSIONS = 200
MOST_CHANGES = 500
LONGEST_SEARCH = 200
LARGEST = 2**53


async def health(request: Request) -> Response:
    """Whether the server and its store are well."""
    trouble = await request.app.state.broadcast.check()
    return Answer({"ok": not trouble, "version": __version__}, 503 if trouble else 200)


async def sessions(request: Request) -> Response:
    """The sessions in their order, and the sequence from which their changes are to be followed."""
    broadcast: Broadcast = request.app.state.broadcast
    query = _query(request)
    await broadcast.ready()
    now = time.time()
    told: JSON = {
        "sequence": broadcast.sequence,
        "now": now,
        "store": request.app.state.place,
        "damaged": broadcast.damage(),
    }
    return Answer(told | broadcast.overview.page(query, now))


async def plan(request: Request) -> Response:
    """One plan as it is now."""
    store: Store = request.app.state.store
    key = board_key(request)
    found = await run_in_threadpool(store.load, key)
    return plan_answer(key, found)


async def plan_at(request: Request) -> Response:
    """One plan as it was at a revision."""
    key = board_key(request)
    revision = int(request.path_params["revision"])
    board = Board.for_person(request.app.state.store, key.session, key.agent)
    try:
        found = await run_in_threadpool(board.at, revision)
    except UsageError as reason:
        raise Refusal(404, "no_such_revision", str(reason)) from reason
    return plan_answer(key, found)


async def history(request: Request) -> Response:
    """The changes of one plan and of those before it, the newest first."""
    key = board_key(request)
    limit, before = _number(request, "limit", 100, MOST_CHANGES), _number(request, "before", LARGEST, LARGEST)
    records = await run_in_threadpool(_records, request.app.state.store, key, before, limit + 1)
    shown = records[:limit]
    return Answer(
        {
            "changes": [change_form(record) for record in shown],
            "next": shown[-1].sequence if len(records) > limit else None,
        }
    )


def board_key(request: Request) -> Key:
    """The board that an address names."""
    key = key_of(request.path_params["id"])
    if key is None:
        raise Refusal(404, "no_such_plan", "this is not the id of a plan: take one from /api/sessions")
    return key


def plan_answer(key: Key, plan: Plan) -> Answer:
    """A plan, with its revision as its tag. Raises Refusal for a board that nobody ever wrote to."""
    if plan.revision == 0:
        raise Refusal(404, "no_such_plan", "there is no such plan: take an id from /api/sessions")
    return Answer(plan_form(key, plan), headers={"ETag": f'"{plan.revision}"'})


def _records(store: Store, key: Key, before: int, most: int) -> list[Record]:
    older = dropwhile(lambda record: record.sequence >= before, store.history(key))
    return list(islice(older, most))


def _query(request: Request) -> Query:
    said = request.query_params
    pace, search, after = said.get("pace"), said.get("search", ""), said.get("after")
    if pace is not None and pace.upper() not in Pace.__members__:
        raise Refusal(400, "bad_pace", f"pace: expected one of {', '.join(Pace.__members__).lower()}")
    if len(search) > LONGEST_SEARCH:
        raise Refusal(400, "bad_search", f"search: at most {LONGEST_SEARCH} characters, received {len(search)}")
    place = None if after is None else rank_of(after)
    if after is not None and place is None:
        raise Refusal(400, "bad_place", "after: expected what `next` said in the answer before")
    limit = _number(request, "limit", 50, MOST_SESSIONS)
    return Query(None if pace is None else Pace[pace.upper()], search, place, limit, said.get("session"))


def _number(request: Request, name: str, usual: int, most: int) -> int:
    said = request.query_params.get(name)
    if said is None:
        return usual
    if not (is_whole_number(said, len(str(most))) and 1 <= int(said) <= most):
        raise Refusal(400, f"bad_{name}", f"{name}: expected a whole number from 1 to {most}")
    return int(said)
