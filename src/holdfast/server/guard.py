"""Stands before everything else: turns away who may not come in, bounds what is sent, marks what goes out."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..web.answers import Refusal, error
from ..web.login import entrance
from .access import MOST_BYTES, Door

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """An ASGI application in front of another one."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._visit(scope, receive, _marked(scope, send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        turned = self._door.turned(scope["method"], scope["path"], Headers(scope=scope))
        if turned is None:
            await self._app(scope, _bounded(receive), send)
        elif turned.code == "no_token" and not scope["path"].startswith("/api/"):
            await entrance()(scope, receive, send)
        else:
            answer = error(*turned)
            if turned.status == 401:
                answer.headers["WWW-Authenticate"] = "Bearer"
            await answer(scope, receive, send)


def _marked(scope: Scope, send: Send) -> Send:
    """What goes out, with the headers that every answer carries."""
    caching = "no-store" if scope["path"].startswith("/api/") else "no-cache"

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", caching)
        await send(message)

    return marked


def _bounded(receive: Receive) -> Receive:
    """What comes in, up to a size: a request that does not say how large it is may not be without end."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MOST_BYTES:
            raise Refusal(413, "too_large", f"a request has at most {MOST_BYTES} bytes")
        return message

    return bounded
