"""Boards that people edit: as the model wrote them, as a person sees them, as the model would write them again."""

from collections.abc import Callable

from holdfast import Board, Plan, Reply

Act = Callable[[Board], Reply]


def board_of(*texts: str) -> Board:
    """A board whose model wrote these todos, the first one in progress."""
    board = Board()
    assert board.write({"todos": [{"content": text} for text in texts]}).ok
    assert board.write({"todos": [{"id": "1", "status": "in_progress"}]}).ok
    return board


def shown(plan: Plan) -> list[tuple[str, str, str]]:
    """What a person sees of a plan: ids, texts and statuses, in order."""
    return [(todo.id, todo.content, str(todo.status)) for todo in plan.todos]


def whole_list(plan: Plan) -> dict[str, object]:
    """The model's next write, if it says again what it saw."""
    return {"todos": [{"content": todo.content, "status": str(todo.status)} for todo in plan.todos]}


def by_id(plan: Plan) -> dict[str, object]:
    """The same, as an update."""
    return {"todos": [{"id": todo.id, "content": todo.content, "status": str(todo.status)} for todo in plan.todos]}
