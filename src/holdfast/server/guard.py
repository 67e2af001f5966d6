"""Stands in front of an application: answers requests that are rejected, passes others on when they are whole."""

import asyncio
import logging
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .access import NO_TOKEN, Access, Rejection

WRONG_TOKEN_SECONDS = 1.0
"""How long whoever shows a wrong token waits for the answer."""

_log = logging.getLogger("holdfast")

Answerer = Callable[[Rejection, str], Response]
"""What makes the answer to a rejected request, by its path."""


def describe_rejection(rejection: Rejection, path: str) -> Response:
    """The rejection as JSON."""
    headers = {"WWW-Authenticate": "Bearer"} if rejection.status == 401 else None
    return JSONResponse({"error": rejection.message, "code": rejection.code}, rejection.status, headers)


class Guard:
    """An ASGI application in front of another one, as Starlette's middleware is."""

    def __init__(self, app: ASGIApp, access: Access, answer: Answerer = describe_rejection) -> None:
        self._app = app
        self._access = access
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        rejection = self._access.rejection(scope["method"], scope["path"], headers)
        if rejection is None:
            body = await _body(receive, self._access.most_bytes)
            if body is None:
                _log.warning("holdfast: a client left before it had sent its request")
                return
            if len(body) <= self._access.most_bytes:
                await self._app(scope, _replayed(body, receive), send)
                return
            rejection = self._access.too_large
        if rejection is NO_TOKEN and "authorization" in headers:
            await asyncio.sleep(WRONG_TOKEN_SECONDS)
        await self._answer(rejection, scope["path"])(scope, receive, send)


async def _body(receive: Receive, most_bytes: int) -> bytearray | None:
    """What comes in, until it is all or too much; None if the client leaves before.

    A request that does not say how large it is could go on for ever. An application gets it only when it is whole: one
    that is cut off is nothing to tell at length.
    """
    body = bytearray()
    while len(body) <= most_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body


def _replayed(body: bytearray, receive: Receive) -> Receive:
    """What an application receives: the whole request, then whether the client is still there."""
    rest = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def replayed() -> Message:
        return rest.pop() if rest else await receive()

    return replayed
