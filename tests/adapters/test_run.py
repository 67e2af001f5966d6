"""The driver that the adapters share: what is said where, what is in sight, and which runs are remembered."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from patience import PATIENCE

from holdfast import Board, Plan
from holdfast.adapters.run import ModelCall, Note, Run, RunningTool
from holdfast.adapters.runs import MOST_RUNS, Runs
from holdfast.attention.policies import QUIET
from holdfast.errors import UsageError
from holdfast.stores import Key, MemoryStore

A_B = {"todos": [{"content": "A"}, {"content": "B"}]}
SHOWN = "<plan>\n0 of 2 todos are done. Still open:\n1. [pending] A\n2. [pending] B\nGo on with 1.\n</plan>"


def written(call: str = "1") -> Run:
    """A run whose model has written a plan by this call."""
    run = Run(Board(policy=QUIET))
    run.request(["go"], [])
    assert run.write(A_B, call).ok
    return run


def test_a_plan_in_sight_is_not_restated() -> None:
    """While the write is among the calls, nothing is said."""
    assert written().request(["go", "write", "reply"], ["1"]) == []


def test_a_plan_out_of_sight_is_restated_and_stays_where_it_was() -> None:
    """The block follows the message that was the last one then, in every request that still has that message."""
    run = written()
    assert run.request(["summary", "x"], []) == [Note(1, SHOWN)]
    assert run.request(["summary", "x", "y"], []) == [Note(1, SHOWN)]
    assert run.request(["x", "y", "z"], []) == [Note(0, SHOWN)], "the messages before it may go"
    assert run.request(["another summary", "z"], []) == [Note(1, SHOWN)], "without its message it is said anew"


def test_an_update_by_id_needs_the_list_that_it_updates() -> None:
    """A call that marks one todo shows nobody the others: the plan is in sight only with all its calls."""
    run = written("1")
    run.request(["go"], ["1"])
    run.board.record_tool_use("bash")
    assert run.write({"todos": [{"id": "1", "status": "completed"}]}, "2").ok
    assert run.request(["go"], ["1", "2"]) == []
    [note] = run.request(["go"], ["2"])
    assert "2. [in_progress] B" in note.text


def test_a_whole_list_makes_older_calls_and_news_needless() -> None:
    """After a newer list the model misses nothing when the old ones go."""
    run = written("1")
    run.board.add("Of a person")
    assert "Of a person" in run.request(["go"], ["1"])[0].text
    assert run.write({"todos": [{"content": "C"}]}, "2").ok
    assert run.request(["summary"], ["2"]) == []


def test_news_that_is_gone_takes_the_plan_out_of_sight() -> None:
    """An edit that was reported after a message that is now gone is reported again, with the plan."""
    run = written("1")
    run.board.add("Of a person")
    run.request(["go", "x"], ["1"])
    [note] = run.request(["go"], ["1"])
    assert note.text.startswith("<plan>")
    assert "Of a person" in note.text


def test_a_call_that_is_made_again_gets_its_first_reply() -> None:
    """A workflow whose worker went away repeats the call: it is the same write, not a second one."""
    run = Run(Board(policy=QUIET.replace(one_write=True)))
    run.request(["go"], [])
    first = run.write(A_B, "1")
    assert run.write(A_B, "1") is first
    assert run.board.plan.revision == 1
    assert run.write(A_B, "2").faults[0].code == "second_write"
    run.request(["go"], ["1"])
    assert run.write({"todos": [{"content": "C"}]}, "1").ok, "ids are an answer's own"


def test_a_refused_write_leaves_the_turn_to_the_next() -> None:
    """Only a list that was taken is the one that counts."""
    run = Run(Board(policy=QUIET))
    run.request(["go"], [])
    assert not run.write({"todos": [{"content": ""}]}, "1").ok
    assert run.write(A_B, "2").ok
    assert run.write(A_B, "3").faults[0].code == "second_write"


def test_a_call_that_is_cancelled_holds_up_no_write_after_it() -> None:
    """It waits for a write before it, and gives up: what comes after it does not wait for its end."""
    run = Run(Board())
    (tool,) = run.tools
    run.on_answer([ModelCall("a", tool), ModelCall("b", "bash"), ModelCall("c", tool)])

    async def main() -> None:
        run.tool_started("a")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05), RunningTool(run, "bash", {}, "b"):
                pass
        run.tool_skipped("a")
        async with asyncio.timeout(PATIENCE):
            assert (await run.write_async({"todos": [{"content": "Do it"}]}, "c")).ok

    asyncio.run(main())


def test_drivers_are_forgotten_before_plans_are(tmp_path: Path) -> None:
    """However many sessions there are, so many drivers are kept; the store has every plan."""
    runs = Runs(store=tmp_path / "plans.db")
    runs.get("first").write(A_B)
    for number in range(MOST_RUNS):
        runs.get(f"session {number}")
    assert len(runs.all()) == MOST_RUNS
    again = runs.get("first")
    assert [todo.content for todo in again.board.plan.todos] == ["A", "B"]
    assert again.request(["go"], []) == [Note(0, SHOWN)]


def test_another_model_goes_on_with_the_plan_in_its_own_dialect() -> None:
    """The plan stays, the tool changes, and the same model keeps its driver."""
    runs = Runs()
    first = runs.get("a", model="claude-sonnet-5")
    first.board.add("A")
    assert runs.get("a") is first
    second = runs.get("a", model="gpt-5.5")
    assert (set(first.tools), set(second.tools)) == ({"TodoWrite"}, {"update_plan"})
    assert [todo.content for todo in second.board.plan.todos] == ["A"]


def test_what_cannot_be_is_refused_at_once() -> None:
    """An unknown policy or dialect is refused when the adapter is made."""
    with pytest.raises(UsageError, match="no policy 'loud'"):
        Runs(policy="loud")  # type: ignore[arg-type] # what an unchecked host sends
    with pytest.raises(UsageError, match="no dialect 'klingon'"):
        Runs(dialect="klingon")  # type: ignore[arg-type] # what an unchecked host sends


def test_a_plan_in_memory_is_kept_however_many_conversations_there_are() -> None:
    """Only the drivers are forgotten, and a plan that its adapter forgets on purpose."""
    runs = Runs()
    runs.get("first").write(A_B)
    for number in range(MOST_RUNS):
        runs.get(f"session {number}")
    assert len(runs.get("first").board.plan.todos) == 2
    runs.forget("first")
    assert not runs.get("first").board.plan.todos


def test_nobody_waits_while_another_run_is_made() -> None:
    """One user's slow store holds up neither the loop nor a run that is there already."""

    class SlowStore(MemoryStore):
        """Takes its time for one session."""

        def load(self, key: Key) -> Plan:
            if key.session == "slow":
                release.wait(5)
            return super().load(key)

    release = threading.Event()
    runs = Runs(store=SlowStore())

    async def main() -> None:
        fast = await runs.get_async("fast")
        slow = asyncio.create_task(runs.get_async("slow"))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(1):
            assert await runs.get_async("fast") is fast
            await runs.get_async("another")
        assert not slow.done()
        release.set()
        assert await slow is runs.get("slow")

    asyncio.run(main())


def test_two_who_ask_at_once_get_the_same_run() -> None:
    """A run that lost the race is thrown away, with nothing done on it."""
    barrier = threading.Barrier(2)

    class SlowStore(MemoryStore):
        """Both builders read the plan at the same time."""

        def load(self, key: Key) -> Plan:
            with suppress(threading.BrokenBarrierError):
                barrier.wait(0.2)
            return super().load(key)

    runs = Runs(store=SlowStore())
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(runs.get, ["a", "a"])
    assert first is second
