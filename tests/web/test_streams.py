"""The event stream: every change once and in order, taken up where it ended, whoever is slow or gone."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from patience import PATIENCE, wait_until
from ports import free_port
from web_driving import Served, board, serving

from holdfast import Board
from holdfast.plan import Change
from holdfast.stores import Key, MemoryStore, StoredPlan, codec
from holdfast.stores.follow import StoreFollower
from holdfast.stores.sqlite import SQLiteStore
from holdfast.web import broadcast

CLIENTS = 200
CHANGES = 24
MOST_KNOWN = 4


class Event(NamedTuple):
    """A server-sent event as a client reads it."""

    kind: str
    sequence: int
    data: Any


async def stream(port: int, since: int | None = None, header: bool = False) -> AsyncIterator[Event]:
    """The events of one connection, until it ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    query = "" if since is None or header else f"?since={since}"
    resume = f"Last-Event-ID: {since}\r\n" if header else ""
    writer.write(f"GET /api/events{query} HTTP/1.0\r\nHost: 127.0.0.1\r\n{resume}\r\n".encode())
    try:
        assert b" 200 " in await reader.readline()
        while line := await reader.readline():
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
                fields = dict([(await reader.readline()).decode().rstrip("\n").split(": ", 1) for _ in range(2)])
                yield Event(kind, int(fields["id"]), json.loads(fields["data"]))
    finally:
        writer.close()


async def until(events: AsyncIterator[Event], count: int) -> list[int]:
    """The sequences of the next so many changes."""
    seen: list[int] = []
    async for event in events:
        if event.kind == "change":
            seen.append(event.sequence)
        if len(seen) == count:
            break
    return seen


async def opened(port: int, since: int | None = None, header: bool = False) -> tuple[AsyncIterator[Event], list[Event]]:
    """A stream that is ready, and what came before that."""
    events = stream(port, since, header)
    before: list[Event] = []
    async for event in events:
        before.append(event)
        if event.kind in ("ready", "reset"):
            break
    return events, before


def run(work: Any) -> Any:
    """Run a coroutine in a thread of its own: a browser's loop may run in this one."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(asyncio.run(asyncio.wait_for(work, PATIENCE * 3))))
    thread.start()
    thread.join()
    assert results, "it did not come to an end"
    return results[0]


def write(to: Board, times: int) -> None:
    """So many changes, each of another text."""
    for number in range(times):
        assert to.write({"todos": [{"content": f"Step {to.plan.revision}.{number}"}]}).ok


def test_each_of_many_clients_gets_every_change_once_and_in_order(served: Served) -> None:
    """Two hundred of them, while agents write to several plans at once."""
    boards = [board(served.store, f"s{number}") for number in range(4)]
    write(boards[0], 1)
    served.sessions()

    async def work() -> list[list[int]]:
        streams = [await opened(served.port) for _ in range(CLIENTS)]
        reading = [asyncio.create_task(until(events, CHANGES)) for events, _ in streams]
        await asyncio.gather(*(asyncio.to_thread(write, each, CHANGES // len(boards)) for each in boards))
        seen = await asyncio.gather(*reading)
        for events, _ in streams:
            await events.aclose()  # type: ignore[attr-defined]  # it is a generator
        return seen

    seen = run(work())
    assert seen == [list(range(2, CHANGES + 2))] * CLIENTS


@pytest.mark.parametrize("header", [True, False])
def test_a_stream_goes_on_where_it_ended(served: Served, header: bool) -> None:
    """By `Last-Event-ID` or by `since`: what was missed comes first, and none of it twice."""
    main = board(served.store)
    write(main, 5)
    served.sessions()

    async def work() -> list[Event]:
        events, before = await opened(served.port, 2, header)
        await events.aclose()  # type: ignore[attr-defined]
        return before

    before = run(work())
    assert [(event.kind, event.sequence) for event in before] == [
        ("change", 3),
        ("change", 4),
        ("change", 5),
        ("ready", 5),
    ]
    assert before[0].data["change"]["parts"][0]["text"].startswith("Step 2")


def test_what_was_missed_while_the_server_was_down_is_told(db: Path) -> None:
    """The store remembers what the server does not."""
    store = SQLiteStore(db)
    write(board(store), 2)
    port = free_port()
    with serving(store, port=port):
        pass
    write(board(store), 3)
    with serving(store, port=port) as second:
        _, before = run(opened(second.port, 2))
    store.close()
    assert [event.sequence for event in before] == [3, 4, 5, 5]


class SlowStore(MemoryStore):
    """One that has to be let go on when all boards that a server knows are read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.may_go_on = threading.Event(), threading.Event()

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """The boards as they were when they were asked for."""
        found = super().sessions(limit)
        if limit == MOST_KNOWN:
            self.is_asked.set()
            assert self.may_go_on.wait(PATIENCE)
        return found


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowStore:
    """A slow store with three sessions; a server reads two of them at first."""
    monkeypatch.setattr(broadcast, "FIRST_KNOWN", 2)
    monkeypatch.setattr(broadcast, "MOST_KNOWN", MOST_KNOWN)
    store = SlowStore()
    for session in ("a", "b", "c"):
        write(board(store, session), 1)
    return store


def names(served: Served) -> list[str]:
    """The sessions that a page lists."""
    return [session["session"] for session in served.sessions()["sessions"]]


def test_who_saw_only_the_first_boards_begins_anew(slow: SlowStore) -> None:
    """A page that came while the older ones were read waits for them, and asks again."""
    with serving(slow) as served:
        assert slow.is_asked.wait(PATIENCE)
        assert names(served) == ["c", "b"]

        async def work() -> list[Event]:
            opening = asyncio.create_task(opened(served.port, 3))
            await asyncio.sleep(0.1)
            assert not opening.done()
            slow.may_go_on.set()
            return (await opening)[1]

        assert [event.kind for event in run(work())] == ["reset"]
        assert names(served) == ["c", "b", "a"]
        assert [event.kind for event in run(opened(served.port, 3))[1]] == ["ready"]


def test_who_follows_only_after_the_older_boards_were_read_begins_anew_too(slow: SlowStore) -> None:
    """What it has listed before lacks them, and no change will bring them."""
    with serving(slow) as served:
        assert slow.is_asked.wait(PATIENCE)
        early = served.sessions()
        slow.may_go_on.set()
        run(opened(served.port))
        assert [event.kind for event in run(opened(served.port, early["sequence"]))[1]] == ["reset"]
        assert [event.kind for event in run(opened(served.port, served.sessions()["sequence"]))[1]] == ["ready"]


def test_what_is_deleted_while_the_older_boards_are_read_does_not_come_back(slow: SlowStore) -> None:
    """It was among them when they were asked for."""
    with serving(slow) as served:
        assert slow.is_asked.wait(PATIENCE)
        board(slow, "a").delete()
        assert names(served) == ["c", "b"]
        slow.may_go_on.set()
        run(opened(served.port))
        assert names(served) == ["c", "b"]


def test_who_missed_too_much_begins_anew(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reset says so; so does a sequence that the store never had."""
    monkeypatch.setattr(broadcast, "MOST_MISSED", 2)
    monkeypatch.setattr(broadcast, "MOST_RECENT", 1)
    write(board(served.store), 5)
    served.sessions()
    assert [event.kind for event in run(opened(served.port, 1))[1]] == ["reset"]
    assert [event.kind for event in run(opened(served.port, 999))[1]] == ["reset"]
    assert [event.kind for event in run(opened(served.port, 4))[1]] == ["change", "ready"]


def test_a_session_that_has_no_todos_any_more_is_told_as_finished(served: Served) -> None:
    """Its change says that the plan was cleared; its board is still there, to be brought back."""
    main = board(served.store)
    write(main, 1)
    served.sessions()

    async def work() -> Event:
        events, _ = await opened(served.port)
        await asyncio.to_thread(main.clear)
        return await anext(events)

    told = run(work())
    (left,) = told.data["session"]["boards"]
    assert (told.data["session"]["pace"], left["total"], left["began_at"]) == ("finished", 0, left["updated_at"])
    assert told.data["change"]["is_cleared"] is True
    assert told.data["counts"] == {"running": 0, "waiting": 0, "finished": 1}


def test_who_does_not_keep_up_is_cut_off() -> None:
    """A stream holds so much and no more; what is there is still told, then it ends."""

    async def work() -> list[int]:
        stream = broadcast.Stream(0)
        for number in range(broadcast.MOST_BEHIND + 50):
            stream.put(broadcast.StreamEvent(number, b""))
        taken = []
        while (event := await stream.take()) is not None:
            taken.append(event.sequence)
        return taken

    assert run(work()) == list(range(broadcast.MOST_BEHIND))


def test_open_streams_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is asked to come back; one that has gone makes room."""
    monkeypatch.setattr(broadcast, "MOST_STREAMS", 2)
    store = MemoryStore()
    write(board(store), 1)

    with serving(store) as served:

        async def work() -> int:
            (one, _), (two, _) = await opened(served.port), await opened(served.port)
            refused = await asyncio.to_thread(served.ask, "/api/events")
            await one.aclose()  # type: ignore[attr-defined]
            while served.streams > 1:
                await asyncio.to_thread(write, board(store), 1)
            (three, _) = await opened(served.port)
            await two.aclose()  # type: ignore[attr-defined]
            await three.aclose()  # type: ignore[attr-defined]
            assert refused.headers["retry-after"] == "5"
            return refused.status

        assert run(work()) == 503


def test_a_store_in_trouble_is_told_and_so_is_its_recovery(served: Served, db: Path) -> None:
    """The streams and the health say so; what was known is still shown, and nothing has to be restarted."""
    write(board(served.store), 1)
    served.sessions()

    async def work() -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"GET /api/events HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        await reader.readuntil(b"event: ready")
        db.rename(db.with_suffix(".kept"))
        db.write_text("what is left of a plan file")
        await reader.readuntil(b"event: trouble\n")
        told = (await reader.readline()).decode()
        writer.close()
        return told

    assert "damaged" in run(work())
    assert served.ask("/healthz").status == 503
    assert served.ask("/api/sessions").data["counts"]["waiting"] == 1
    db.with_suffix(".kept").rename(db)
    assert served.ask("/healthz").status == 200
    write(board(served.store), 1)
    assert served.sessions()["sequence"] == 2


def test_another_file_in_the_place_of_the_first_is_served(served: Served, db: Path) -> None:
    """Streams end; who comes back begins anew, with the plans of the new file alone, and hears of its changes."""
    write(board(served.store, "old"), 3)
    served.sessions()

    async def work() -> tuple[list[str], list[int]]:
        events, _ = await opened(served.port)
        for path in db.parent.glob(f"{db.name}*"):
            path.unlink()
        write(board(served.store, "new"), 1)
        async for _ in events:  # until it ends
            pass
        events, before = await opened(served.port, since=3)
        write(board(served.store, "new"), 1)
        seen = await until(events, 1)
        return [event.kind for event in before], seen

    kinds, seen = run(work())
    assert kinds == ["reset"]
    assert seen[-1] <= 2
    assert [session["session"] for session in served.sessions()["sessions"]] == ["new"]


@pytest.mark.parametrize("since", ["-1", "x", "9" * 20, "1.5", "٣"])
def test_a_place_that_is_none_is_told(served: Served, since: str) -> None:
    """A sequence is a whole number."""
    got = served.ask(f"/api/events?since={quote(since)}")
    assert (got.status, got.data["code"]) == (400, "bad_sequence")


def test_what_is_heard_before_the_follower_is_known_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread may run on before its maker does."""

    class Eager(StoreFollower):
        def __init__(self, store: Any, since: int, wake: Any) -> None:
            super().__init__(store, since, wake)
            write(board(store), 1)
            wait_until(lambda: not self._heard.empty(), "the follower hears at once")

    monkeypatch.setattr(broadcast, "StoreFollower", Eager)
    with serving(MemoryStore()) as served:
        wait_until(lambda: served.ask("/api/sessions").data["sequence"] == 1, "the change is taken in")


def test_a_damaged_plan_is_told_and_hides_no_other(db: Path) -> None:
    """The answer names it beside the others, the server is well, and its next change brings it back."""
    for session in ("release", "broken"):
        write(board(db, session), 1)
    whole = board(db, "broken").plan
    with closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute("UPDATE boards SET plan = 'rubbish' WHERE session = 'broken'")
    with closing(SQLiteStore(db)) as store, serving(store) as served:
        answer = served.ask("/api/sessions").data
        assert [session["session"] for session in answer["sessions"]] == ["release"]
        ((session, agent, why),) = [tuple(damaged.values()) for damaged in answer["damaged"]]
        assert (session, agent) == ("broken", "main") and "is damaged" in why
        assert served.ask("/healthz").status == 200
        store.commit(Key("broken", "main"), Change(whole, whole._replace(revision=whole.revision + 1)))
        wait_until(lambda: served.ask("/api/sessions").data["damaged"] == [], "the change is heard")
        assert len(served.sessions()["sessions"]) == 2


def test_a_change_that_is_damaged_is_told_and_those_after_it_are_heard(served: Served, db: Path) -> None:
    """The stream goes on behind it, in the same store, without a restart."""
    for session in ("release", "broken"):
        write(board(served.store, session), 1)
    served.sessions()
    writer = SQLiteStore(db)
    with closing(writer):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(codec, "delta_to_json", lambda before, after: "rubbish")
            board(writer, "broken").add("never heard")
        board(writer, "release").add("heard")
        wait_until(lambda: served.ask("/api/sessions").data["sequence"] == 4, "the change after it is heard")
        (damaged,) = served.ask("/api/sessions").data["damaged"]
        assert damaged["session"] == "broken"
        assert served.ask("/healthz").status == 200
