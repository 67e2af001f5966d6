"""Plans and changes as plain data, for programs. The keys are stable; times are seconds since 1970."""

from typing import Any

from ..errors import DamagedRecord
from ..plan import Plan, Todo
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
        **key._asdict(),
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
    """A board in a list of all boards, damaged ones too: no todos, but the id of the one in progress."""
    if not isinstance(board, StoredPlan):
        return damaged_data(board)
    data = plan_data(board.key, board.plan)
    del data["todos"]
    return data | {"current": None if board.plan.current is None else board.plan.current.id}


def damaged_data(error: DamagedRecord) -> JSON:
    """The entry of a plan that cannot be read, in such a list."""
    session, agent = error.key
    return {"session": session, "agent": agent, "damaged": str(error)}


def todo_data(todo: Todo) -> JSON:
    """A todo."""
    return {**todo._asdict(), "status": str(todo.status), "details": todo.details._asdict()}


def record_data(record: Record) -> JSON:
    """A change with its session and agent."""
    change, after = record.change, record.change.after
    return {
        "sequence": record.sequence,
        **record.key._asdict(),
        "revision": after.revision,
        "number": after.number,
        "at": after.updated_at,
        "by": change.by,
        "action": change.action,
        "undoes": change.undoes,
        "summary": after.summary,
        "differences": [
            {side: None if todo is None else todo_data(todo) for side, todo in pair._asdict().items()}
            for pair in change.differences
        ],
    }
