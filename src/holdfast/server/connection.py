"""One connection to a server: what a client sends must come in time, and one that only waits makes room for others."""

import asyncio
from enum import Enum
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class Phase(Enum):
    """What a connection waits for."""

    HEAD = "the first line and the headers of a request"
    BODY = "the rest of a request"
    ANSWER = "the application"


SECONDS = {Phase.HEAD: 10.0, Phase.BODY: 60.0}
"""How long a client may take for it. More bytes do not give it more time."""


class TimedConnection(H11Protocol):
    """A connection with a deadline for each part of a request. How many there are is the server's `limit_concurrency`.

    If there are too many, the one that has kept the server waiting longest ends; if all are being answered, the new
    one.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.most = self.limit_concurrency or 0
        self.limit_concurrency = None  # it would refuse requests of whoever comes last
        self.waits_for = Phase.ANSWER
        self.waits_since = 0.0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn does the same
        """A client has come."""
        super().connection_made(transport)
        self._update_phase()
        if self.most and len(self.connections) > self.most:
            others = [other for other in self.connections if isinstance(other, TimedConnection) and other is not self]
            waiting = [other for other in others if other.waits_for is not Phase.ANSWER]
            min(waiting, key=lambda other: other.waits_since, default=self).end()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._set_deadline(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something of a request has come."""
        super().data_received(data)
        self._update_phase()

    def on_response_complete(self) -> None:
        """A request was answered."""
        super().on_response_complete()
        self._update_phase()

    def send_400_response(self, msg: str) -> None:
        """What came is not HTTP. An application that still reads it, or has begun to answer it, is told to stop."""
        cycle = self._request
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.close()
        else:
            super().send_400_response(msg)

    def end(self) -> None:
        """Close it, with nothing said."""
        self.connections.discard(self)
        self.transport.abort()

    @property
    def _request(self) -> RequestResponseCycle | None:
        """The request that came last; None before the first."""
        return self.cycle

    def _update_phase(self) -> None:
        """See what it waits for now. A deadline counts from when that began."""
        cycle = self._request
        if self.transport.is_closing():
            now = Phase.ANSWER
        elif cycle is None or cycle.response_complete:
            now = Phase.HEAD
        else:
            now = Phase.BODY if cycle.more_body else Phase.ANSWER
        if now is not self.waits_for:
            self.waits_for, self.waits_since = now, self.loop.time()
            self._set_deadline(SECONDS.get(now))

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.end)
