"""How a change gets into its store: tried again when others were quicker, told when it cannot be kept."""

import logging
from collections.abc import Callable, Iterator
from threading import Barrier, Thread

import pytest
from strategies import LISTS, call

from holdfast import Board, Change, Plan, Reply, Rules
from holdfast.errors import StoreError
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

ABC = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}


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
