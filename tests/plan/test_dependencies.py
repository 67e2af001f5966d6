"""Todos that wait for others: who is free, and which dependencies are refused."""

from itertools import pairwise
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan import DetailsWish, Draft, Plan, Status, Wish
from holdfast.plan.dependencies import check_dependencies, cycle
from holdfast.plan.fault import Refusal
from holdfast.plan.model_write import Terms, write
from holdfast.plan.rules import PLAIN
from holdfast.plan.transitions import advance, merge, replace
from holdfast.plan.work import NO_WORK

_ids = st.sampled_from("abcdef")
_waits = st.dictionaries(_ids, st.lists(_ids, max_size=3).map(tuple), max_size=6)


def _chain(*blockers: tuple[str, ...]) -> Draft:
    """A list of todos named by their place, each with what it waits for."""
    return Draft(
        [
            Wish(str(place), f"step {place}", details=DetailsWish(blocked_by=blocked_by))
            for place, blocked_by in enumerate(blockers, 1)
        ]
    )


def _by_id(id: str, status: Status) -> Draft:
    return Draft([Wish(id, status=status)], merge=True)


def test_what_waits_is_not_next() -> None:
    """The first todo that waits for no other is what to do now, wherever it is in the list."""
    plan = replace(Plan(), _chain(("2",), ()), 0)
    assert plan.next is not None and plan.next.id == "2"
    started = advance(plan, 1)
    assert started.current is not None and started.current.id == "2"


def test_a_todo_is_free_when_its_blocker_is_done_or_cancelled_or_gone() -> None:
    """A todo waits as long as what blocks it is open."""
    plan = replace(Plan(), _chain((), ("1",)), 0)
    second = plan.todos[1]
    assert not plan.is_free(second) and plan.blockers(second) == plan.todos[:1]
    for status in (Status.COMPLETED, Status.CANCELLED):
        assert merge(plan, _by_id("1", status), 1).is_free(second)
    for status in (Status.IN_PROGRESS, Status.BLOCKED):
        assert not merge(plan, _by_id("1", status), 1).is_free(second)
    assert plan._replace(todos=plan.todos[1:]).is_free(second)


def test_an_unknown_blocker_is_named() -> None:
    """A todo that should wait for an unknown one is a fault that names both."""
    draft = _chain((), ("9",))
    (fault,) = check_dependencies(Plan(), draft, replace(Plan(), draft, 0))
    assert (fault.path, fault.code, fault.received) == ("todos (id 2).blockedBy", "unknown_blocker", "9")
    assert (fault.message, fault.field) == ("no todo '9' to wait for", "blockedBy")


def test_a_models_write_with_an_unknown_blocker_is_refused() -> None:
    """The fault names the list as the dialect does."""
    refused = write(Plan(), _chain((), ("9",)), Terms(PLAIN, "tasks", NO_WORK), 0)
    assert isinstance(refused, Refusal)
    assert [(fault.path, fault.code) for fault in refused.faults] == [("tasks (id 2).blockedBy", "unknown_blocker")]


def test_a_write_that_names_no_dependency_is_not_held_up_by_those_that_are_there() -> None:
    """A ring that an older version let in is no reason to refuse the next write, if that says nothing of it."""
    ring = replace(Plan(), _chain(("2",), ("1",)), 0)
    without = Draft([Wish("1", "step 1"), Wish("2", "step 2", details=DetailsWish(priority="high"))])
    assert check_dependencies(ring, without, replace(ring, without, 1)) == []


def test_a_ring_is_named() -> None:
    """Todos that wait for each other are a fault that shows the ring."""
    draft = _chain(("3",), (), ("1", "2"))
    (fault,) = check_dependencies(Plan(), draft, replace(Plan(), draft, 0))
    assert fault.code == "cycle" and fault.message == "todos wait for each other: 1 → 3 → 1"
    assert (fault.path, fault.field, fault.received) == ("todos", "blockedBy", "1 → 3 → 1")


def test_a_todo_that_waits_for_itself_is_a_ring() -> None:
    """The smallest ring is a todo that waits for itself."""
    assert cycle({"1": ("1",)}) == ("1", "1")


def test_each_todo_is_looked_at_once() -> None:
    """However many ways lead to a todo: steps that each wait for two others have more ways than there is time for."""

    class Asked(dict[str, tuple[str, ...]]):
        ids: ClassVar[list[str]] = []

        def get(self, id: str, default: Any = None) -> Any:
            self.ids.append(id)
            return super().get(id, default)

    steps = range(12)
    waits = Asked({f"{side}{step}": (f"a{step + 1}", f"b{step + 1}") for step in steps for side in "ab"})
    assert cycle(waits) == ()
    assert sorted(Asked.ids) == sorted({*waits, "a12", "b12"})


def test_a_blocker_that_has_left_the_plan_may_still_be_named() -> None:
    """A list that restates its dependencies is taken, though a blocker has been taken out since."""
    before = replace(Plan(), _chain((), ("1",)), 0)
    draft = Draft([Wish("2", "step 2", details=DetailsWish(blocked_by=("1",)))])
    after = replace(before, draft, 1)
    assert [todo.id for todo in after.todos] == ["2"] and check_dependencies(before, draft, after) == []
    again = replace(after, draft, 2)
    assert check_dependencies(after, draft, again) == []


@given(_waits)
def test_a_ring_is_found_if_and_only_if_there_is_one(waits: dict[str, tuple[str, ...]]) -> None:
    """What `cycle` returns is a ring; if it returns nothing, the todos can be done one after the other."""
    ring = cycle(waits)
    if ring:
        assert ring[0] == ring[-1] and len(ring) > 1
        assert all(other in waits[id] for id, other in pairwise(ring))
        return
    left = dict(waits)
    while left:
        free = [id for id, others in left.items() if not any(other in left for other in others)]
        assert free, f"nothing is free in {left}"
        for id in free:
            del left[id]
