"""One step in the life of a plan: what it was before and after, who made it and how."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .plan import Plan
from .todo import Todo

Author = Literal["model", "person", "host"]


class Difference(NamedTuple):
    """One todo before and after a change. `before` is None if it was added, `after` is None if it was removed."""

    before: Todo | None
    after: Todo | None


class Change(NamedTuple):
    """One step in the life of a plan: `by` is "model", "person" or "host", `action` the verb that made it.

    `undoes` is the revision that an undo took back, 0 for every other action.
    """

    before: Plan
    after: Plan
    by: Author = "model"
    action: str = "write"
    undoes: int = 0

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every todo that was added, changed or removed. A closed plan keeps its todos: they are not removed."""
        return differences(self.before.todos if self.before.number == self.after.number else (), self.after.todos)

    @property
    def is_progress(self) -> bool:
        """Whether a todo came, went or changed its status."""
        return any(old is None or new is None or old.status is not new.status for old, new in self.differences)


def differences(before: Sequence[Todo], after: Sequence[Todo]) -> tuple[Difference, ...]:
    """What became of each todo between two lists, in the order of the new one; removed todos come last."""
    if len(before) == len(after):
        pairs = [pair for pair in zip(before, after, strict=True) if pair[0] is not pair[1]]
        if all([old.id == new.id for old, new in pairs]):  # noqa: C419 a list is twice as fast
            return tuple([Difference(old, new) for old, new in pairs if old != new])
    gone = {todo[0]: todo for todo in before}
    changed = []
    for todo in after:
        old = gone.pop(todo[0], None)
        if old != todo:
            changed.append(Difference(old, todo))
    return (*changed, *[Difference(todo, None) for todo in gone.values()])
