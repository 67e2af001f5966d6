"""The contract of a store, the same for each one. A new store is one more line in `STORES`."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import postgres_server
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from strategies import few_texts, hostile_texts, statuses

from holdfast import Board, Plan
from holdfast.errors import StaleRevision
from holdfast.plan import Change, Draft, Wish
from holdfast.plan.transitions import replace
from holdfast.stores import Key, Record, Store
from holdfast.stores.memory import MemoryStore
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SQLiteStore

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "sqlite": lambda folder: SQLiteStore(folder / "plans.db"),
    "postgres": lambda folder: PostgresStore(postgres_server.shared().address()),
}

KEY = Key("default", "main")
OTHER = Key("default", "helper")

Act = Callable[[Board], object]


@contextmanager
def opened(name: str) -> Iterator[Store]:
    """A new store, closed at the end. Hypothesis needs one for each example, so it is no fixture."""
    with tempfile.TemporaryDirectory() as folder:
        store = STORES[name](Path(folder))
        try:
            yield store
        finally:
            store.close()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Each store in turn."""
    with opened(request.param) as store:
        yield store


def listed(store: Store, *texts: str, key: Key = KEY, now: float = 1.0) -> Change:
    """Commit a write of these texts."""
    before = store.load(key)
    after = replace(before, Draft([Wish(content=text) for text in texts]), now)
    change = Change(before, after)
    store.commit(key, change)
    return change


items = st.fixed_dictionaries({"content": few_texts | hostile_texts, "status": statuses})
places = st.integers(0, 4)


def nth(board: Board, place: int) -> str:
    """The id of one of the todos, or one that is no todo's."""
    todos = board.plan.todos
    return todos[place % len(todos)].id if todos else "none"


acts: st.SearchStrategy[Act] = st.one_of(
    st.lists(items, max_size=5).map(lambda todos: lambda board: board.write({"todos": todos})),
    st.lists(items, max_size=5).map(lambda todos: lambda board: board.update(todos)),
    st.builds(lambda at, status: lambda board: board.edit(nth(board, at), status=status), places, statuses),
    st.builds(lambda at, text: lambda board: board.edit(nth(board, at), content=text), places, hostile_texts),
    st.builds(lambda at, text: lambda board: board.add(text, position=at), places, hostile_texts),
    st.builds(lambda at: lambda board: board.remove(nth(board, at)), places),
    st.builds(lambda at, to: lambda board: board.move(nth(board, at), to), places, places),
    st.just(lambda board: board.clear()),
)


def test_a_board_that_was_never_written_has_an_empty_plan(store: Store) -> None:
    """Loading what is not there is no error, and makes nothing."""
    assert store.load(KEY) == Plan()
    assert list(store.history(KEY)) == []
    assert store.sessions() == []


def test_a_committed_plan_is_loaded_as_it_was(store: Store) -> None:
    """The plan after a commit is the change's own."""
    change = listed(store, "a", "b")
    assert store.load(KEY) == change.after


def test_a_stale_change_is_refused_and_leaves_nothing(store: Store) -> None:
    """Of two changes from one revision, the second raises, and is nowhere afterwards."""
    first = listed(store, "a")
    with pytest.raises(StaleRevision):
        store.commit(KEY, Change(Plan(), replace(Plan(), Draft([Wish(content="b")]), 2.0)))
    assert store.load(KEY) == first.after
    assert [record.change for record in store.history(KEY)] == [first]


def test_a_change_from_a_revision_that_is_still_to_come_is_refused(store: Store) -> None:
    """A board that was never written is at revision 0, and at no other."""
    before = Plan(revision=3)
    with pytest.raises(StaleRevision):
        store.commit(KEY, Change(before, replace(before, Draft([Wish(content="a")]), 1.0)))
    assert store.sessions() == []


@pytest.mark.parametrize("name", ["", "'; DROP TABLE boards; --", "a\0b", "字 👩", "../up", "x" * 5000])
def test_names_are_data(store: Store, name: str) -> None:
    """A session and an agent may have any name."""
    keys = [Key(name, "main"), Key("default", name), Key(name, name)]
    for place, key in enumerate(keys):
        listed(store, str(place), key=key)
    assert [store.load(key).todos[0].content for key in keys] == ["0", "1", "2"]
    assert {kept.key for kept in store.sessions()} == set(keys)


def test_boards_have_a_history_each(store: Store) -> None:
    """What one board did is not in the other's history, and sequences count over both."""
    listed(store, "a")
    listed(store, "b", key=OTHER)
    listed(store, "c")
    assert [record.sequence for record in store.history(KEY)] == [3, 1]
    assert [record.key for record in store.history(OTHER)] == [OTHER]


def test_sessions_come_newest_first(store: Store) -> None:
    """Every board is listed with its plan, the one changed last first."""
    listed(store, "a")
    listed(store, "b", key=OTHER)
    assert [kept.key for kept in store.sessions()] == [OTHER, KEY]
    listed(store, "c")
    assert [(kept.key, kept.plan) for kept in store.sessions()] == [(KEY, store.load(KEY)), (OTHER, store.load(OTHER))]


@pytest.mark.parametrize("name", STORES)
@settings(max_examples=50)
@given(acts=st.lists(acts, max_size=12))
def test_history_gives_back_every_change_value_for_value(name: str, acts: list[Act]) -> None:
    """Whatever a model and a person do, history and watch tell the very changes that were made, and load the last."""
    changes: list[Change] = []
    with opened(name) as store:
        board = Board(store=store)
        board.on_change(changes.append)
        for act in acts:
            act(board)
        kept = [change for change in changes if change.before.revision != change.after.revision]
        assert [record.change for record in store.history(board.key)] == kept[::-1]
        assert [record.change for record in store.watch(since=0, timeout=0)] == kept
        assert store.load(board.key) == (kept[-1].after if kept else Plan())


def test_who_did_what_is_kept(store: Store) -> None:
    """A change comes back with who made it, how, and what it took back."""
    before = listed(store, "a").after
    change = Change(before, replace(before, Draft(), 2.0), "person", "undo", undoes=1)
    store.commit(KEY, change)
    assert next(store.history(KEY)).change == change


def test_a_history_is_that_of_its_moment(store: Store) -> None:
    """A change that comes while a history is being read is not in it."""
    listed(store, "a")
    history = store.history(KEY)
    listed(store, "b")
    assert [record.sequence for record in history] == [1]


def test_a_long_history_is_whole(store: Store) -> None:
    """Hundreds of changes come back, each starting from where the one before it ended."""
    for number in range(450):
        listed(store, f"step {number}")
    records = list(store.history(KEY))
    assert [record.sequence for record in records] == list(range(450, 0, -1))
    assert all(newer.change.before == older.change.after for newer, older in pairwise(records))


def test_watch_tells_what_came_after(store: Store) -> None:
    """A watch from a sequence on gives each later change once, in order, and ends when nothing comes."""
    changes = [listed(store, text, key=key) for text, key in [("a", KEY), ("b", OTHER), ("c", KEY), ("d", OTHER)]]
    assert [(record.sequence, record.change) for record in store.watch(since=1, timeout=0)] == [
        (2, changes[1]),
        (3, changes[2]),
        (4, changes[3]),
    ]


def test_watch_without_a_start_begins_when_it_is_called(store: Store) -> None:
    """Changes before the call are not told, those after it are, even if nobody has looked yet."""
    listed(store, "a")
    watch = store.watch(timeout=0)
    change = listed(store, "b")
    assert [record.change for record in watch] == [change]


def test_watch_wakes_up_for_a_change(store: Store) -> None:
    """A watcher that waits is told of a change soon after it is made."""
    watch = store.watch(timeout=PATIENCE)
    writer = threading.Timer(0.1, lambda: listed(store, "a"))
    started = time.monotonic()
    writer.start()
    record = next(watch)
    assert time.monotonic() - started < PATIENCE / 2
    writer.join()
    assert record.change.after.todos[0].content == "a"


def test_watchers_miss_nothing_while_threads_write(store: Store) -> None:
    """Many threads write many boards: a watcher sees each change once, in order, as a chain on every board."""
    boards, writes = 4, 20
    seen: list[Record] = []

    def watching() -> None:
        for record in store.watch(since=0, timeout=PATIENCE):
            seen.append(record)
            if len(seen) == boards * writes:
                return

    def writing(agent: str) -> None:
        for number in range(writes):
            listed(store, str(number), key=Key("default", agent))

    threads = [threading.Thread(target=watching)]
    threads += [threading.Thread(target=writing, args=[str(agent)]) for agent in range(boards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record.sequence for record in seen] == list(range(1, boards * writes + 1))
    for agent in range(boards):
        key = Key("default", str(agent))
        assert [record for record in seen if record.key == key] == list(store.history(key))[::-1]


def test_tallies_add_up(store: Store) -> None:
    """Running totals are kept for each board, by name, and start at nothing."""
    assert store.tallies(KEY) == {}
    store.tally(KEY, {"rejected": 1})
    store.tally(KEY, {"rejected": 1, "tokens": 20})
    store.tally(OTHER, {"tokens": 3})
    assert store.tallies(KEY) == {"rejected": 2, "tokens": 20}
    assert store.tallies(OTHER) == {"tokens": 3}
    assert store.sessions() == []


def test_threads_on_one_plan_lose_no_write(store: Store) -> None:
    """Each of many writes at once is applied exactly once."""
    threads, each = 4, 12

    def adding() -> None:
        board = Board(store=store)
        for number in range(each):
            assert board.add(f"{threading.get_ident()} {number}").ok

    workers = [threading.Thread(target=adding) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    plan = store.load(KEY)
    assert len(plan.todos) == plan.revision == len(list(store.history(KEY))) == threads * each
