"""A board through any life, by Hypothesis: whatever is done to it in whatever order, some things always hold."""

from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from holdfast import Board, Change, Plan, Reply, Status
from holdfast.plan import DONE


class Ticking:
    """A clock that goes on by one at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        self.now += 1
        return self.now


class AnyLife(RuleBasedStateMachine):
    """A board through any life: the model, people and the host do what they may in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board(clock=Ticking())
        self.heard: list[Change] = []
        self.acknowledged = 0
        self.board.on_change(self.heard.append)

    def does(self, act: Callable[[], Reply]) -> None:
        """Do something, and check what holds after every single act."""
        before = self.board.plan
        reply = act()
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
        self.does(lambda: self.board.write({"todos": todos}))

    @rule(todos=st.lists(st.fixed_dictionaries({"id": ids}, optional={"content": texts, "status": status}), max_size=3))
    def writes_by_id(self, todos: list[dict[str, str]]) -> None:
        """The model writes an update."""
        self.does(lambda: self.board.write({"todos": todos}))

    @rule(todos=st.lists(st.fixed_dictionaries({"id": ids}, optional={"content": texts, "status": status}), max_size=3))
    def updates(self, todos: list[dict[str, str]]) -> None:
        """The host updates."""
        self.does(lambda: self.board.update(todos))

    @rule(id=ids, content=st.none() | texts, status=st.none() | status)
    def edits(self, id: str, content: str | None, status: str | None) -> None:
        """A person edits."""
        self.does(lambda: self.board.edit(id, content=content, status=status))

    @rule(content=texts, position=st.none() | st.integers(0, 9))
    def adds(self, content: str, position: int | None) -> None:
        """A person adds."""
        self.does(lambda: self.board.add(content, position=position))

    @rule(id=ids)
    def removes(self, id: str) -> None:
        """A person removes."""
        self.does(lambda: self.board.remove(id))

    @rule(id=ids, position=st.integers(-2, 9))
    def moves(self, id: str, position: int) -> None:
        """A person moves."""
        self.does(lambda: self.board.move(id, position))

    @rule()
    def undoes(self) -> None:
        """A person takes a change back."""
        self.does(self.board.undo)

    @rule()
    def clears(self) -> None:
        """A person clears the plan."""
        self.does(self.board.clear)

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
        """The history leads from the empty plan to the present one, one revision per step; listeners got all of it."""
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
