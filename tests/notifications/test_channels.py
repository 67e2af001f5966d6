"""Channels: an event is sent, or the channel says why not."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from holdfast import Board, Status
from holdfast.notifications.channels import EVENT, RETRIES, NotSent, WebhookChannel
from holdfast.notifications.events import PlanEvent, events_due
from holdfast.stores.memory import MemoryStore


def blocked(session: str) -> PlanEvent:
    """The event of a todo that is blocked, in a session with this name."""
    store = MemoryStore()
    board = Board.for_person(store, session, "main")
    board.add("Ask for the key")
    board.edit("1", status=Status.BLOCKED)
    (event,) = events_due(store, store.sessions())
    return event


@contextmanager
def receiver(answer: bytes) -> Iterator[tuple[WebhookChannel, list[str]]]:
    """A server that gives every request the same answer, a channel to it, and the lines that came."""
    lines: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            size = 0
            while line := self.rfile.readline().decode().rstrip("\r\n"):
                lines.append(line)
                name, _, value = line.partition(": ")
                size = int(value) if name.lower() == "content-length" else size
            self.rfile.read(size)
            self.wfile.write(answer)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield WebhookChannel(f"http://127.0.0.1:{server.server_address[1]}/", "s" * 16, lambda _: None), lines
        server.shutdown()


@pytest.mark.parametrize(
    ("session", "id"),
    [("api", "blocked:api/main:1-2"), ("été", r"blocked:\xe9t\xe9/main:1-2"), ("a\r\nb", r"blocked:a\r\nb/main:1-2")],
)
def test_a_webhook_gets_an_id_in_one_line(session: str, id: str) -> None:
    """Whatever the session is called: a header has one line of ASCII."""
    with receiver(b"HTTP/1.1 204 No Content\r\n\r\n") as (channel, lines):
        channel.send(blocked(session))
    assert f"{EVENT}: {id}".lower() in [line.lower() for line in lines]


def test_a_server_that_does_not_speak_http_is_asked_again_and_reported() -> None:
    """Its answer is a failure like any other."""
    with receiver(b"Who is there?\r\n") as (channel, lines), pytest.raises(NotSent, match="Who is there"):
        channel.send(blocked("api"))
    assert sum(line.startswith("POST") for line in lines) == len(RETRIES) + 1
