"""The page and its API as one ASGI application over a store."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from .. import __version__
from ..errors import StoreError
from ..server.access import Door
from ..server.guard import Guard
from ..stores import Store
from . import answers, edits, queries
from .answers import Answer, Refusal
from .assets import Assets
from .broadcast import Broadcast
from .login import Entering
from .streams import events

DESCRIPTION = Path(__file__).parent / "openapi.json"


def application(store: Store, place: str = "", door: Door | None = None) -> Starlette:
    """The application. `place` says where the plans are, `door` who may come in: without one, only this machine."""
    door = Door() if door is None else door
    assets = Assets()
    app = Starlette(
        routes=_routes(assets),
        middleware=[Middleware(Guard, door=door)],
        exception_handlers={
            Refusal: answers.refused,
            StoreError: answers.store_failed,
            404: answers.not_found,
            405: answers.wrong_method,
        },
        lifespan=_living,
    )
    app.state.store, app.state.place, app.state.door = store, place, door
    app.state.assets, app.state.broadcast = assets, Broadcast(store)
    return app


def _routes(assets: Assets) -> list[Route | Mount]:
    return [
        Route("/", _page),
        Route("/healthz", queries.health),
        Route("/enter", Entering),
        Route("/api/openapi.json", _description),
        Route("/api/events", events),
        Route("/api/sessions", queries.sessions),
        Route("/api/plans/{id}", queries.plan),
        Route("/api/plans/{id}/history", queries.history),
        Route("/api/plans/{id}/revisions/{revision:int}", queries.plan_at),
        Route("/api/plans/{id}/undo", edits.undo, methods=["POST"]),
        Route("/api/plans/{id}/todos", edits.add, methods=["POST"]),
        Route("/api/plans/{id}/todos/{todo}", edits.OneTodo),
        Route("/api/plans/{id}/todos/{todo}/position", edits.move, methods=["PUT"]),
        Mount("/page", assets),
    ]


@asynccontextmanager
async def _living(app: Starlette) -> AsyncIterator[None]:
    """Follow the store for as long as the server runs."""
    following = asyncio.create_task(app.state.broadcast.begin())
    try:
        yield
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def _page(request: Request) -> Response:
    assets: Assets = request.app.state.assets
    return assets.answer("index.html", request.headers)


async def _description(request: Request) -> Response:
    return Answer(description())


@cache
def description() -> dict[str, Any]:
    """The OpenAPI description of the API."""
    found: dict[str, Any] = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    found["info"]["version"] = __version__
    return found
