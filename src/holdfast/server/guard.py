"""Stands in front of an application: answers the requests that are rejected, and limits the size of the others."""

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .access import Access, Rejection

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
        rejection = self._access.rejection(scope["method"], scope["path"], Headers(scope=scope))
        if rejection is None:
            try:
                await self._app(scope, _limited(receive, self._access.most_bytes), send)
            except _TooLarge:  # nothing was sent yet: the body is read before it is answered
                rejection = self._access.too_large
        if rejection is not None:
            await self._answer(rejection, scope["path"])(scope, receive, send)


class _TooLarge(Exception):
    """A body turned out to be too large."""


def _limited(receive: Receive, most_bytes: int) -> Receive:
    """What comes in, up to a size: a request that does not say how large it is could go on for ever."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most_bytes:
            raise _TooLarge
        return message

    return limited
