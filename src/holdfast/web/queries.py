"""What a client may ask for: the sessions, a plan, a plan as it was, and what was changed in it."""

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
from .access import PageAccess
from .answers import APIError, JSONAnswer
from .broadcast import LARGEST_SEQUENCE, Broadcast
from .forms import change_form, plan_form
from .ids import key_of, rank_of
from .overview import Query, Sort

MOST_SESSIONS = 200
MOST_CHANGES = 500
LONGEST_SEARCH = 200


async def health(request: Request) -> Response:
    """Whether the server and its store work. Its version is only for clients that may read the plans."""
    access: PageAccess = request.app.state.access
    trouble = await request.app.state.broadcast.check()
    may_read = not access.token or access.has_token(request.headers)
    state = {"ok": not trouble} | ({"version": __version__} if may_read else {})
    return JSONAnswer(state, 503 if trouble else 200)


async def sessions(request: Request) -> Response:
    """The sessions in their order, and the sequence after which to follow their changes."""
    broadcast: Broadcast = request.app.state.broadcast
    query = _query(request)
    await broadcast.ready()
    page = await broadcast.page(query)
    state: JSON = {
        "sequence": broadcast.follow_after,
        "now": time.time(),
        "store": request.app.state.store_label,
        "damaged": broadcast.damage(),
    }
    return JSONAnswer(state | page)


async def plan(request: Request) -> Response:
    """One plan as it is now."""
    store: Store = request.app.state.store
    key = board_key(request)
    return plan_answer(key, await run_in_threadpool(store.load, key))


async def plan_at(request: Request) -> Response:
    """One plan as it was at a revision."""
    key = board_key(request)
    revision = int(request.path_params["revision"])
    board = Board.for_person(request.app.state.store, key.session, key.agent)
    try:
        plan = await run_in_threadpool(board.at, revision)
    except UsageError as reason:
        raise APIError(404, "no_such_revision", str(reason)) from reason
    return plan_answer(key, plan)


async def history(request: Request) -> Response:
    """The changes of one plan and of those before it, newest first."""
    key = board_key(request)
    limit = _number(request, "limit", 100, MOST_CHANGES)
    before = _number(request, "before", LARGEST_SEQUENCE, LARGEST_SEQUENCE)
    records = await run_in_threadpool(_records, request.app.state.store, key, before, limit + 1)
    page = records[:limit]
    following = page[-1].sequence if len(records) > limit else None
    return JSONAnswer({"changes": [change_form(record) for record in page], "next": following})


async def activity(request: Request) -> Response:
    """The newest changes of all plans, the newest first."""
    broadcast: Broadcast = request.app.state.broadcast
    limit = _number(request, "limit", 50, MOST_CHANGES)
    await broadcast.ready()
    records = await run_in_threadpool(broadcast.latest, limit)
    return JSONAnswer({"changes": [change_form(record) for record in records]})


def board_key(request: Request) -> Key:
    """The board that an address names."""
    key = key_of(request.path_params["id"])
    if key is None:
        raise APIError(404, "no_such_plan", "this is not the id of a plan: take one from /api/sessions")
    return key


def plan_answer(key: Key, plan: Plan) -> JSONAnswer:
    """A plan, with its revision as its ETag. Raises APIError for a board without any change, or that was deleted."""
    if plan.is_deleted:
        raise APIError(404, "deleted", "this plan was deleted")
    if plan.revision == 0:
        raise APIError(404, "no_such_plan", "there is no such plan: take an id from /api/sessions")
    return JSONAnswer(plan_form(key, plan), headers={"ETag": f'"{plan.revision}"'})


def _records(store: Store, key: Key, before: int, most: int) -> list[Record]:
    older = dropwhile(lambda record: record.sequence >= before, store.history(key))
    return list(islice(older, most))


def _query(request: Request) -> Query:
    params = request.query_params
    pace, search, after = params.get("pace"), params.get("search", ""), params.get("after")
    if pace is not None and pace.upper() not in Pace.__members__:
        raise APIError(400, "bad_pace", f"pace: expected one of {', '.join(Pace.__members__).lower()}")
    if len(search) > LONGEST_SEARCH:
        raise APIError(400, "bad_search", f"search: at most {LONGEST_SEARCH} characters, received {len(search)}")
    rank = None if after is None else rank_of(after)
    if after is not None and rank is None:
        raise APIError(400, "bad_place", "after: expected the `next` of the previous answer")
    sort = params.get("sort", Sort.PACE)
    if sort not in list(Sort):
        raise APIError(400, "bad_sort", f"sort: expected one of {', '.join(Sort)}")
    limit = _number(request, "limit", 50, MOST_SESSIONS)
    return Query(None if pace is None else Pace[pace.upper()], search, rank, limit, params.get("session"), Sort(sort))


def _number(request: Request, name: str, default: int, most: int) -> int:
    word = request.query_params.get(name)
    if word is None:
        return default
    if not (is_whole_number(word, len(str(most))) and 1 <= int(word) <= most):
        raise APIError(400, f"bad_{name}", f"{name}: expected a whole number from 1 to {most}")
    return int(word)
