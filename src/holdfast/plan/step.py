"""A step: from the plan as it is now to the next one, or to a refusal. Every change of a plan is a step."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .fault import Fault, Refusal
from .plan import Plan
from .todo import Todo


class Written(NamedTuple):
    """The plan after a step.

    `notes` are short lines that the model must read beside the reply. `is_update` says that the write named only what
    changes, `undoes` which revision an undo takes back. `completed` are the todos that it completes, where the step
    knows them: nobody has to look for them again.
    """

    plan: Plan
    notes: tuple[str, ...] = ()
    is_update: bool = False
    undoes: int = 0
    completed: Sequence[Todo] | None = None


Step = Callable[[Plan, float], Written | Refusal]
"""Takes the plan as it is now, and the time in seconds since the epoch."""


def refuse_with(fault: Fault) -> Step:
    """A step that always refuses, with this fault."""
    return lambda plan, now: Refusal((fault,))
