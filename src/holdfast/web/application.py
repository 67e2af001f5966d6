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
from ..server.access import Rejection
from ..server.guard import Guard, describe_rejection
from ..stores import Store
from . import answers, edits, queries
from .access import PageAccess
from .answers import APIError, JSONAnswer
from .assets import Assets
from .broadcast import Broadcast
from .headers import PageHeaders
from .login import Login, login_page
from .streams import events

DESCRIPTION = Path(__file__).parent / "openapi.json"


def application(store: Store, store_label: str = "", access: PageAccess | None = None) -> Starlette:
    """The application. The page shows `store_label` as where the plans are. Without `access`, this machine has it."""
    access = PageAccess() if access is None else access
    assets = Assets()
    app = Starlette(
        routes=_routes(assets),
        middleware=[Middleware(PageHeaders), Middleware(Guard, access=access, answer=_answer_rejected)],
        exception_handlers={
            APIError: answers.api_error,
            StoreError: answers.store_error,
            404: answers.not_found,
            405: answers.wrong_method,
        },
        lifespan=_lifespan,
    )
    app.state.store, app.state.store_label, app.state.access = store, store_label, access
    app.state.assets, app.state.broadcast = assets, Broadcast(store)
    return app


def _routes(assets: Assets) -> list[Route | Mount]:
    return [
        Route("/", _page),
        Route("/healthz", queries.health),
        Route("/enter", Login),
        Route("/api/openapi.json", _description),
        Route("/api/events", events),
        Route("/api/sessions", queries.sessions),
        Route("/api/activity", queries.activity),
        Route("/api/plans/{id}", queries.plan),
        Route("/api/plans/{id}/history", queries.history),
        Route("/api/plans/{id}/revisions/{revision:int}", queries.plan_at),
        Route("/api/plans/{id}/undo", edits.undo, methods=["POST"]),
        Route("/api/plans/{id}/redo", edits.redo, methods=["POST"]),
        Route("/api/plans/{id}/restore", edits.restore, methods=["POST"]),
        Route("/api/plans/{id}/approve", edits.approve, methods=["POST"]),
        Route("/api/plans/{id}/name", edits.rename, methods=["PUT"]),
        Route("/api/plans/{id}/todos", edits.add, methods=["POST"]),
        Route("/api/plans/{id}/todos/{todo}", edits.TodoEndpoint),
        Route("/api/plans/{id}/todos/{todo}/position", edits.move, methods=["PUT"]),
        Mount("/page", assets),
    ]


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Follow the store for as long as the server runs."""
    broadcast: Broadcast = app.state.broadcast
    start = asyncio.create_task(broadcast.start())
    try:
        yield
    finally:
        start.cancel()
        with suppress(asyncio.CancelledError):
            await start
        broadcast.close()


def _answer_rejected(rejection: Rejection, path: str) -> Response:
    """A program is told why; a person who has no token is asked for it."""
    is_person = rejection.code == "no_token" and not path.startswith("/api/")
    return login_page() if is_person else describe_rejection(rejection, path)


async def _page(request: Request) -> Response:
    assets: Assets = request.app.state.assets
    return assets.answer("index.html", request.headers)


async def _description(request: Request) -> Response:
    return JSONAnswer(description())


@cache
def description() -> dict[str, Any]:
    """The OpenAPI description of the API."""
    openapi: dict[str, Any] = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    openapi["info"]["version"] = __version__
    return openapi
