"""One behaviour in every framework: the tool, its rules, reminders, compaction, the stop gate, and plans kept apart."""

import asyncio
import importlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import prompt_cache
import pytest
from adapter_driver import ASK, ENVIRONMENTS, FAIL, HERE, LACKS, LOOPS, SLOW_WORK, WORK, Call, Driver, Ran, mark, write
from docs_table import RECIPES, table

from holdfast import Board, Change, Plan, Status
from holdfast.attention.policies import QUIET
from holdfast.errors import StoreError
from holdfast.stores import Key, MemoryStore, Record, StoredPlan
from holdfast.stores.sqlite import SQLiteStore

DRIVEN = [
    name for names in ENVIRONMENTS.values() for name in names if (Path(__file__).parent / f"driver_{name}.py").exists()
]
"""The frameworks of the suite."""

PATIENCE = 10.0
"""How many seconds an event loop has to turn once: a loaded machine is no stall."""

pytestmark = [
    pytest.mark.filterwarnings(r"ignore:\[EXPERIMENTAL\]:UserWarning"),  # ADK says so of its compaction
    pytest.mark.filterwarnings(r"ignore:\[HARNESS\]"),  # Microsoft's Agent Framework, of its loop
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test runs in every framework of this environment, except in those that say why not."""
    if "framework" in metafunc.fixturenames:
        test = metafunc.function.__name__
        names = [name for name in HERE if name in DRIVEN and test not in LACKS.get(name, ())]
        metafunc.parametrize("framework", names, indirect=True)


@pytest.fixture
def framework(request: pytest.FixtureRequest) -> type[Driver]:
    """A framework, imported when it is needed."""
    kind: type[Driver] = importlib.import_module(f"driver_{request.param}").Driver
    return kind


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def asynchronous(request: pytest.FixtureRequest) -> bool:
    """Whether the framework is called from an event loop."""
    return bool(request.param)


def contents(plan: Plan) -> list[str]:
    """What a plan says."""
    return [todo.content for todo in plan.todos]


def test_a_write_is_taken_and_answered(framework: type[Driver], asynchronous: bool) -> None:
    """The model's write is its plan, and the one-line reply is in its next request."""
    ran = framework().run([write("Read", "Fix")], "done", asynchronous=asynchronous)
    assert contents(ran.plan) == ["Read", "Fix"]
    assert "Saved 1-2. 0/2 done. Next 1: Read" in ran.requests[1].tail


def test_the_model_gets_the_tool_and_the_prompt(framework: type[Driver]) -> None:
    """The raw schema is sent, and the prompt stands behind the agent's own instructions."""
    request = framework().run("done").requests[0]
    prompt = Board().prompt.replace("TodoWrite", framework.tool)
    assert prompt in request.system
    assert request.system.index("You work.") < request.system.index(prompt)
    assert f'"{framework.tool.rpartition("__")[2]}"' in request.tools
    assert '"maxItems": 50' in request.tools


@pytest.mark.parametrize(
    ("model", "call"),
    [
        ("gpt-5.5", Call("update_plan", {"plan": [{"step": "Read", "status": "pending"}]})),
        ("gemini-3-pro", Call("write_todos", {"todos": [{"description": "Read", "status": "pending"}]})),
    ],
)
def test_a_model_speaks_the_dialect_that_it_knows(framework: type[Driver], model: str, call: Call) -> None:
    """By its name a model gets the tool that it was trained on; the plan is the same."""
    ran = framework().run([call], "done", model=model)
    assert f'"{call.name}"' in ran.requests[0].tools
    assert contents(ran.plan) == ["Read"]


def test_a_dialect_may_have_several_tools(framework: type[Driver], asynchronous: bool) -> None:
    """Each of them is there, and several calls of them in one turn all count."""
    first, second = (Call("TaskCreate", {"subject": name, "description": name}) for name in ("Read", "Fix"))
    ran = framework(dialect="claude-tasks").run([first, second], [Call("TaskList")], "done", asynchronous=asynchronous)
    assert sorted(contents(ran.plan)) == ["Fix", "Read"]
    assert "[pending]" in ran.requests[2].tail


def test_a_bad_write_is_answered_with_every_fault(framework: type[Driver], asynchronous: bool) -> None:
    """What no framework checks, Holdfast does: the plan stays, and the reply says what was wrong and where."""
    bad = write({"content": "Read", "status": "someday"}, {"content": ""})
    ran = framework().run([write("Keep")], [bad], "done", asynchronous=asynchronous)
    assert contents(ran.plan) == ["Keep"]
    assert "todos[0].status" in ran.requests[2].tail
    assert "todos[1].content" in ran.requests[2].tail


def test_one_write_a_turn_counts(framework: type[Driver], asynchronous: bool) -> None:
    """Of two writes side by side the first one in order stands, and the other one gets an error."""
    ran = framework().run([write("First"), write("Second")], "done", asynchronous=asynchronous)
    assert contents(ran.plan) == ["First"]
    assert ran.requests[1].says("one plan write a turn")


def test_a_turn_later_the_next_write_counts(framework: type[Driver], asynchronous: bool) -> None:
    """The limit is a turn's, not a run's."""
    ran = framework().run([write("First")], [WORK], [write("Second")], "done", asynchronous=asynchronous)
    assert contents(ran.plan) == ["Second"]


def test_work_and_its_completion_in_one_answer_are_taken(framework: type[Driver], asynchronous: bool) -> None:
    """Frameworks run the calls of an answer side by side: the mark still comes after the work before it."""
    ran = framework("rail").run([write("A")], [SLOW_WORK, mark("1")], "done", asynchronous=asynchronous)
    assert not ran.keeps("nothing was done since the last plan write")
    assert ran.plan.is_finished


def test_work_after_a_write_in_one_answer_is_work_for_what_comes_next(
    framework: type[Driver], asynchronous: bool
) -> None:
    """The write does not take the report of a call that stands after it."""
    steps = [write("A", "B")], [WORK], [mark("1"), WORK], [mark("2")]
    assert framework("rail").run(*steps, "done", asynchronous=asynchronous).plan.is_finished


def test_a_mark_before_a_failed_call_of_the_same_answer_is_no_completion(framework: type[Driver]) -> None:
    """The order is kept, not the wish: work that failed finishes nothing."""
    ran = framework("rail").run([write("A")], [FAIL, mark("1")], "Shall I?")
    assert ran.requests[2].says("nothing was done since the last plan write")
    assert not ran.plan.is_finished


def test_two_users_at_once_have_plans_of_their_own(framework: type[Driver]) -> None:
    """One adapter serves both at the same time, and neither sees a word of the other's plan."""
    driver = framework("rail")

    def serve(user: str) -> Ran:
        steps = [write(f"For {user}", "Rest")], [SLOW_WORK], [mark("1")], "Go on?"
        return driver.run(*steps, conversation=user, asynchronous=True)

    with ThreadPoolExecutor(2) as pool:
        alice, bob = pool.map(serve, ["alice", "bob"])
    assert (contents(alice.plan), contents(bob.plan)) == (["For alice", "Rest"], ["For bob", "Rest"])
    assert not any(request.says("For bob") for request in alice.requests)
    assert not any(request.says("For alice") for request in bob.requests)
    assert len(alice.plan.done) == len(bob.plan.done) == 1


def test_an_outage_of_the_store_never_ends_a_run(framework: type[Driver], asynchronous: bool) -> None:
    """The model is told that its plan could not be saved, and goes on; once the store is back, so is the plan."""
    store = Durable()
    driver = framework("rail", store)
    store.is_down = True
    ran = driver.run([write("A", "B")], [WORK], "Go on?", conversation="a", asynchronous=asynchronous)
    assert len(ran.requests) == 3
    assert ran.requests[1].says("could not be saved")
    store.is_down = False
    ran = driver.run([write("A", "B")], [WORK], "Go on?", conversation="a", asynchronous=asynchronous)
    assert contents(ran.plan) == ["A", "B"]


@pytest.mark.parametrize("after", range(1, 14, 3))
def test_an_outage_in_the_middle_of_a_run_never_ends_it(framework: type[Driver], after: int) -> None:
    """Wherever the store goes away, the agent comes to its end."""
    store = Durable()
    driver = framework("rail", store)
    store.fails_after = after
    ran = driver.run([write("A", "B")], [WORK], [mark("1")], "Go on?", conversation="a", asynchronous=True)
    assert len(ran.requests) == 4


def test_runs_have_plans_of_their_own(framework: type[Driver], asynchronous: bool) -> None:
    """What one run planned does not show in the next one."""
    driver = framework()
    driver.run([write("Of the first run")], "done", asynchronous=asynchronous)
    second = driver.run([WORK], "done", asynchronous=asynchronous)
    assert not second.plan.todos
    assert not any(request.says("Of the first run") for request in second.requests)


def test_conversations_have_plans_of_their_own(framework: type[Driver]) -> None:
    """Two conversations of one agent do not mix, and each goes on with its own plan."""
    driver = framework()
    driver.run([write("A one", "A two")], "done", conversation="a")
    driver.run([write("B one")], "done", conversation="b")
    again = driver.run([WORK], [mark("1")], "done", conversation="a")
    assert [todo.status for todo in again.plan.todos] == [Status.COMPLETED, Status.IN_PROGRESS]
    assert not any(request.says("B one") for request in again.requests)


def test_a_subagent_has_a_plan_of_its_own(framework: type[Driver], asynchronous: bool) -> None:
    """Each call of a subagent writes a list of its own, side by side with others, and the main agent's stays."""
    store = MemoryStore()
    ran = framework(store=store).run([write("Ask", "Tell")], [ASK, ASK], "done", asynchronous=asynchronous)
    assert contents(ran.plan) == ["Ask", "Tell"]
    assert sorted(contents(kept.plan) for kept in store.sessions()) == [["Ask", "Tell"], ["Look it up"], ["Look it up"]]
    assert ran.keeps("found")


def test_off_says_nothing(framework: type[Driver]) -> None:
    """Under `off` no request has a word beside the conversation."""
    ran = framework("off").run([write("A", "B")], *[[WORK]] * 12, "done")
    assert not any(request.says("<reminder>") or request.says("<plan>") for request in ran.requests)
    assert len(ran.requests[-1].messages) == len(ran.history) - 1


def test_a_stale_plan_is_named_at_the_tail_once(framework: type[Driver], asynchronous: bool) -> None:
    """The reminder ends one request; neither the next one nor the history has it."""
    policy = QUIET.replace(stale_after=2, breaks_loops=False)
    ran = framework(policy).run([write("A", "B")], [WORK], [WORK], [WORK], "done", asynchronous=asynchronous)
    said = [request.says("Is the plan still right?") for request in ran.requests]
    assert said == [False, False, False, True, not framework.forgets]
    assert "Is the plan still right?" in ran.requests[3].tail
    assert ran.keeps("Is the plan still right?") is not framework.forgets


def test_rail_leads_from_item_to_item(framework: type[Driver], asynchronous: bool) -> None:
    """Plan first, then the current item at the tail, then word of what became of it."""
    ran = framework("rail").run(
        [WORK], [write("A", "B")], [WORK], [mark("1")], [WORK], [mark("2")], "done", asynchronous=asynchronous
    )
    assert f"First write the plan with {framework.tool}" in ran.requests[0].tail
    assert "Now do item 1 with the tool that fits best: A" in ran.requests[2].tail
    assert "Is item 1 (A) done now?" in ran.requests[3].tail
    assert "Now do item 2 with the tool that fits best: B" in ran.requests[4].tail
    assert ran.plan.is_finished
    assert ran.keeps("Now do item") is not framework.forgets


def test_rail_names_the_shell_that_the_agent_has(framework: type[Driver], asynchronous: bool) -> None:
    """A small model that has many tools needs to hear which one to take."""
    steps = [write("A")], [Call("bash", {"command": "make A"})], [mark("1")]
    ran = framework("rail").run(*steps, "done", asynchronous=asynchronous, with_shell=True)
    assert "Your next action is bash, with one command that does it." in ran.requests[1].tail
    assert ran.plan.is_finished


def test_quiet_helps_a_model_that_only_writes_its_plan(framework: type[Driver], asynchronous: bool) -> None:
    """Once the agent's tools are known, it can be told that there are others than the plan's."""
    ran = framework().run(*[[write("A", "B")]] * 5, [WORK], "Shall I go on?", asynchronous=asynchronous)
    said = [f"another tool than {framework.tool}" in request.tail for request in ran.requests]
    assert said == [False] * 5 + [True, False]


def test_rail_takes_no_completion_without_work(framework: type[Driver], asynchronous: bool) -> None:
    """The board learns of the use of other tools, and accepts no other proof of work."""
    steps = [write("A", "B")], [mark("1")], [WORK], [mark("1")], [WORK], [mark("2")]
    ran = framework("rail").run(*steps, "done", asynchronous=asynchronous)
    assert ran.requests[2].says("nothing was done since the last plan write")
    assert ran.plan.is_finished


def test_a_failed_call_is_no_work(framework: type[Driver], asynchronous: bool) -> None:
    """Where the framework reports that a call failed, the model is asked for another way."""
    policy = "rail"
    ran = framework(policy).run(
        [write("A")], [FAIL], [mark("1")], [WORK], [mark("1")], "done", asynchronous=asynchronous
    )
    assert "That failed. Do item 1 another way, with another tool or command: A" in ran.requests[2].tail
    assert ran.requests[3].says("nothing was done since the last plan write")
    assert ran.plan.is_finished


def test_the_plan_comes_back_after_the_frameworks_own_compaction(framework: type[Driver], asynchronous: bool) -> None:
    """When the write has left the messages, the next request shows the open todos, and so do those after it."""
    ran = framework().run(
        [write("Read", "Fix", "Test")],
        [WORK],
        [mark("1")],
        *[[WORK]] * 6,
        "done",
        asynchronous=asynchronous,
        compacted=True,
    )
    assert any(not request.says("Saved 1-3") for request in ran.requests[3:])
    for request in ran.requests[3:]:
        assert request.says("Saved 1-3") or request.says("2. [in_progress] Fix\n3. [pending] Test")
    assert not framework.forgets or not ran.keeps("<plan>")


def test_a_plan_without_open_todos_never_comes_back(framework: type[Driver]) -> None:
    """A finished plan is closed: compaction or not, nothing is said of it."""
    ran = framework().run([write("A")], [WORK], [mark("1")], *[[WORK]] * 6, "done", compacted=True)
    assert not any(request.says("<plan>") for request in ran.requests)


def test_the_gate_holds_a_model_with_work_left(framework: type[Driver], asynchronous: bool) -> None:
    """A model that would end is told what is open; with no progress it may stop."""
    policy = QUIET.replace(holds=2)
    ran = framework(policy).run([write("A", "B")], "all done", "really", "truly", asynchronous=asynchronous)
    assert len(ran.requests) == 4
    assert "2 of 2 todos are still open. Next 1: A" in ran.requests[2].tail
    assert ran.history[-1].endswith("truly")


def test_the_gate_lets_a_question_through(framework: type[Driver], asynchronous: bool) -> None:
    """A model that waits for the user's answer is not held."""
    policy = QUIET.replace(holds=2)
    ran = framework(policy).run([write("A", "B")], "Shall I go on?", asynchronous=asynchronous)
    assert len(ran.requests) == 2


def test_a_stream_has_its_plan_its_reminders_and_its_gate(framework: type[Driver]) -> None:
    """Whoever reads an answer as it comes gets the same."""
    ran = framework("rail").run(
        [write("A", "B")], [WORK, mark("1")], "all done", [WORK, mark("2")], "done", streamed=True
    )
    assert "Now do item 1 with the tool that fits best: A" in ran.requests[1].tail
    assert ran.requests[3].says("Now 2: B. Do it, or cancel what is not needed.")
    assert ran.plan.is_finished


def test_without_a_gate_the_model_ends_when_it_likes(framework: type[Driver]) -> None:
    """Quiet holds nobody."""
    assert len(framework().run([write("A", "B")], "done").requests) == 2


@pytest.mark.parametrize("policy", ["off", "quiet", "rail"])
def test_the_prefix_is_the_same_over_a_whole_run(framework: type[Driver], policy: str) -> None:
    """System prompt and tools are byte-identical in every request, whatever happens to the plan and the messages."""
    steps = [write("A", "B")], [WORK], [mark("1")], [write("C", "D")], [FAIL], [WORK], [mark("2")]
    requests = framework(policy).run(*steps, *["on"] * 4, compacted=True).requests
    assert len(requests) > 7
    assert len({(request.system, request.tools) for request in requests}) == 1


def test_a_request_begins_as_the_one_before_it_did(framework: type[Driver]) -> None:
    """But for a reminder at its tail, a request is only ever added to; so prompt caches hold."""
    driver = framework(QUIET.replace(stale_after=2, breaks_loops=False))
    driver.run([write("A", "B")], "done", conversation="a")
    driver.board("a").add("Of a person")
    requests = driver.run(*[[WORK]] * 5, "done", conversation="a").requests
    assert "Of a person" in requests[0].tail
    for before, after in pairwise(requests):
        kept = [text for text in before.messages if not (framework.forgets and "Is the plan still right?" in text)]
        assert list(after.messages[: len(kept)]) == kept


def test_the_cache_holds_under_rail(framework: type[Driver]) -> None:
    """Though every request ends with a reminder, as much is read from the cache as the docs say."""
    ran = framework("rail").run(*prompt_cache.STEPS)
    assert len(ran.requests) == len(prompt_cache.STEPS)
    name = framework.__module__.removeprefix("driver_")
    page = "recipes.md" if name in RECIPES.values() else "frameworks.md"
    (cells,) = table("caches", page).values()
    told = int(cells[name].rstrip("%"))
    assert abs(prompt_cache.by_prefix(ran.requests).percent - told) <= 1  # ids and paths are not always as long


def test_a_persons_edit_is_told_and_stays_told(framework: type[Driver]) -> None:
    """The news stands where it was first said, in every later request, and not in the history."""
    driver = framework()
    driver.run([write("A", "B")], "done", conversation="a")
    driver.board("a").edit("2", content="B, but better")
    ran = driver.run([WORK], [WORK], "done", conversation="a")
    assert all(request.says("B, but better") for request in ran.requests)
    assert ran.keeps("B, but better") is not (framework.forgets and framework.forgets_news)


def test_plans_are_durable(framework: type[Driver], asynchronous: bool, tmp_path: Path) -> None:
    """With a store, another process finds the plan, and its model is shown what is open."""
    store = SQLiteStore(tmp_path / "plans.db")
    framework(store=store).run([write("A", "B")], "done", conversation="a", asynchronous=asynchronous)
    found = SQLiteStore(tmp_path / "plans.db")
    assert [contents(kept.plan) for kept in found.sessions()] == [["A", "B"]]
    later = framework(store=found).run("done", conversation="a", asynchronous=asynchronous)
    assert "1. [pending] A" in later.requests[0].tail
    store.close()
    found.close()


def test_no_store_holds_up_the_event_loop(framework: type[Driver]) -> None:
    """A store that is not in memory is never asked from a thread in which an event loop runs."""
    store = Durable()
    steps = [write("A"), write("B")], [WORK], [mark("1")], "done"
    framework("rail", store).run(*steps, conversation="a", asynchronous=True)
    assert store.asked
    assert not any(store.asked)


def test_the_event_loop_turns_while_a_store_takes_its_time(framework: type[Driver]) -> None:
    """Each answer of this store waits until the loop has turned once more: nothing on the loop waits for it."""
    store = Turning()
    steps = [write("A"), write("B")], [WORK], [mark("1")], "done"
    ran = framework("rail", store).run(*steps, conversation="a", asynchronous=True)
    assert store.turns
    assert store.stalls == 0
    assert ran.plan.is_finished


def test_the_event_loop_turns_while_a_file_is_locked(framework: type[Driver], tmp_path: Path) -> None:
    """Another process holds the file, and lets go only when the loop turns: no write is lost."""
    store = SQLiteStore(tmp_path / "plans.db")
    Board(store=store, session="another").add("Makes the file")
    with closing(sqlite3.connect(tmp_path / "plans.db", check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        let_go = threading.Thread(target=let_go_on_the_loop, args=[other])
        let_go.start()
        ran = framework(store=store).run([write("A", "B")], "done", conversation="a", asynchronous=True)
        other.rollback()
        let_go.join()
    assert contents(ran.plan) == ["A", "B"]
    assert not any(request.says("could not be saved") for request in ran.requests)
    store.close()


def let_go_on_the_loop(connection: sqlite3.Connection) -> None:
    """End a transaction from the event loop of the run that began last, after a while."""
    while connection.in_transaction:
        for loop in LOOPS[-1:]:
            with suppress(RuntimeError):  # it has ended since
                loop.call_soon_threadsafe(loop.call_later, 0.1, connection.rollback)
        time.sleep(0.2)


class Durable:
    """Stands for a store that takes its time, and may go away: it remembers whether an event loop waited for it."""

    def __init__(self) -> None:
        self.inner = MemoryStore()
        self.asked: list[bool] = []
        self.is_down = False
        self.fails_after = 0

    def ask(self) -> MemoryStore:
        """The plans themselves."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self.asked.append(False)
        else:
            self.asked.append(True)
        if self.is_down or 0 < self.fails_after <= len(self.asked):
            raise StoreError("no connection")
        return self.inner

    def load(self, key: Key) -> Plan:
        """As the store in memory."""
        return self.ask().load(key)

    def commit(self, key: Key, change: Change) -> None:
        """As the store in memory."""
        self.ask().commit(key, change)

    def history(self, key: Key) -> Iterator[Record]:
        """As the store in memory."""
        return self.ask().history(key)

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """As the store in memory."""
        return self.ask().sessions(limit)

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """As the store in memory."""
        return self.ask().watch(since, timeout)

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """As the store in memory."""
        self.ask().tally(key, counts)

    def tallies(self, key: Key) -> dict[str, int]:
        """As the store in memory."""
        return self.ask().tallies(key)

    def close(self) -> None:
        """Nothing is open."""


class Turning(Durable):
    """A store that answers when the event loop has turned, and counts the loops that did not."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = self.stalls = 0

    def ask(self) -> MemoryStore:
        """The plans themselves, in a while."""
        for loop in LOOPS[-1:]:
            turned = threading.Event()
            loop.call_soon_threadsafe(turned.set)
            if turned.wait(PATIENCE):
                self.turns += 1
            else:
                self.stalls += 1
        return super().ask()
