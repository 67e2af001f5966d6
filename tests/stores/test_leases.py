"""The contract of leases, the same for each store, and what they mean for the todos of a plan."""

import threading
import time
from collections.abc import Iterator

import pytest
from patience import wait_until
from test_contract import STORES, opened

from holdfast import Board, Rules
from holdfast.errors import UsageError
from holdfast.plan import Plan, Status
from holdfast.plan.step import Written
from holdfast.stores import Key, Store
from holdfast.stores.leases import Leases, leases_of

KEY = Key("default", "main")
OTHER = Key("default", "helper")
LONG = 600.0
SHORT = 0.05


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Each store in turn."""
    with opened(request.param) as store:
        yield store


@pytest.fixture
def leases(store: Store) -> Leases:
    """The leases of a store."""
    return leases_of(store)


@pytest.fixture
def board(store: Store) -> Board:
    """A board with three todos, and agents enough for all of them."""
    board = Board(store=store, rules=Rules(max_in_progress=10))
    board.write({"todos": [{"content": "one"}, {"content": "two"}, {"content": "three"}]})
    return board


def holders(leases: Leases, key: Key) -> dict[str, str]:
    """Who holds what on a board."""
    return {what: lease.holder for what, lease in leases.active_leases(key).items()}


def test_only_one_holds_a_lease(leases: Leases) -> None:
    """What one holds no other gets, until it is let go."""
    assert leases.acquire_lease(KEY, "1", "ann", LONG)
    assert not leases.acquire_lease(KEY, "1", "bob", LONG)
    assert holders(leases, KEY) == {"1": "ann"}
    leases.release_lease(KEY, "1", "ann")
    assert leases.acquire_lease(KEY, "1", "bob", LONG)


def test_a_lease_is_renewed_by_its_holder(leases: Leases) -> None:
    """Who holds it may take it again, for longer."""
    assert leases.acquire_lease(KEY, "1", "ann", SHORT)
    assert leases.acquire_lease(KEY, "1", "ann", LONG)
    time.sleep(2 * SHORT)
    assert holders(leases, KEY) == {"1": "ann"}


def test_a_lease_runs_out(leases: Leases) -> None:
    """Who does not renew it loses it, and another may take it; the first cannot renew it then."""
    assert leases.acquire_lease(KEY, "1", "ann", SHORT)
    wait_until(lambda: holders(leases, KEY) == {})
    assert leases.acquire_lease(KEY, "1", "bob", LONG)
    assert not leases.acquire_lease(KEY, "1", "ann", LONG)


def test_a_lease_says_how_long_it_lasts(leases: Leases) -> None:
    """The seconds that are left, by the clock of the store."""
    leases.acquire_lease(KEY, "1", "ann", 60)
    leases.acquire_lease(KEY, "2", "bob", 3600)
    left = {what: lease.seconds for what, lease in leases.active_leases(KEY).items()}
    assert 0 < left["1"] <= 60 < left["2"] <= 3600


def test_nobody_lets_go_of_anothers_lease(leases: Leases) -> None:
    """Only the holder can give it back; what nobody holds stays so."""
    leases.acquire_lease(KEY, "1", "ann", LONG)
    leases.release_lease(KEY, "1", "bob")
    leases.release_lease(KEY, "2", "bob")
    assert holders(leases, KEY) == {"1": "ann"}


def test_boards_have_leases_each(leases: Leases) -> None:
    """The same name on another board is another lease, whatever the names are."""
    hostile = Key("'; DROP TABLE leases; --", "a\0b\\0")
    assert all(leases.acquire_lease(key, "a\0\\", "x\0'", LONG) for key in (KEY, OTHER, hostile))
    assert not leases.acquire_lease(hostile, "a\0\\", "y", LONG)
    assert holders(leases, hostile) == {"a\0\\": "x\0'"}


def test_of_many_that_ask_at_once_one_gets_it(leases: Leases) -> None:
    """However many ask in the same moment, one is told yes."""
    names = [str(number) for number in range(8)]
    start = threading.Barrier(len(names))
    winners: list[str] = []

    def asking(name: str) -> None:
        start.wait()
        if leases.acquire_lease(KEY, "1", name, LONG):
            winners.append(name)

    threads = [threading.Thread(target=asking, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [holders(leases, KEY)["1"]] == winners


def test_a_claim_makes_a_todo_ones_own(board: Board) -> None:
    """The next free todo is in progress then, with its owner; a lease is no change of the plan."""
    claim = board.claim("ann")
    assert claim.todo is not None and claim.reply.ok
    assert (claim.todo.id, claim.todo.status, claim.todo.details.owner) == ("1", Status.IN_PROGRESS, "ann")
    revision = board.plan.revision
    again = board.claim("ann", "1")
    assert again.todo == claim.todo
    assert board.plan.revision == revision
    assert next(board.history()).change.action == "claim"


def test_two_agents_get_two_todos_and_then_nothing(board: Board) -> None:
    """Each claim takes what no other has; when all is taken, the reply says so."""
    taken = [board.claim(name).todo for name in ("ann", "bob", "cyd")]
    assert [todo and todo.id for todo in taken] == ["1", "2", "3"]
    none = board.claim("dan")
    assert none.todo is None
    assert [fault.code for fault in none.reply.faults] == ["nothing_free"]
    assert "3 open, 3 of them held" in none.reply.text


def test_a_claim_by_id_says_why_it_cannot_be(board: Board) -> None:
    """What is held, done, blocked or not there is refused, and nothing changes."""
    board.claim("ann", "1")
    board.edit("2", status="completed")
    board.edit("3", status="blocked")
    before = board.plan
    told = {id: board.claim("bob", id).reply.faults[0] for id in ("1", "2", "3", "9")}
    assert {id: fault.code for id, fault in told.items()} == {
        "1": "held",
        "2": "done",
        "3": "blocked",
        "9": "unknown_id",
    }
    assert "'ann'" in told["1"].message
    assert board.plan == before


def test_a_todo_that_waits_for_another_is_not_free(store: Store) -> None:
    """Dependencies are kept: it is neither given nor to be had by its id, until what it waits for is done."""
    board = Board(store=store, rules=Rules(max_in_progress=10))
    board.update([{"content": "first"}, {"content": "second"}])
    depends_on_first(board)
    assert (todo := board.claim("ann").todo) is not None and todo.id == "1"
    assert board.claim("bob").reply.faults[0].code == "nothing_free"
    assert board.claim("bob", "2").reply.faults[0].code == "waiting"
    assert board.finish("ann", "1").ok
    assert (todo := board.claim("bob").todo) is not None and todo.id == "2"


def depends_on_first(board: Board) -> None:
    """Make the second todo wait for the first."""

    def step(plan: Plan, now: float) -> Written:
        first, second = plan.todos
        second = second._replace(details=second.details._replace(blocked_by=(first.id,)))
        return Written(plan._replace(todos=(first, second), revision=plan.revision + 1))

    assert board.apply(step, "update").ok


def test_who_comes_back_gets_its_own_todo(board: Board) -> None:
    """An agent that was restarted under its name goes on with what it had."""
    board.claim("ann", "2")
    again = Board(store=board.store).claim("ann")
    assert again.todo is not None and again.todo.id == "2"


def test_an_agent_that_died_loses_its_todo_to_another(board: Board) -> None:
    """When the lease has run out the todo is free again, and the one that comes back too late cannot finish it."""
    board.claim("ann", "1", seconds=SHORT)
    wait_until(lambda: board.claim("bob", "1").todo)
    assert board.plan.todos[0].details.owner == "bob"
    late = board.finish("ann", "1")
    assert [fault.code for fault in late.faults] == ["not_yours"]
    assert board.claim("ann", "1").reply.faults[0].code == "held"
    assert board.finish("bob", "1", evidence="the tests pass").ok
    done = board.plan.todos[0]
    assert (done.status, done.details.owner, done.evidence) == (Status.COMPLETED, "bob", "the tests pass")


def test_a_slow_agent_that_nobody_replaced_may_finish(board: Board) -> None:
    """A lease that ran out takes nothing away by itself: the plan says whose the todo is."""
    board.claim("ann", "1", seconds=SHORT)
    wait_until(lambda: holders(board.leases, board.key) == {})
    assert board.finish("ann", "1").ok


def test_a_released_todo_is_pending_and_free(board: Board) -> None:
    """Only the owner can release it, and then any other may have it."""
    board.claim("ann", "1")
    assert board.release("bob", "1").faults[0].code == "not_yours"
    assert board.release("ann", "1").ok
    assert (board.plan.todos[0].status, board.plan.todos[0].details.owner) == (Status.PENDING, "")
    assert holders(board.leases, board.key) == {}
    assert board.claim("bob", "1").todo is not None


def test_a_persons_word_stands_above_a_claim(board: Board) -> None:
    """What a person cancelled, its owner does not complete; what a person completed is done."""
    board.claim("ann", "1")
    board.claim("bob", "2")
    board.edit("1", status="cancelled")
    board.edit("2", status="completed")
    assert board.finish("ann", "1").faults[0].code == "done"
    assert board.plan.todos[0].status is Status.CANCELLED
    revision = board.plan.revision
    assert board.finish("bob", "2").ok
    assert board.plan.revision == revision


def test_a_lease_of_the_last_plan_does_not_hold_the_next(board: Board) -> None:
    """Ids begin anew with a new plan; who held todo 1 of the old one does not hold todo 1 of this one."""
    board.claim("ann", "1")
    board.clear()
    board.write({"todos": [{"content": "something else"}]})
    assert board.plan.todos[0].id == "1"
    assert board.finish("ann", "1").faults[0].code == "not_yours"
    assert board.claim("bob", "1").todo is not None


def test_many_agents_finish_each_todo_once(store: Store) -> None:
    """Threads that claim and finish until nothing is left: every todo has one owner, and was finished once, by it."""
    todos, agents = 24, 6
    names = [f"agent {number}" for number in range(agents)]
    Board(store=store).update([{"content": f"todo {number}"} for number in range(todos)])
    finished: list[tuple[str, str]] = []

    def working(name: str) -> None:
        board = Board(store=store)
        while (todo := board.claim(name).todo) is not None:
            assert board.finish(name, todo.id).ok
            finished.append((todo.id, name))

    threads = [threading.Thread(target=working, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plan = store.load(KEY)
    assert sorted(finished) == sorted((todo.id, todo.details.owner) for todo in plan.todos)
    assert len(finished) == todos and plan.is_finished


@pytest.mark.parametrize(("holder", "seconds"), [("", 1.0), ("x" * 201, 1.0), ("ann", 0.0), ("ann", float("nan"))])
def test_a_claim_that_cannot_be_is_a_usage_error(holder: str, seconds: float) -> None:
    """A claim needs a name, and a time to last."""
    with pytest.raises(UsageError):
        Board().claim(holder, seconds=seconds)


def test_a_store_without_leases_says_so() -> None:
    """A store of somebody's own need not have them."""

    class Plain:
        load = commit = history = sessions = watch = tally = tallies = close = None

    with pytest.raises(UsageError, match="Plain keeps no leases"):
        leases_of(Plain())  # type: ignore[arg-type]  # it is no store at all, which is the point
