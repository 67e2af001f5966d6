"""Plans and changes as plain data, for programs. The keys are stable; times are seconds since 1970."""

from typing import Any

from ..errors import DamagedRecord
from ..plan import Change, Difference, Plan, Todo
from ..stores import Key, Record, StoredPlan
from ..stores.damage import PlanOrDamage

JSON = dict[str, Any]

PLAN_KEYS = (
    "`session`, `agent`, `revision`, `number`, `summary`, `updated_at`, `done`, `total`, `counts` (by status), "
    "`todos` (each `id`, `content`, `status`, `active_form`, `created_at`, `started_at`, `finished_at`, `evidence`, "
    "`details`: `description`, `priority`, `blocked_by`, `owner`, `metadata`)"
)
RECORD_KEYS = (
    "a list, each with `sequence`, `session`, `agent`, `revision`, `number`, `at`, `by`, `action`, `undoes`, "
    "`summary`, `differences` (each `before`, `after`: a todo or null)"
)


def plan_data(key: Key, plan: Plan) -> JSON:
    """A plan with its session and agent."""
    return {
        "session": key.session,
        "agent": key.agent,
        "revision": plan.revision,
        "number": plan.number,
        "summary": plan.summary,
        "updated_at": plan.updated_at,
        "done": len(plan.done),
        "total": len(plan.todos),
        "counts": {str(status): count for status, count in plan.counts().items()},
        "todos": [todo_data(todo) for todo in plan.todos],
    }


def board_data(board: PlanOrDamage) -> JSON:
    """A board in a list of all boards, damaged ones too."""
    return session_data(board) if isinstance(board, StoredPlan) else damaged_data(board)


def session_data(stored: StoredPlan) -> JSON:
    """A plan in a list of all plans: without its todos, but with the id of the one in progress."""
    data = plan_data(*stored)
    del data["todos"]
    return data | {"current": None if stored.plan.current is None else stored.plan.current.id}


def damaged_data(error: DamagedRecord) -> JSON:
    """The entry of a plan that cannot be read, in such a list."""
    session, agent = error.key
    return {"session": session, "agent": agent, "damaged": str(error)}


def todo_data(todo: Todo) -> JSON:
    """A todo."""
    return {**todo._asdict(), "status": str(todo.status), "details": todo.details._asdict()}


def record_data(record: Record) -> JSON:
    """A change with its session and agent."""
    change = record.change
    return {
        "sequence": record.sequence,
        "session": record.key.session,
        "agent": record.key.agent,
        **_change_data(change),
        "differences": [_difference_data(pair) for pair in change.differences],
    }


def _change_data(change: Change) -> JSON:
    after = change.after
    return {
        "revision": after.revision,
        "number": after.number,
        "at": after.updated_at,
        "by": change.by,
        "action": change.action,
        "undoes": change.undoes,
        "summary": after.summary,
    }


def _difference_data(pair: Difference) -> JSON:
    before, after = pair
    return {
        "before": None if before is None else todo_data(before),
        "after": None if after is None else todo_data(after),
    }
