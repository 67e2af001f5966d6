"""Plans and moments, to try on them what a model is told and what it is offered."""

from holdfast import Plan, Status, Todo
from holdfast.attention.state import Turn

OPEN = Plan(
    (
        Todo("1", "Read the parser", Status.COMPLETED),
        Todo("2", "Fix the bug", Status.IN_PROGRESS),
        Todo("3", "Run the tests"),
    ),
    summary="mend the parser",
    revision=3,
    next_id=4,
)
FINISHED = OPEN._replace(todos=tuple(todo._replace(status=Status.COMPLETED) for todo in OPEN.todos))
BLOCKED = OPEN._replace(todos=tuple(todo._replace(status=Status.BLOCKED) for todo in OPEN.todos))
STALE = Turn(since_write=10, first=False)
