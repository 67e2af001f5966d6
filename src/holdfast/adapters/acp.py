"""The plan for editors that speak the Agent Client Protocol: `session/update` with the entries of a plan.

An agent that such an editor runs sends a notification for each change:

    acp.follow(board, session_id, lambda message: print(json.dumps(message), flush=True))
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..board import Board
from ..plan import Change, Plan, Status, Todo
from ..text import one_line

JSON = dict[str, Any]

PRIORITIES = ("high", "medium", "low")
UNSAID = "medium"
"""The protocol wants a priority of every entry; most todos have none."""


def entries(plan: Plan) -> list[JSON]:
    """The todos as entries, in order. What is blocked is pending there; what was cancelled is no part of the plan."""
    return [_entry(todo) for todo in plan.todos if todo.status is not Status.CANCELLED]


def update(plan: Plan) -> JSON:
    """The update that tells of a whole plan: the protocol knows no smaller one."""
    return {"sessionUpdate": "plan", "entries": entries(plan)}


def notification(session_id: str, plan: Plan) -> JSON:
    """The JSON-RPC message that tells an editor of a plan."""
    params = {"sessionId": session_id, "update": update(plan)}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def follow(board: Board, session_id: str, send: Callable[[JSON], object]) -> Callable[[], None]:
    """Send a notification after every change that an editor can see; call what is returned to end that.

    It hears of what is done through this board. `changes` hears of all, and waits for it.
    """

    def tell(change: Change) -> None:
        if entries(change.after) != entries(change.before):
            send(notification(session_id, change.after))

    return board.on_change(tell)


def changes(board: Board, session_id: str, timeout: float | None = None) -> Iterator[JSON]:
    """The plan as it is, then a notification for every change of it that an editor can see, whoever makes it.

    Ends when nothing in the store changes for `timeout` seconds; without it, it waits for ever. Raises StoreError.
    """
    records = board.store.watch(timeout=timeout)
    plan = board.plan
    yield notification(session_id, plan)
    for record in records:
        after = record.change.after
        if record.key == board.key and after.revision > plan.revision:
            if entries(after) != entries(plan):
                yield notification(session_id, after)
            plan = after


def _entry(todo: Todo) -> JSON:
    status = Status.PENDING if todo.status is Status.BLOCKED else todo.status
    priority = todo.details.priority if todo.details.priority in PRIORITIES else UNSAID
    return {"content": one_line(todo.content), "priority": priority, "status": str(status)}
