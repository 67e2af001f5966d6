"""An open plan of one session, carried into another: offered, then taken over todo by todo.

Whoever writes a todo with the text of one that was offered has taken it over: it keeps when it was created and what was
done for it, and leaves the plan where it was.
"""

from collections.abc import Callable, Sequence
from itertools import islice

from ..attention.reminders import quoted
from ..plan import Plan, Todo
from ..plan.step import Step, Written
from ..stores import Key, Store, StoredPlan
from ..stores.damage import readable_or_warn
from ..stores.newest import boards_by_age
from ..text import counted, one_line, shorten
from .board import Board

LONGEST = 2000
MOST_NAMED = 20
DAY = 86_400.0
OLDEST = 14 * DAY
"""How long nobody may have changed a plan that is offered by itself."""


def open_plan_elsewhere(
    store: Store,
    session: str,
    oldest: float = 0.0,
    may_offer: Callable[[StoredPlan], bool] = lambda plan: True,
    most: int | None = None,
) -> StoredPlan | None:
    """The open plan of another session's main agent that was changed last, if there is one. Raises StoreError.

    With `most`, it is looked for only among so many boards that were changed last.
    """
    for board in readable_or_warn(islice(boards_by_age(store, archived=False), most)):
        plan = board.plan
        if plan.updated_at < oldest:
            return None  # the rest is older
        is_other = board.key.session != session and board.key.agent == "main"
        if is_other and plan.open and may_offer(board):
            return board
    return None


def offer(found: StoredPlan, tool: str, is_asked: bool = False) -> str:
    """What a model reads of another session's open plan. With `is_asked`, the user wants it to go on."""
    plan, todos = found.plan, found.plan.open
    title = f' ("{_harmless(shorten(plan.title, 80))}")' if plan.title else ""
    lines = [f"- {quoted(todo)}" for todo in todos[:MOST_NAMED]]
    if len(todos) > MOST_NAMED:
        lines.append(f"and {len(todos) - MOST_NAMED} more")
    how = f"put them into your own list first, with {tool}, in exactly these words: then they are the same todos"
    if is_asked:
        end = f"The user wants you to go on with them: {how}."
    else:
        away = f"holdfast resume --no --session {one_line(found.key.session)[:8]}"
        end = f"If the user's request goes on with that work, {how}. If not, leave them. `{away}` puts them away."
    head = f"An earlier conversation{title} left {counted(len(todos), 'todo')} open:"
    return shorten_block(["<plan>", head, *lines, end, "</plan>"])


def take_over(board: Board, source: Key) -> int:
    """Take over the todos of a board that were offered to it from another plan; how many they were.

    Those are its todos with the text of an open one there. Nothing is lost if this ends in between: then a todo is in
    both plans.
    """
    theirs = board.store.load(source).open
    mine = {todo.content for todo in board.plan.open}
    taken = [todo for todo in theirs if todo.content in mine]
    if not taken:
        return 0
    board.apply(_received(taken), "carry")
    giver = Board.for_person(board.store, source.session, source.agent)
    giver.apply(_given({todo.id for todo in taken}), "carry")
    return len(taken)


def _received(taken: Sequence[Todo]) -> Step:
    """A plan whose todos know what was done for them before."""
    old = {todo.content: todo for todo in taken}

    def step(plan: Plan, now: float) -> Written:
        todos = [_with_past(todo, old[todo.content]) if todo.content in old else todo for todo in plan.todos]
        return Written(plan if tuple(todos) == plan.todos else _next(plan, tuple(todos), now))

    return step


def _given(ids: set[str]) -> Step:
    """A plan without the todos that another has taken over."""

    def step(plan: Plan, now: float) -> Written:
        todos = tuple(todo for todo in plan.todos if todo.id not in ids)
        edits = tuple(known for known in plan.edits if known.id not in ids)
        after = _next(plan._replace(edits=edits, seen=plan.seen if edits else ()), todos, now)
        return Written(plan if todos == plan.todos else after)

    return step


def _with_past(todo: Todo, old: Todo) -> Todo:
    past = todo._replace(created_at=old.created_at, started_at=old.started_at or todo.started_at)
    details = todo.details._replace(check=todo.details.check or old.details.check)
    return past._replace(work=old.work + todo.work, details=details)


def _next(plan: Plan, todos: tuple[Todo, ...], now: float) -> Plan:
    return plan._replace(todos=todos, revision=plan.revision + 1, updated_at=now)


def shorten_block(lines: Sequence[str]) -> str:
    """The lines of a block, with the longest ones cut so that a model reads no more than it must."""
    room = max(LONGEST // max(len(lines), 1), 120)
    return "\n".join(shorten(line, max(room, 400)) if line.startswith("- ") else line for line in lines)


def _harmless(text: str) -> str:
    return one_line(text).replace("<", "&lt;")
