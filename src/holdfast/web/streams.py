"""The live changes as server-sent events, which a reader can resume: `GET /api/events`."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .. import __version__
from ..text import is_whole_number
from .answers import APIError
from .broadcast import LARGEST_SEQUENCE, Broadcast, Stream, StreamEvent, server_sent_event

HEARTBEAT = 15.0
"""After how many quiet seconds something is sent, so that a reader that is gone is noticed."""

RECONNECT = 500
"""How many milliseconds a browser waits before it comes back."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def events(request: Request) -> Response:
    """Every change after `Last-Event-ID` or `since`, as it comes; without them, from now on."""
    broadcast: Broadcast = request.app.state.broadcast
    since = _since(request)
    await broadcast.ready()
    was_whole = await broadcast.whole()
    stream = broadcast.open()
    if stream is None:
        raise APIError(
            503, "too_many_streams", "too many pages are open: close some, or try again later", retry_after=5
        )
    try:
        missed = [] if since is None else await broadcast.missed(since, stream.start) if was_whole else None
    except BaseException:
        broadcast.drop(stream)
        raise
    return StreamingResponse(_events(broadcast, stream, missed), headers=HEADERS, media_type="text/event-stream")


async def _events(broadcast: Broadcast, stream: Stream, missed: list[StreamEvent] | None) -> AsyncIterator[bytes]:
    try:
        yield f"retry: {RECONNECT}\n\n".encode()
        for old in missed or ():
            yield old.data
            await asyncio.sleep(0)  # notice a reader that goes away meanwhile, and let others have their turn
        kind = "reset" if missed is None else "ready"
        yield server_sent_event(kind, {"sequence": stream.start, "version": __version__}, stream.start)
        while True:
            try:
                event = await asyncio.wait_for(stream.take(), HEARTBEAT)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if event is None:
                return
            yield event.data
    finally:
        broadcast.drop(stream)


def _since(request: Request) -> int | None:
    """Where a reader ended. A browser that comes back sends it in a header; at first it is in the address."""
    word = request.headers.get("last-event-id") or request.query_params.get("since")
    if word is None:
        return None
    if not (is_whole_number(word, len(str(LARGEST_SEQUENCE))) and int(word) <= LARGEST_SEQUENCE):
        raise APIError(400, "bad_sequence", "since or Last-Event-ID: expected a whole number, the sequence of a change")
    return int(word)
