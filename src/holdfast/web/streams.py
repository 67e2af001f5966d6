"""The live changes as server-sent events, resumed where a reader ended: `GET /api/events`."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .. import __version__
from ..text import is_whole_number
from .answers import Refusal
from .broadcast import Broadcast, Event, Stream, message

HEARTBEAT = 15.0
"""After how many quiet seconds something is sent, so that a reader who is gone is noticed."""

RECONNECT = 500
"""How many milliseconds a browser waits before it comes back."""

LARGEST = 2**53
"""No sequence is beyond what JavaScript can count."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def events(request: Request) -> Response:
    """Every change after `Last-Event-ID` or `since`, as it comes; without them, from now on."""
    broadcast: Broadcast = request.app.state.broadcast
    since = _since(request)
    await broadcast.ready()
    stream = broadcast.open()
    if stream is None:
        raise Refusal(503, "too_many_streams", "too many pages are open: close some, or try again", retry_after=5)
    try:
        missed = [] if since is None else await broadcast.missed(since, stream.start)
    except BaseException:
        broadcast.drop(stream)
        raise
    return StreamingResponse(_told(broadcast, stream, missed), headers=HEADERS, media_type="text/event-stream")


async def _told(broadcast: Broadcast, stream: Stream, missed: list[Event] | None) -> AsyncIterator[bytes]:
    try:
        yield f"retry: {RECONNECT}\n\n".encode()
        for event in missed or ():
            yield event.data
            await asyncio.sleep(0)  # a reader who goes away meanwhile is noticed, and others get their turn
        kind = "reset" if missed is None else "ready"
        yield message(kind, {"sequence": stream.start, "version": __version__}, stream.start)
        while True:
            try:
                news = await asyncio.wait_for(stream.take(), HEARTBEAT)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if news is None:
                return
            yield news.data
    finally:
        broadcast.drop(stream)


def _since(request: Request) -> int | None:
    """Where a reader ended. A browser says it by a header when it comes back, and by the address at first."""
    said = request.headers.get("last-event-id") or request.query_params.get("since")
    if said is None:
        return None
    if not (is_whole_number(said, len(str(LARGEST))) and int(said) <= LARGEST):
        raise Refusal(400, "bad_sequence", "since, or Last-Event-ID: expected the sequence of a change, a whole number")
    return int(said)
