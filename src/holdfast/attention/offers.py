"""Which actions make sense next, for hosts that can constrain a model to them: pure, like the reminders."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..plan import Plan, Todo
from .policies import Policy
from .state import State, Turn, focus, looks_in_sight, state_of

FINAL_STATUSES = ("completed", "cancelled", "blocked")


class Offer(NamedTuple):
    """What makes sense as the model's next action, for hosts that can constrain it.

    `schema` is what a plan write may hold now, narrower than the tool's own, which never changes. `work` is other
    tools: without `look`, not those that only read; with `only_look`, only those, if the host has any. `without` are
    names of tools that have just failed, to be left out if others are left. `ride` is whether an update may come with
    the call of another tool.
    """

    write: bool
    work: bool
    stop: bool
    schema: Mapping[str, Any] | None = None
    look: bool = True
    only_look: bool = False
    without: frozenset[str] = frozenset()
    ride: bool = False

    def allows(self, tool: str, read_only: bool = False) -> bool:
        """Whether a tool other than the plan's own makes sense now. If no tool of a host does, all of them do."""
        if not self.work or tool in self.without:
            return False
        return self.look if read_only else not self.only_look


def next_offer(plan: Plan, turn: Turn, policy: Policy) -> Offer:
    """Which actions make sense now: the plan if there is none or the user spoke; then work; then marking it done."""
    if not policy.plan_first:
        return Offer(write=not turn.idle, work=True, stop=True)
    if not plan.todos and not turn.cleared:
        return Offer(write=True, work=False, stop=False, schema=_texts_only(turn.points))
    todo = focus(plan, turn)
    if turn.heard and plan.open:
        return Offer(write=True, work=False, stop=todo is None)
    if todo is None:
        # until the user speaks, a finished plan offers only the end; then they may want a new plan, or not
        return Offer(write=turn.heard, work=turn.heard, stop=True)
    match state_of(plan, todo, turn, policy):
        case State.GIVE_UP:  # what succeeded before may be marked, whatever failed since
            statuses = FINAL_STATUSES if turn.work.calls else ("blocked", "cancelled")
            return Offer(write=True, work=False, stop=False, schema=_only_this_todo(todo, *statuses))
        case State.DONE_BEFORE | State.REPEATED:  # the same call again would only go on
            return Offer(write=True, work=False, stop=False, schema=_only_this_todo(todo, *FINAL_STATUSES))
        case State.FAILED:
            return _another_way(todo, turn)
        case State.UNMENTIONED:
            return Offer(write=False, work=True, stop=False)
        case State.UNREAD:
            return Offer(write=False, work=True, stop=False, only_look=turn.can_look)
        case State.NEW:
            return Offer(write=False, work=True, stop=False)
        case State.LOOKED:
            return Offer(write=False, work=True, stop=False, look=False, without=_failed_tools(turn))
    return Offer(write=True, work=True, stop=False, schema=_only_this_todo(todo, *FINAL_STATUSES))


def _another_way(todo: Todo, turn: Turn) -> Offer:
    """After a failure: a look first, if there was none for this todo yet; then any tool but the one that failed.

    Where the shell is best it stays: it has many ways, and can look as well. What succeeded before may be marked,
    whatever failed since.
    """
    last = turn.work.last
    if turn.work.calls:
        schema = _only_this_todo(todo, *FINAL_STATUSES)
        return Offer(write=True, work=True, stop=False, schema=schema, without=_failed_tools(turn))
    is_first_look = not looks_in_sight(turn) and last is not None and not last.read_only
    if is_first_look and turn.can_look and not turn.tool:
        return Offer(write=False, work=True, stop=False, only_look=True)
    return Offer(write=False, work=True, stop=False, look=is_first_look, without=_failed_tools(turn))


def _failed_tools(turn: Turn) -> frozenset[str]:
    """The tools that have failed for this todo and never succeeded for it. One that it is best done with stays."""
    kept = {turn.tool, *(use.tool for use in turn.work.uses if not use.failed)}
    return frozenset(use.tool for use in turn.work.uses if use.failed and use.tool not in kept)


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
