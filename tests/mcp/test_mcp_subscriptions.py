"""Hearing of changes: from now on, from everybody, and not a moment longer than somebody listens."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.exceptions import MCPError
from mcp_driving import MODERN, bounded, over_http, serving

from holdfast import Board
from holdfast.mcp import subscriptions
from holdfast.mcp.conversations import ClientConversations
from holdfast.mcp.projects import Projects
from holdfast.mcp.server import PlanServer, server
from holdfast.mcp.subscriptions import StoreSubscribers, Subscriptions
from holdfast.stores import Record, Store, codec

TODOS = {"todos": [{"content": "A"}]}


@asynccontextmanager
async def subscribed(store: Store, sender: MemoryObjectSendStream[Record]) -> AsyncIterator[StoreSubscribers]:
    """The subscribers of a store: one, until the block ends. Then the thread that followed the store ends by itself."""
    before = set(threading.enumerate())
    async with anyio.create_task_group() as tasks:
        subscribers = StoreSubscribers(store, tasks)
        await subscribers.catch_up()
        remove = subscribers.add(sender.send_nowait)
        yield subscribers
        remove()
    while any(thread.name == "holdfast follower" for thread in set(threading.enumerate()) - before):
        await anyio.sleep(0.01)


@bounded
async def test_it_hears_from_now_on_and_ends_with_its_last_subscriber(tmp_path: Path) -> None:
    """What was before is not told; what comes is, in order; and with nobody left to tell, the store is left alone."""
    board = Board(dialect="holdfast", store=tmp_path / "plans.db")
    board.write(TODOS)
    other = Board(dialect="holdfast", store=tmp_path / "plans.db")
    sender, heard = anyio.create_memory_object_stream[Record](10)
    with sender, heard:
        async with subscribed(board.store, sender) as subscribers:
            other.add("B")
            other.add("C")
            assert [len((await heard.receive()).change.after.todos) for _ in range(2)] == [2, 3]
        assert len(subscribers) == 0
        other.add("D")
        assert heard.statistics().current_buffer_used == 0
    other.store.close()
    board.store.close()


@bounded
async def test_it_goes_over_to_another_file_in_the_place_of_the_first(tmp_path: Path) -> None:
    """Somebody sets the file aside: what is in the new one is heard from its beginning."""
    board = Board(dialect="holdfast", store=tmp_path / "plans.db")
    for content in ("A", "B", "C"):
        board.add(content)
    sender, heard = anyio.create_memory_object_stream[Record](10)
    with sender, heard:
        async with subscribed(board.store, sender):
            for each in tmp_path.glob("plans.db*"):
                each.unlink()
            board.add("Anew")
            record = await heard.receive()
            assert (record.sequence, record.change.after.todos[0].content) == (1, "Anew")
    board.store.close()


@bounded
async def test_it_can_be_begun_again(tmp_path: Path) -> None:
    """Somebody who listens after a pause hears of what comes then."""
    board = Board(dialect="holdfast", store=tmp_path / "plans.db")
    sender, heard = anyio.create_memory_object_stream[Record](10)
    with sender, heard:
        for content in ("A", "B"):
            async with subscribed(board.store, sender):
                board.add(content)
                assert (await heard.receive()).change.after.todos[-1].content == content
    board.store.close()


@bounded
async def test_a_store_in_trouble_is_asked_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file that cannot be read for a while costs a line in the log, and no subscriber."""
    board = Board(dialect="holdfast", store=tmp_path / "plans.db")
    board.write(TODOS)
    sender, heard = anyio.create_memory_object_stream[Record](10)
    with sender, heard:
        async with subscribed(board.store, sender):
            whole = tmp_path / "plans.db"
            whole.rename(tmp_path / "aside")
            whole.mkdir()
            while not caplog.records:
                await anyio.sleep(0.05)
            whole.rmdir()
            (tmp_path / "aside").rename(whole)
            board.add("B")
            assert len((await heard.receive()).change.after.todos) == 2
    assert "trouble while following the plans" in caplog.text
    board.store.close()


@bounded
async def test_a_change_that_is_damaged_costs_only_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is a line in the log that names it, and what comes after it is heard."""
    broken, well = (
        Board(dialect="holdfast", store=tmp_path / "plans.db", session=session) for session in ("broken", "well")
    )
    well.write(TODOS)
    sender, heard = anyio.create_memory_object_stream[Record](10)
    with sender, heard:
        async with subscribed(well.store, sender):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(codec, "delta_to_json", lambda before, after: "rubbish")
                broken.add("never heard")
            well.add("B")
            assert (await heard.receive()).sequence == 3
    assert "session 'broken', agent 'main' is damaged" in caplog.text
    broken.store.close()
    well.store.close()


class Watched:
    """A server whose subscriptions can be looked at."""

    def __init__(self, store: Path) -> None:
        self.projects = Projects({}, str(store))
        self.server: PlanServer = server(ClientConversations(self.projects, session="s"))
        self.subscriptions: list[Subscriptions] = []
        begin = self.server.lifespan

        @asynccontextmanager
        async def lifespan(made: Any) -> AsyncIterator[Subscriptions]:
            async with begin(made) as subscriptions:
                self.subscriptions.append(subscriptions)
                yield subscriptions

        self.server.lifespan = lifespan

    @property
    def subscribers(self) -> int:
        """How many are told of changes now."""
        return sum(subscriptions.count for subscriptions in self.subscriptions)

    async def until_there_are(self, count: int) -> None:
        """Wait until so many are told of changes."""
        while self.subscribers != count:
            await anyio.sleep(0.01)


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
@bounded
async def test_a_subscription_ends_with_its_connection(tmp_path: Path) -> None:
    """A client that is gone is told no more, whether it had unsubscribed or not; twice subscribed is once."""
    watched = Watched(tmp_path / "plans.db")
    with serving(watched.server) as url:
        async with over_http(url) as client:
            await client.subscribe_resource("holdfast://plan")
            await client.subscribe_resource("holdfast://plan")
            await client.subscribe_resource("holdfast://sessions")
            assert watched.subscribers == 2
            await client.unsubscribe_resource("holdfast://plan")
            assert watched.subscribers == 1
        await watched.until_there_are(0)
    watched.projects.close()


@bounded
async def test_a_stream_ends_with_its_client(tmp_path: Path) -> None:
    """Since 2026-07-28, a closed stream is the end of what it asked for."""
    watched = Watched(tmp_path / "plans.db")
    with serving(watched.server) as url:
        async with over_http(url, MODERN) as client:
            async with client.listen(resource_subscriptions=["holdfast://plan"]):
                assert watched.subscribers == 1
            await watched.until_there_are(0)
    watched.projects.close()


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
@bounded
async def test_there_is_an_end_to_subscribers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes when too many are subscribed is told so, and may call tools all the same."""
    monkeypatch.setattr(subscriptions, "MOST_SUBSCRIBERS", 1)
    watched = Watched(tmp_path / "plans.db")
    with serving(watched.server) as url:
        async with over_http(url) as client:
            await client.subscribe_resource("holdfast://plan")
            with pytest.raises(MCPError, match="1 clients are subscribed already: try again later"):
                await client.subscribe_resource("holdfast://sessions")
            assert not (await client.call_tool("TodoWrite", TODOS)).is_error
    watched.projects.close()
