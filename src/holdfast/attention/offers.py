"""Which actions make sense next, for hosts that can constrain a model to them: pure, like the reminders."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..plan import Plan, Todo
from .policies import Policy, Turn


class Offer(NamedTuple):
    """What makes sense as the model's next action, for hosts that can constrain it.

    `schema` is what a plan write may hold now, narrower than the tool's own, which never changes. Without `look`, the
    work must be more than reading: the model has looked once already.
    """

    write: bool
    work: bool
    stop: bool
    schema: Mapping[str, Any] | None = None
    look: bool = True


def next_offer(plan: Plan, turn: Turn, policy: Policy) -> Offer:
    """Which actions make sense now: the plan if there is none or the user spoke; then work; then marking it done."""
    if not policy.plan_first:
        return Offer(write=True, work=True, stop=True)
    if not plan.todos:
        return Offer(write=True, work=False, stop=False, schema=_texts_only(turn.points))
    todo = plan.next
    if turn.heard and plan.open:
        return Offer(write=True, work=False, stop=todo is None)
    if todo is None:
        # until the user speaks, a finished plan offers only the end; then they may want a new plan, or not
        return Offer(write=turn.heard, work=turn.heard, stop=True)
    if turn.failed >= policy.gives_up_after > 0 and not turn.worked:
        return Offer(write=True, work=False, stop=False, schema=_only_this_todo(todo, "blocked", "cancelled"))
    if turn.times > 1:  # the same call again would only go on
        return Offer(
            write=True, work=False, stop=False, schema=_only_this_todo(todo, "completed", "cancelled", "blocked")
        )
    if not turn.worked:
        return Offer(write=False, work=True, stop=False, look=not turn.looked)
    return Offer(write=True, work=True, stop=False, schema=_only_this_todo(todo, "completed", "cancelled", "blocked"))


MOST_FIRST = 20
"""How many todos a first plan may have where the host constrains it: a small model may go on for ever."""


def _texts_only(points: int) -> Mapping[str, Any]:
    """A first plan: texts only, and as many as the user has listed."""
    item = {
        "type": "object",
        "properties": {"content": {"type": "string", "minLength": 3, "maxLength": 120}},
        "required": ["content"],
        "additionalProperties": False,
    }
    todos = {"type": "array", "items": item, "minItems": points or 1, "maxItems": points or MOST_FIRST}
    return {"type": "object", "properties": {"todos": todos}, "required": ["todos"], "additionalProperties": False}


def _only_this_todo(todo: Todo, *statuses: str) -> Mapping[str, Any]:
    item = {
        "type": "object",
        "properties": {"id": {"const": todo.id}, "status": {"enum": list(statuses)}},
        "required": ["id", "status"],
        "additionalProperties": False,
    }
    todos = {"type": "array", "items": item, "minItems": 1, "maxItems": 1}
    return {"type": "object", "properties": {"todos": todos}, "required": ["todos"], "additionalProperties": False}
