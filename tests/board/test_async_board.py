"""A board for async hosts: the same methods, awaited, and an event loop that goes on while the store waits."""

import asyncio
import inspect
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast import AsyncAttention, AsyncBoard, AsyncSession, Attention, Board, Change, Session
from holdfast.board.async_board import CallQueue
from holdfast.errors import UsageError
from holdfast.stores.sqlite import SQLiteStore

A_B = {"todos": [{"content": "A"}, {"content": "B"}]}
SYNC_ONLY = {"attach", "on_write", "count_tokens", "count_reminder", "for_person", "leases", "apply", "refuse"}
SYNC_ONLY |= {"write_in", "resume_work", "mark_edits_told", "work", "detach", "turn"}
"""What only a host's own machinery needs: `board.board` and `session.session` have it."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process writes into the file, and takes its time."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.parametrize(
    "moment",
    [
        lambda session: session.board.write(A_B),
        lambda session: session.board.add("C"),
        lambda session: session.attention.before_request(),
    ],
    ids=["write", "add", "before_request"],
)
def test_a_locked_file_never_holds_up_the_loop(
    moment: Callable[[AsyncSession], Coroutine[Any, Any, object]], tmp_path: Path
) -> None:
    """Whoever finds the file locked waits in a thread; everything else goes on, and then the call comes through."""
    path = tmp_path / "plans.db"
    board = Board(store=path)
    board.write({"todos": [{"content": "Old"}]})
    board.add("Of a person")  # it is to be told, and that it was told is written

    async def main() -> None:
        session = AsyncSession(store=SQLiteStore(path, busy_wait=20))
        await session.board.plan
        with locked(path):
            waiting = asyncio.create_task(moment(session))
            for _ in range(20):
                await asyncio.sleep(0.01)
            assert not waiting.done()
        assert await waiting is not None
        session.board.board.store.close()

    asyncio.run(main())
    board.store.close()


def test_calls_are_made_in_their_order(tmp_path: Path) -> None:
    """Writes that are asked for at once are written one after the other."""

    async def main() -> None:
        board = AsyncBoard(store=tmp_path / "plans.db", rules=None)
        await asyncio.gather(*(board.add(f"{number}") for number in range(20)))
        assert [todo.content for todo in (await board.plan).todos] == [f"{number}" for number in range(20)]
        assert len(await board.history()) == 20
        board.board.store.close()

    asyncio.run(main())


def test_a_board_goes_from_one_loop_to_the_next(tmp_path: Path) -> None:
    """A host may run several loops in its life."""
    board = AsyncBoard(store=tmp_path / "plans.db")

    async def add(content: str) -> None:
        await asyncio.gather(board.add(content), board.add(f"{content}, too"))

    asyncio.run(add("A"))
    asyncio.run(add("B"))
    assert len(board.board.plan.todos) == 4
    board.board.store.close()


def test_listeners_are_called_on_the_loop_before_the_answer(tmp_path: Path) -> None:
    """A listener may be a coroutine function; it never has to think of threads."""
    heard: list[int] = []
    loops: list[object] = []

    async def main() -> None:
        session = AsyncSession(store=tmp_path / "plans.db")

        def listen(change: Change) -> None:
            heard.append(change.after.revision)
            loops.append(asyncio.get_running_loop())

        async def listen_later(change: Change) -> None:
            heard.append(-change.after.revision)

        end = session.board.on_change(listen)
        session.board.on_change(listen_later)
        todos: list[int] = []
        session.on_todos(lambda those: todos.append(len(those)))
        await session.board.write(A_B)
        assert heard[0] == 1
        end()
        await session.board.add("C")
        await asyncio.sleep(0)
        assert heard == [1, -1, -2]
        assert todos == [2, 3]
        assert loops == [asyncio.get_running_loop()]
        session.board.board.store.close()

    asyncio.run(main())


def test_the_tool_is_an_async_function() -> None:
    """Frameworks that read a signature find the same one as in `Board.function`."""

    async def main() -> None:
        board = AsyncBoard()
        function = board.function()
        assert str(inspect.signature(function)) == str(inspect.signature(board.board.function()))
        assert inspect.iscoroutinefunction(function)
        assert await function(todos=[{"content": "A"}]) == "Saved 1. 0/1 done. Next 1: A"
        with pytest.raises(UsageError, match="functions"):
            AsyncBoard(dialect="claude-tasks").function()

    asyncio.run(main())


def test_a_session_is_the_same_session() -> None:
    """Subagents, plan mode, tokens and the driver are those of the session behind it."""

    async def main() -> None:
        session = AsyncSession(name="s", policy="rail")
        reminder = await session.attention.before_request()
        assert reminder is not None and reminder.text.startswith("First write the plan")
        session.plan_mode = True
        assert session.plan_mode and session.tools() == []
        assert not (await session.board.write(A_B)).ok
        session.plan_mode = False
        assert (await session.board.write(A_B)).ok
        helper = session.subagent("helper")
        await helper.write(A_B)
        await session.dismiss("helper")
        assert not (await helper.plan).todos
        assert (await session.tokens).calls > 0

    asyncio.run(main())


@pytest.mark.parametrize("is_made", [True, False])
def test_a_host_says_that_it_constrains_before_or_after_the_first_moment(is_made: bool) -> None:
    """It is no question to the store, so nothing is awaited."""

    async def main() -> None:
        attention = AsyncAttention(AsyncBoard(policy="rail"))
        assert not attention.constrains
        if is_made:
            await attention.before_request()
        attention.constrains = True
        await attention.know_tools([{"name": "bash", "parameters": {"properties": {"command": {}}}}])
        await attention.on_user_message("Do this:\n- delete a.txt\n- delete b.txt")
        reminder = await attention.before_request()
        assert attention.constrains and reminder is not None
        assert reminder.text == "Now do item 1 with the tool that fits best: delete a.txt"

    asyncio.run(main())


@pytest.mark.parametrize(("kind", "sync"), [(AsyncBoard, Board), (AsyncAttention, Attention), (AsyncSession, Session)])
def test_nothing_that_a_host_needs_is_missing(kind: type, sync: type) -> None:
    """Each public method has the same name and the same parameters as its sync form."""
    for name, method in inspect.getmembers(sync, inspect.isfunction):
        if name.startswith("_") or name in SYNC_ONLY:
            continue
        given = [*inspect.signature(getattr(kind, name)).parameters]
        assert given == [*inspect.signature(method).parameters], name


def test_a_plan_in_memory_needs_no_thread() -> None:
    """It answers at once, so a write costs what it costs without a loop."""
    board = Board()

    async def main() -> None:
        thread = await CallQueue(board.store).call(asyncio.get_running_loop)
        assert thread is asyncio.get_running_loop()

    asyncio.run(main())
