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
DEFAULT_PRIORITY = "medium"
"""The protocol wants a priority for every entry; most todos have none."""


def entries(plan: Plan) -> list[JSON]:
    """The todos as entries, in order. What is blocked is pending there; what was cancelled is no part of the plan."""
    return [_entry(todo) for todo in plan.todos if todo.status is not Status.CANCELLED]


def update(plan: Plan) -> JSON:
    """The update with a whole plan: the protocol has no smaller one."""
    return {"sessionUpdate": "plan", "entries": entries(plan)}


def notification(session_id: str, plan: Plan) -> JSON:
    """The JSON-RPC message that sends a plan to an editor."""
    params = {"sessionId": session_id, "update": update(plan)}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def follow(board: Board, session_id: str, send: Callable[[JSON], object]) -> Callable[[], None]:
    """Send a notification after every change that an editor can see. Call the returned function to end that.

    It follows what is done through this board. `changes` follows everyone's changes, and waits for them.
    """

    def send_change(change: Change) -> None:
        if entries(change.after) != entries(change.before):
            send(notification(session_id, change.after))

    return board.on_change(send_change)


def changes(board: Board, session_id: str, timeout: float | None = None) -> Iterator[JSON]:
    """The plan as it is, then a notification for every change of it that an editor can see, whoever makes it.

    Ends when nothing in the store changes for `timeout` seconds; without it, it never ends. Raises StoreError.
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
    priority = todo.details.priority if todo.details.priority in PRIORITIES else DEFAULT_PRIORITY
    return {"content": one_line(todo.content), "priority": priority, "status": str(status)}
