"""How a change gets into its store: tried again when others were quicker, so that no change is lost."""

from collections.abc import Callable, Iterator
from threading import Barrier, Thread

import pytest

from holdfast import Board, Change, Plan, Reply, Rules
from holdfast.errors import StaleRevision
from holdfast.plan.checks import Check, CheckResult
from holdfast.plan.fault import Fault
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore


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
        """However many threads write, a listener gets the changes of its board one after the other."""
        board, heard = Board(), list[Change]()
        board.on_change(heard.append)

        def work(writer: int) -> Callable[[], None]:
            return lambda: [board.write({"todos": todos}) for todos in lists_of(writer, 20)].clear()

        in_parallel([work(writer) for writer in range(4)])
        assert [change.after.revision for change in heard] == list(range(1, 81))


class LateStore(MemoryStore):
    """A store to which others are always quicker."""

    tries = 0

    def commit(self, key: Key, change: Change) -> None:
        """Refuse every change."""
        self.tries += 1
        raise StaleRevision("the plan has moved on")


def test_whoever_is_always_late_gives_up() -> None:
    """After a hundred tries, the reply says what happened and what to do; the plan is as it was."""
    store = LateStore()
    reply = Board(store=store).write({"todos": [{"content": "A"}]})
    message = "the plan could not be saved: others wrote first, 100 times in a row; try again"
    assert reply.faults == (Fault("", message, "store"),)
    assert (store.tries, reply.plan.todos) == (100, ())


class LastingStore(MemoryStore):
    """A store that cannot delete."""

    delete = None  # type: ignore[assignment]  # it has no such method


def test_a_store_that_cannot_delete_says_so() -> None:
    """The plan stays, and the reply names what can be done with it instead."""
    board = Board(store=LastingStore())
    board.write({"todos": [{"content": "A"}]})
    message = "the plan could not be saved: LastingStore cannot delete plans; it can archive them"
    assert board.delete().faults == (Fault("", message, "store"),)
    assert board.plan.contents == ("A",)
    assert board.archive().ok


def test_one_todo_is_proved_by_its_own_check() -> None:
    """Those of the others are not run, and nothing is proved by them."""
    board, ran = Board(), list[str]()
    for text in ("a", "b"):
        board.add(text, check=f"make {text}")
        board.edit(board.plan.todos[-1].id, status="completed")

    def run(check: Check) -> CheckResult:
        ran.append(check.target)
        return CheckResult(True)

    board.verify_with(run)
    assert board.prove("2").ok
    assert ran == ["make b"]
    assert [todo.proof is not None for todo in board.plan.todos] == [False, True]


@pytest.mark.parametrize("by", ["model", "person"])
def test_a_check_that_changes_while_it_runs_is_run_ten_times_at_most(by: str) -> None:
    """After that, the reply says so, and the todo is not completed, whoever has asked for it."""
    board, ran = Board(), list[str]()
    board.add("A", check="make")

    def run(check: Check) -> CheckResult:
        ran.append(check.target)
        board.edit("1", check=f"make {len(ran)}")
        return CheckResult(True)

    board.verify_with(run)
    done = {"todos": [{"id": "1", "status": "completed"}]}
    reply = board.write(done) if by == "model" else board.edit("1", status="completed")
    assert [fault.code for fault in reply.faults] == ["busy"]
    assert (len(ran), board.plan.todos[0].is_open) == (10, True)


class ForgetfulStore(MemoryStore):
    """A store that others write to: what it has in memory may be an older plan."""

    cached: Plan | None = None
    loads = 0

    def cached_plan(self, key: Key) -> Plan | None:
        """The plan that a test has put here."""
        return self.cached

    def load(self, key: Key) -> Plan:
        """The plan as it is now."""
        self.loads += 1
        return super().load(key)


class TestPlansInMemory:
    def board(self) -> tuple[Board, ForgetfulStore]:
        """A board with one todo, which its store has in memory."""
        store = ForgetfulStore()
        board = Board(store=store)
        assert board.write({"todos": [{"content": "A"}]}).ok
        store.cached = board.plan
        return board, store

    def test_a_change_starts_from_there(self) -> None:
        """The store is not asked for a plan that it has in memory."""
        board, store = self.board()
        store.loads = 0
        assert board.add("B").ok
        assert store.loads == 0

    def test_what_an_older_plan_refuses_may_be_right_by_now(self) -> None:
        """A todo that somebody else has added can be changed."""
        board, _ = self.board()
        Board(store=board.store).add("B")
        assert board.edit("2", content="B2").ok
        assert [todo.content for todo in board.plan.todos] == ["A", "B2"]

    def test_what_changes_nothing_in_an_older_plan_may_change_the_new_one(self) -> None:
        """A text that somebody else has changed is changed back."""
        board, _ = self.board()
        Board(store=board.store).edit("1", content="A2")
        assert board.edit("1", content="A").ok
        assert board.plan.todos[0].content == "A"
