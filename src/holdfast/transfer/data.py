"""Plans and changes as plain data, for programs. The keys are stable; times are seconds since 1970."""

from typing import Any

from ..errors import DamagedRecord
from ..plan import Plan, Todo
from ..stores import Key, Record, StoredPlan
from ..stores.damage import PlanOrDamage

JSON = dict[str, Any]

PLAN_KEYS = (
    "`session`, `agent`, `title`, `about` (`name`, `title`, `client`, `folder`, `branch`, `archived_at`, "
    "`review`: empty, waiting or approved; `began_at`, `task_ids`, `deleted_at`), `is_archived`, "
    "`revision`, `number`, `summary`, `updated_at`, `done`, `total`, `counts` (by status), "
    "`todos` (each `id`, `content`, `status`, `active_form`, `created_at`, `started_at`, `finished_at`, `evidence`, "
    "`details`: `description`, `priority`, `blocked_by`, `owner`, `metadata`, `check`, `reason`, `section`; `proof`: "
    "null, or the `check` that was passed, `content`, `output`, `at`, `by`)"
)
RECORD_KEYS = (
    "a list, each with `sequence`, `session`, `agent`, `revision`, `number`, `at`, `by`, `action`, `undoes`, "
    "`summary`, `differences` (each `before`, `after`: a todo or null)"
)


WORK_KEYS = ("tool", "call", "failed", "read_only", "times", "files", "at")
"""What is said of each use of a tool for a todo; the rest is for telling calls apart."""


def plan_data(key: Key, plan: Plan) -> JSON:
    """A plan with its session and agent."""
    return {
        **key._asdict(),
        "title": plan.title,
        "about": plan.about._asdict(),
        "is_archived": plan.is_archived,
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
    proof = None if todo.proof is None else todo.proof._asdict()
    work = [{name: getattr(use, name) for name in WORK_KEYS} for use in todo.work]
    nested = {"details": todo.details._asdict(), "work": work, "proof": proof}
    return {**todo._asdict(), "status": str(todo.status), **nested}


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
