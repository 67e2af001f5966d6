"""Todos that are marked for the model: because its calls show it, or because it goes on with what it should mark.

Small models always say that they are done, and the smallest do not say it when they are asked to. So the calls decide.
"""

from ..dialects import Reply
from ..plan import Plan, Todo
from ..plan.goals import names_for
from ..plan.work import Work
from .attended import AttendedBoard
from .policies import Policy
from .state import TO_BE_MARKED, State, Turn, state_of, work_on


def complete_shown(board: AttendedBoard, todo: Todo) -> str:
    """Complete a todo whose calls show that it is done, and return what the model should know of it.

    The newest call has done something, it names what the todo is about, and together they have mentioned all of it.
    """
    plan = board.plan
    work = work_on(plan, board.work)
    last = work.last
    if last is None or not last.changes or not last.mentions or _is_left_alone(plan, todo):
        return ""
    if work.missing_names(names_for(plan, todo)):
        return ""
    return _progress(board.complete(todo.id, last.label))


def to_be_marked(plan: Plan, turn: Turn, policy: Policy) -> tuple[str, State] | None:
    """The current todo and where the work on it stands, if there is nothing left to do but to mark it."""
    todo = plan.next
    if todo is None:
        return None
    state = state_of(plan, todo, turn, policy)
    return (todo.id, state) if state in TO_BE_MARKED else None


def mark_instead(board: AttendedBoard, todo: Todo, work: Work, state: State) -> str:
    """Mark a todo that the model was told to mark, and went on with. Returns what it should know of it.

    A model that does not mark it then never does. It is completed only if its calls have mentioned all of it.
    """
    plan = board.plan
    if _is_left_alone(plan, todo):
        return ""
    assert work.last is not None, "what is to be marked has a call"
    is_hopeless, missing = state is State.GIVE_UP, work.missing_names(names_for(plan, todo))
    if not (is_hopeless or missing):
        return _progress(board.complete(todo.id, (work.done_by or work.last).label))
    why = f"failed {work.failures} times" if is_hopeless else f"{', '.join(missing)} is missing"
    board.block(todo.id, f"{why}: {work.last.label}")
    return f"Item {todo.id} is blocked now."


def _is_left_alone(plan: Plan, todo: Todo) -> bool:
    """Whether a todo is left to its check, or to the next request, since a person has just changed something."""
    return bool(todo.check or plan.edits)


def _progress(reply: Reply) -> str:
    return f"{len(reply.plan.done)}/{len(reply.plan.todos)} done." if reply.ok else ""
