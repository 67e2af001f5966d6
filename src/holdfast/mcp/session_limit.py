"""Stands in front of the MCP server: when there are too many sessions, the one that was used least makes room."""

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .identity import SESSION_HEADER

OPENING = 2
"""How many requests a client sends before it does anything: that it is ready, and that it listens."""


@dataclass
class SessionUse:
    """How much a session was used, and how many of its requests are being answered."""

    requests: int = 0
    under_way: int = 0

    @property
    def worth(self) -> tuple[bool, bool]:
        """What decides which one goes: whether somebody is listening, whether anything was done."""
        return self.under_way > 0, self.requests > OPENING


class SessionLimit:
    """An ASGI application in front of another one, as Starlette's middleware is."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._uses: dict[str, SessionUse] = {}  # the one that was silent for longest comes first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and see to which session it belongs."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        id = Headers(scope=scope).get(SESSION_HEADER, "")
        use = self._uses.pop(id, None)
        if use is None:
            await self._app(scope, receive, self._noting(scope, send))
            return
        self._uses[id] = use
        use.requests += 1
        use.under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            use.under_way -= 1
            if scope["method"] == "DELETE":
                self._uses.pop(id, None)

    def _noting(self, scope: Scope, send: Send) -> Send:
        """Sends an answer, and remembers the session that it opens. Then there may be one too many."""

        async def noting(message: Message) -> None:
            id = Headers(raw=message["headers"]).get(SESSION_HEADER) if "headers" in message else None
            if id is not None and int(message["status"]) < 300:
                self._uses[id] = SessionUse()
            await send(message)
            if id is not None and len(self._uses) > self._most:
                await self._forget(scope, min(self._uses, key=lambda session: self._uses[session].worth))

        return noting

    async def _forget(self, scope: Scope, id: str) -> None:
        """End a session as its own client would."""
        del self._uses[id]
        headers = [(name, value) for name, value in scope["headers"] if name == b"host"]
        ended = {**scope, "method": "DELETE", "headers": [*headers, (SESSION_HEADER.encode(), id.encode())]}
        await self._app(ended, _nothing, _nowhere)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(message: Message) -> None:
    pass
