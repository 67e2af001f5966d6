"""A board: one straight line from a payload to a reply, for one writer or many, with listeners that hear of it."""

import logging
from collections.abc import Callable, Iterator
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from strategies import LISTS, call

from holdfast import Board, Change, Fault, HoldfastError, Notice, Plan, Reply, Rules, Status, dialects
from holdfast.dialects import WIRE_FORMS
from holdfast.errors import StoreError, UsageError
from holdfast.plan import DONE
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

ABC: dict[str, Any] = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}
TWO_AT_ONCE: dict[str, Any] = {
    "todos": [{"content": "A", "status": "in_progress"}, {"content": "B", "status": "in_progress"}]
}


class Ticking:
    """A clock that goes on by one at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        self.now += 1
        return self.now


class TestWriting:
    def test_a_write_is_answered_with_the_plan(self) -> None:
        """A reply holds whether it went well, what the model reads, no faults, and the plan as it is now."""
        board = Board()
        reply = board.write(ABC)
        assert reply == Reply(True, "Saved 1-3. 0/3 done. Next 1: A", None, (), board.plan)
        assert [todo.content for todo in board.plan.todos] == ["A", "B", "C"]

    def test_a_failed_write_changes_nothing_and_tells_no_one(self) -> None:
        """After a fault the very same plan stands, no listener heard, and the history has no entry more."""
        board = Board()
        board.write(ABC)
        before, heard = board.plan, list[Change]()
        board.on_change(heard.append)
        reply = board.write(TWO_AT_ONCE)
        assert not reply.ok and [fault.code for fault in reply.faults] == ["focus"]
        assert board.plan is before and reply.plan is before
        assert heard == [] and len(list(board.history())) == 1

    def test_an_unchanged_write_makes_no_revision(self) -> None:
        """The same list again is answered, and is no new entry in the history."""
        board = Board()
        board.write(ABC)
        before = board.plan
        assert board.write(ABC).ok
        assert board.plan is before and len(list(board.history())) == 1

    def test_a_missing_list_never_wipes(self) -> None:
        """A payload without a list is a fault that says how to clear; only the empty list does it."""
        board = Board()
        board.write(ABC)
        for payload in ({}, {"summary": "x"}, {"todos": None}, "{}", None):
            assert not board.write(payload).ok
            assert len(board.plan.todos) == 3
        assert "[] clears" in board.write({}).faults[0].message
        assert board.write({"todos": []}).ok
        assert board.plan.todos == ()

    def test_time_comes_from_the_clock(self) -> None:
        """What is stamped is stamped by the clock that the host gave."""
        board = Board(clock=lambda: 1234.5)
        board.write({"todos": [{"content": "A", "status": "in_progress"}]})
        assert board.plan.updated_at == board.plan.todos[0].started_at == 1234.5

    def test_another_dialect_may_be_spoken(self) -> None:
        """A single write can be in another dialect than the board's own; the plan is the same one."""
        board = Board()
        board.write(ABC)
        reply = board.write({"items": [{"content": "A", "activeForm": "A now"}]}, dialects.get("mini"))
        assert reply.text == "[ ] A\n\n(0/1 completed)"
        assert board.plan.todos[0].id == "1"

    def test_a_gate_refuses_before_anything_is_read(self) -> None:
        """A gate of the host can refuse the model's writes, with its own words, and nothing else."""
        board = Board()
        board.gates.append(lambda: Fault("", "not now", "closed"))
        reply = board.write(ABC)
        assert [fault.message for fault in reply.faults] == ["not now"]
        assert board.add("A").ok


class TestMaking:
    def test_an_unknown_dialect_is_a_usage_error(self) -> None:
        """A dialect that does not exist is told with the names of those that do."""
        with pytest.raises(UsageError, match="no dialect 'klingon'; there are holdfast, envelope"):
            Board("klingon")

    def test_an_unknown_wire_form_is_a_usage_error(self) -> None:
        """A wire form that does not exist is told with the names of those that do."""
        with pytest.raises(UsageError, match="no wire form 'soap'; there are anthropic, openai"):
            Board().tool("soap")

    def test_usage_errors_are_holdfasts_own(self) -> None:
        """One `except HoldfastError` is enough for a host, and a ValueError is what others expect."""
        assert issubclass(UsageError, HoldfastError) and issubclass(UsageError, ValueError)
        assert issubclass(StoreError, HoldfastError)

    def test_every_wire_form_has_the_tools_name(self) -> None:
        """Each wire form names the tool, at the place where its provider looks."""
        for form in WIRE_FORMS:
            tool = Board().tool(form)
            assert (tool["function"] if form == "openai" else tool)["name"] == "TodoWrite"

    def test_boards_are_told_apart_by_session_and_agent(self) -> None:
        """Boards on one store share a plan if session and agent are the same, and only then."""
        store = MemoryStore()
        Board(store=store).write(ABC)
        assert len(Board(store=store).plan.todos) == 3
        assert Board(store=store, session="other").plan == Plan()
        assert Board(store=store, agent="sub").plan == Plan()


class TestClosing:
    def test_a_finished_plan_is_closed(self) -> None:
        """After the last todo is done, the next list is the next plan, its ids from 1; the old one is history."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        assert board.plan.is_finished
        board.write({"todos": [{"content": "B"}]})
        assert (board.plan.number, board.plan.todos[0].id) == (2, "1")
        assert [record.change.after.number for record in board.history()] == [2, 1]

    def test_clear_closes(self) -> None:
        """A plan that was cleared is over; clearing it once more changes nothing."""
        board = Board()
        board.write(ABC)
        assert board.clear().ok and board.plan.todos == ()
        revision = board.plan.revision
        board.clear()
        assert board.plan.revision == revision
        board.write(ABC)
        assert board.plan.number == 2

    def test_an_update_by_id_keeps_a_finished_plan(self) -> None:
        """Naming a todo of a finished plan by its id reopens that plan."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        board.write({"todos": [{"id": "1", "status": "pending"}]})
        assert (board.plan.number, board.plan.open[0].id) == (1, "1")


class TestHostUpdates:
    def test_known_ids_change_field_by_field(self) -> None:
        """If every todo carries a known id, only those change, and only in what they name."""
        board = Board()
        board.write(ABC)
        reply = board.update([{"id": "2", "status": "completed"}])
        assert reply.ok
        assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
            ("A", "pending"),
            ("B", "completed"),
            ("C", "pending"),
        ]

    @pytest.mark.parametrize("extra", [{"content": "D"}, {"id": "99", "content": "D"}])
    def test_anything_new_makes_it_the_whole_list(self, extra: dict[str, object]) -> None:
        """A todo without an id, or with a new one, makes the update a replacement."""
        board = Board()
        board.write(ABC)
        board.update([{"id": "2", "status": "completed"}, extra])
        assert [todo.content for todo in board.plan.todos] == ["B", "D"]
        assert board.plan.todos[0].id == "2"

    def test_the_merged_list_obeys_the_rules(self) -> None:
        """An update that would leave two todos in progress is refused, though it names only one."""
        board = Board()
        board.write(ABC)
        board.update([{"id": "1", "status": "in_progress"}])
        before = board.plan
        reply = board.update([{"id": "2", "status": "in_progress"}])
        assert [fault.code for fault in reply.faults] == ["focus"]
        assert board.plan is before

    def test_a_new_todo_needs_a_text(self) -> None:
        """A host's new todo that says nothing is refused."""
        board = Board()
        reply = board.update([{"id": "7"}])
        assert [(fault.path, fault.code) for fault in reply.faults] == [("todos[0].content", "missing")]

    def test_it_is_the_hosts_change(self) -> None:
        """The history says that it was the host."""
        board = Board()
        board.update([{"content": "A"}])
        assert [record.change.by for record in board.history()] == ["host"]


class TestListeners:
    def test_they_hear_every_change_in_order(self) -> None:
        """Writes, edits and updates reach a listener one after the other, each from where the last one ended."""
        board, heard = Board(), list[Change]()
        board.on_change(heard.append)
        board.write(ABC)
        board.edit("1", status="in_progress")
        board.update([{"id": "2", "content": "B2"}])
        board.clear()
        assert [(change.by, change.action) for change in heard] == [
            ("model", "write"),
            ("person", "edit"),
            ("host", "update"),
            ("person", "clear"),
        ]
        assert [change.before for change in heard[1:]] == [change.after for change in heard[:-1]]

    def test_one_that_raises_is_logged_and_the_write_stands(self, caplog: pytest.LogCaptureFixture) -> None:
        """A listener's error is in the log with its traceback; the write is safe, and other listeners hear of it."""
        board, heard = Board(), list[Change]()

        def broken(change: Change) -> None:
            raise RuntimeError("no")

        board.on_change(broken)
        board.on_change(heard.append)
        with caplog.at_level(logging.ERROR, "holdfast"):
            reply = board.write(ABC)
        assert reply.ok and len(board.plan.todos) == 3 and len(heard) == 1
        [record] = caplog.records
        assert "the listener" in record.getMessage() and "the change stands" in record.getMessage()
        assert record.exc_info is not None and isinstance(record.exc_info[1], RuntimeError)

    def test_unsubscribing_ends_it(self) -> None:
        """After it unsubscribed, a listener hears nothing more; doing it twice does no harm."""
        board, heard, others = Board(), list[Change](), list[Change]()
        unsubscribe = board.on_change(heard.append)
        board.on_change(others.append)
        board.write(ABC)
        unsubscribe()
        unsubscribe()
        board.clear()
        assert (len(heard), len(others)) == (1, 2)

    def test_the_change_is_safe_before_they_hear(self) -> None:
        """When a listener is called, the board already holds the new plan."""
        board = Board()
        seen: list[Plan] = []
        board.on_change(lambda change: seen.append(board.plan))
        board.write(ABC)
        assert seen == [board.plan]

    def test_a_notice_reaches_the_reply(self) -> None:
        """What a listener wants said stands in the envelope: a line for the user, fields in the data."""
        board = Board("envelope")
        board.on_change(lambda change: Notice("(Saved to x.md)", {"persisted_to": "x.md"}))
        reply = board.write({"summary": "S", "todos": [{"content": "A", "status": "completed"}]})
        assert reply.data is not None
        assert str(reply.data["text"]).endswith("\n(Saved to x.md)")
        assert reply.data["data"]["persisted_to"] == "x.md"


class BrokenStore(MemoryStore):
    """A store on a bad day."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.is_broken = True

    def commit(self, key: Key, change: Change) -> None:
        """Fails, while it is broken."""
        if self.is_broken:
            raise self.error
        super().commit(key, change)


class UnreadableStore(MemoryStore):
    """A store that cannot be read."""

    def load(self, key: Key) -> Plan:
        """Fails."""
        raise StoreError("the file is gone")


class TestStoresThatFail:
    @pytest.mark.parametrize("name", LISTS)
    def test_a_store_that_cannot_keep_is_told(self, name: str) -> None:
        """A write that cannot be kept is refused with the store's reason, and the next one may go well."""
        store = BrokenStore(StoreError("disk full"))
        board = Board(name, store)
        heard: list[Change] = []
        board.on_change(heard.append)
        payload = call(board.dialect, ("A", "pending"))
        reply = board.write(payload)
        assert not reply.ok and "disk full" in reply.text
        assert board.plan == Plan() and heard == []
        store.is_broken = False
        assert board.write(payload).ok

    def test_the_unexpected_is_logged_and_told(self, caplog: pytest.LogCaptureFixture) -> None:
        """An error that nobody foresaw becomes a fault, and its traceback is in the log."""
        board = Board(store=BrokenStore(OSError("boom")))
        with caplog.at_level(logging.ERROR, "holdfast"):
            reply = board.write(ABC)
        assert [fault.code for fault in reply.faults] == ["internal"]
        assert "boom" in reply.text and caplog.records[0].exc_info is not None

    def test_a_plan_that_cannot_be_read_is_told(self) -> None:
        """A write to a store that cannot be read is a fault; to look at the plan raises."""
        board = Board(store=UnreadableStore())
        assert [fault.code for fault in board.write(ABC).faults] == ["store"]
        with pytest.raises(StoreError, match="the file is gone"):
            board.plan  # noqa: B018 looking is what fails


class TestHistory:
    def test_it_is_newest_first(self) -> None:
        """The history tells every change, the newest first, each with its plan before and after."""
        board = Board()
        board.write(ABC)
        board.remove("2")
        assert [record.change.action for record in board.history()] == ["remove", "write"]

    def test_a_plan_can_be_seen_as_it_was(self) -> None:
        """Every revision can be looked at again; one that never was is a usage error."""
        board = Board()
        replies = [board.write(ABC), board.edit("1", content="X"), board.remove("3")]
        assert board.at(0) == Plan()
        assert [board.at(revision) for revision in (1, 2, 3)] == [reply.plan for reply in replies]
        with pytest.raises(UsageError, match="no revision 9: the history goes up to 3"):
            board.at(9)

    def test_undo_takes_back_one_change_after_the_other(self) -> None:
        """Undo takes the newest change back that still stands, whoever made it, until there is nothing left."""
        board = Board()
        board.write(ABC)
        board.edit("1", content="X")
        assert board.undo().ok and [todo.content for todo in board.plan.todos] == ["A", "B", "C"]
        assert board.undo().ok and board.plan.todos == ()
        reply = board.undo()
        assert [fault.code for fault in reply.faults] == ["nothing_to_undo"]

    def test_undo_brings_a_closed_plan_back(self) -> None:
        """The first write of a new plan, taken back, leaves the plan before it, with its number."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "completed"}]})
        board.write({"todos": [{"content": "B"}]})
        assert board.plan.number == 2
        assert board.undo().ok
        assert (board.plan.number, [todo.content for todo in board.plan.todos]) == (1, ["A"])
        assert board.plan.revision == 3

    def test_an_undone_write_of_the_model_is_told(self) -> None:
        """The model hears that a person took its write back, and does not bring it back by the way."""
        board = Board()
        board.write(ABC)
        payload = {"todos": [*ABC["todos"], {"content": "D"}]}
        board.write(payload)
        board.undo()
        assert 'removed 4 ("D")' in board.write(payload).text
        assert [todo.content for todo in board.plan.todos] == ["A", "B", "C"]


def in_parallel(works: list[Callable[[], None]]) -> None:
    """Run all of these at once, each in a thread."""
    start = Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        start.wait()
        work()

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lists_of(writer: int, count: int) -> Iterator[list[dict[str, str]]]:
    """Lists that show who wrote them: every text has the writer's number and the write's."""
    for number in range(count):
        yield [{"content": f"{writer}.{number}.{item}"} for item in range(4)]


class TestManyWriters:
    WRITERS, WRITES = 6, 40

    @pytest.mark.parametrize("boards", [1, 2, 6])
    def test_no_write_is_lost_or_mixed(self, boards: int) -> None:
        """Threads on one board, or on several over one store: every acknowledged write is one revision, whole."""
        store = MemoryStore()
        shared = [Board(store=store) for _ in range(boards)]
        replies: list[Reply] = []

        def work(writer: int) -> Callable[[], None]:
            board = shared[writer % boards]
            return lambda: replies.extend(board.write({"todos": todos}) for todos in lists_of(writer, self.WRITES))

        in_parallel([work(writer) for writer in range(self.WRITERS)])
        assert all(reply.ok for reply in replies)
        changes = [record.change for record in shared[0].history()][::-1]
        assert len(changes) == len(replies) == self.WRITERS * self.WRITES
        assert [change.after.revision for change in changes] == list(range(1, len(changes) + 1))
        assert [change.before for change in changes[1:]] == [change.after for change in changes[:-1]]
        written = {tuple(todo.content for todo in change.after.todos) for change in changes}
        asked = [lists_of(writer, self.WRITES) for writer in range(self.WRITERS)]
        assert written == {tuple(item["content"] for item in todos) for lists in asked for todos in lists}

    def test_updates_by_id_add_up(self) -> None:
        """Threads that each finish their own todo, all at once, leave every todo finished."""
        board = Board(rules=Rules(advance=False))
        board.write({"todos": [{"content": f"todo {number}"} for number in range(30)]})

        def work(ids: range) -> Callable[[], None]:
            def finish() -> None:
                for id in ids:
                    assert board.write({"todos": [{"id": str(id), "status": "completed"}]}).ok

            return finish

        in_parallel([work(range(first, first + 10)) for first in (1, 11, 21)])
        assert board.plan.is_finished
        assert board.plan.revision == 31

    def test_listeners_hear_of_each_write_once_and_in_order(self) -> None:
        """However many threads write, a listener hears the changes of its board one after the other."""
        board, heard = Board(), list[Change]()
        board.on_change(heard.append)

        def work(writer: int) -> Callable[[], None]:
            return lambda: [board.write({"todos": todos}) for todos in lists_of(writer, 20)].clear()

        in_parallel([work(writer) for writer in range(4)])
        assert [change.after.revision for change in heard] == list(range(1, 81))


class AnyLife(RuleBasedStateMachine):
    """A board through any life: the model, people and the host do what they may in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(clock=Ticking())
        self.heard: list[Change] = []
        self.acknowledged = 0
        self.board.on_change(self.heard.append)

    def done(self, reply: Reply, before: Plan) -> None:
        """Check what holds after every single act."""
        assert reply.plan == self.board.plan
        assert reply.text
        assert reply.ok or self.board.plan is before
        assert self.board.plan.revision - before.revision in (0, 1)
        self.acknowledged += self.board.plan.revision - before.revision

    texts = st.sampled_from(["A", "B", "C", "D"])
    status = st.sampled_from([str(status) for status in Status])
    ids = st.integers(1, 8).map(str)

    @rule(todos=st.lists(st.fixed_dictionaries({"content": texts}, optional={"status": status}), max_size=4))
    def writes_whole(self, todos: list[dict[str, str]]) -> None:
        """The model writes the whole list."""
        before = self.board.plan
        self.done(self.board.write({"todos": todos}), before)

    @rule(todos=st.lists(st.fixed_dictionaries({"id": ids}, optional={"content": texts, "status": status}), max_size=3))
    def writes_by_id(self, todos: list[dict[str, str]]) -> None:
        """The model writes an update."""
        before = self.board.plan
        self.done(self.board.write({"todos": todos}), before)

    @rule(todos=st.lists(st.fixed_dictionaries({"id": ids}, optional={"content": texts, "status": status}), max_size=3))
    def updates(self, todos: list[dict[str, str]]) -> None:
        """The host updates."""
        before = self.board.plan
        self.done(self.board.update(todos), before)

    @rule(id=ids, content=st.none() | texts, status=st.none() | status)
    def edits(self, id: str, content: str | None, status: str | None) -> None:
        """A person edits."""
        before = self.board.plan
        self.done(self.board.edit(id, content, status), before)

    @rule(content=texts, position=st.none() | st.integers(0, 9))
    def adds(self, content: str, position: int | None) -> None:
        """A person adds."""
        before = self.board.plan
        self.done(self.board.add(content, position), before)

    @rule(id=ids)
    def removes(self, id: str) -> None:
        """A person removes."""
        before = self.board.plan
        self.done(self.board.remove(id), before)

    @rule(id=ids, position=st.integers(-2, 9))
    def moves(self, id: str, position: int) -> None:
        """A person moves."""
        before = self.board.plan
        self.done(self.board.move(id, position), before)

    @rule()
    def undoes(self) -> None:
        """A person takes a change back."""
        before = self.board.plan
        self.done(self.board.undo(), before)

    @rule()
    def clears(self) -> None:
        """A person clears the plan."""
        before = self.board.plan
        self.done(self.board.clear(), before)

    @invariant()
    def the_plan_is_in_order(self) -> None:
        """Ids are unique, counts add up, one todo at most is in progress, times agree with statuses."""
        plan = self.board.plan
        assert len({todo.id for todo in plan.todos}) == len(plan.todos)
        assert sum(plan.counts().values()) == len(plan.open) + len(plan.done) == len(plan.todos)
        assert plan.counts()[Status.IN_PROGRESS] <= 1
        for todo in plan.todos:
            assert todo.content.strip()
            assert (todo.finished_at is not None) == (todo.status in DONE)
            assert todo.status is not Status.IN_PROGRESS or todo.started_at is not None
            assert todo.id.isdecimal() and int(todo.id) < plan.next_id

    @invariant()
    def the_history_is_whole(self) -> None:
        """The history leads from the empty plan to the present one, a revision a step, and listeners heard it all."""
        changes = [record.change for record in self.board.history()][::-1]
        assert len(changes) == self.acknowledged == self.board.plan.revision
        plan = Plan()
        for change in changes:
            assert change.before == plan and change.after.revision == plan.revision + 1
            plan = change.after
        assert plan == self.board.plan
        assert [change for change in self.heard if change.before != change.after] == changes


AnyLife.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestAnyLife = AnyLife.TestCase


def test_a_listener_that_writes_is_told_of_its_own_change_next() -> None:
    """Every listener hears the changes in their order, even when one of them makes another."""
    board = Board()
    heard: list[int] = []

    def finishes(change: Change) -> None:
        if change.action == "write":
            board.edit("1", status="completed")

    board.on_change(finishes)
    board.on_change(lambda change: heard.append(change.after.revision))
    board.write({"todos": [{"content": "A"}]})
    assert heard == [1, 2]


def test_a_counter_that_fails_never_fails_a_write() -> None:
    """Counting is no promise: what it raises stays out of the reply."""
    board = Board()
    board.counter = lambda text: 1 // 0
    assert board.write({"todos": [{"content": "A"}]}).ok


def test_a_person_may_start_several_where_the_rules_let_them() -> None:
    """Starting a todo takes the focus off another one only if there would be too many."""
    board = Board(rules=Rules(max_in_progress=2))
    board.write({"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]})
    for id in ("1", "2", "3"):
        board.edit(id, status="in_progress")
    assert [str(todo.status) for todo in board.plan.todos] == ["pending", "in_progress", "in_progress"]


def test_a_todo_that_lost_the_focus_may_still_be_completed() -> None:
    """The person only started another one: what the model says of the first counts."""
    board = Board()
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
    board.edit("2", status="in_progress")
    board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert [str(todo.status) for todo in board.plan.todos] == ["completed", "in_progress"]


def test_an_edit_without_an_id_is_a_fault() -> None:
    """An edit of no todo says what is missing."""
    reply = Board().edit(None, status="completed")  # type: ignore[arg-type] # what a careless host sends
    assert reply.faults[0].path == "id"
