"""A user's list as the plan: from the start, or when a model cannot go on by itself."""

import re
from collections.abc import Iterable, Sequence

from ..plan import Draft, Plan, Status, Todo, Wish
from ..plan.goals import names_for
from ..plan.names import named_in, names_of
from ..plan.rules import check
from ..plan.step import Written
from ..plan.transitions import merge
from ..plan.work import LONGEST_CALL, NO_WORK
from ..text import pattern
from .attended import AttendedBoard

_FORBIDDEN = (
    r"(?i)(?:(?:please|but|also|and),? )*(?:do not|don['’]t|never|no need to) (?!forget\b|hesitate\b|fail\b)"
    r"((\w+) .+?)(?:[:;,]\s*|[.!]+(?:\s+|$)|$)"
)
"""What a point says not to do: `do not delete a.txt: it must stay`."""


def adopt(board: AttendedBoard, points: Sequence[str], goal: str) -> bool:
    """Make the user's list the plan, or add it to the plan that is open. Returns whether that could be done.

    What stands around the list is the goal of the plan, and so is what the list forbids. What the user takes back is
    cancelled.
    """
    plan = board.plan
    taken_back = {point: _taken_back(point, plan.open) for point in points}
    forbidden = [point for point, (_, rest) in taken_back.items() if not rest]
    known = {*forbidden, *(todo.content for todo in plan.open)}
    new = [point for point in points if point not in known]
    if not plan.open:
        if not new:
            return False
        goal = "\n".join(part for part in (goal, *forbidden) if part)
        is_adopted = board.update([{"content": point} for point in new], goal).ok
        if is_adopted:
            board.resume_work(NO_WORK)  # what was done before was done for no todo of this plan
        return is_adopted
    rules = board.dialect.rules
    drafted = Draft([Wish(content=point) for point in new])
    if check(drafted, rules) or len(plan.todos) + len(new) > rules.max_items:
        return False
    cancelled = [Wish(todo.id, status=Status.CANCELLED) for todos, _ in taken_back.values() for todo in todos]
    drafted = Draft([*cancelled, *drafted.wishes])
    return board.apply(lambda plan, now: Written(merge(plan, drafted, now)), "adopt").ok


def _taken_back(point: str, todos: Iterable[Todo]) -> tuple[list[Todo], str]:
    """The open todos that a point forbids, and what else it says.

    `do not delete a.txt: it must stay` takes back `delete a.txt`.
    """
    forbidden = pattern(_FORBIDDEN).match(point)
    if forbidden is None:
        return [], point
    words, verb, names = forbidden[1].lower(), forbidden[2].lower(), named_in(forbidden[1])
    found = [
        todo
        for todo in todos
        if todo.content.lower().partition(" ")[0] == verb
        and (_has_all(todo.content, names) if names else todo.content.lower() == words)
    ]
    return found, point[forbidden.end() :]


def planned(points: Sequence[str], todos: Sequence[str]) -> dict[str, str]:
    """The todo that stands for each point, as far as there is one: in the same words, or else with the same names.

    A todo stands for one point only: one for all of them is no plan.
    """
    found = {point: point for point in points if point in todos}
    rest = [todo for todo in todos if todo not in found]
    for point in points:
        names = names_of(point, tuple(points))
        own = next((todo for todo in rest if names and _has_all(todo, names)), None)
        if point not in found and own is not None:
            found[point] = own
            rest.remove(own)
    return found


def catch_up(board: AttendedBoard, points: Sequence[str], goal: str, calls: Sequence[str]) -> None:
    """Bring the plan of a model that has worked by itself to what the user has listed, and to what its calls show.

    What the model has not written down is added. What the calls have mentioned is done, and only that. What the list is
    for is what the user said: small models call a plan by its first todo.
    """
    known = planned(points, board.plan.contents)
    missing = [point for point in points if point not in known]
    if missing:
        adopt(board, missing, goal)
    if points:
        board.apply(lambda plan, now: Written(merge(plan, Draft((), goal), now)), "adopt")
    plan = board.plan
    called = " ".join(calls)
    for todo in [todo for todo in plan.todos if todo.content in (*known.values(), *missing)]:
        names = names_for(plan, todo)
        is_shown = _has_all(called, names)
        if names and is_shown and todo.content in missing:
            board.complete(todo.id)
        elif not is_shown and todo.status is Status.COMPLETED:
            board.update([{"id": todo.id, "status": Status.PENDING}])
    board.resume_work(NO_WORK)


def only_claims(plan: Plan, points: Sequence[str], calls: Sequence[str]) -> bool:
    """Whether of several of the user's points that a model calls done, no call has mentioned a single name.

    A long call, which is known only in part, may have mentioned them.
    """
    if not calls or any(len(call) > LONGEST_CALL // 2 for call in calls):
        return False
    called, asked = " ".join(calls), planned(points, plan.contents).values()
    named = [names for todo in plan.done if todo.content in asked and (names := names_for(plan, todo))]
    return len([names for names in named if not _has_any(called, names)]) > 1


def _has_any(text: str, names: Iterable[str]) -> bool:
    return any(_has_all(text, [name]) for name in names)


def _has_all(text: str, names: Iterable[str]) -> bool:
    """Whether a text has all of these names, each by itself: `data.txt` is not `a.txt`."""
    lowered = text.lower()
    return all(re.search(rf"(?a)(?<!\w){re.escape(name)}(?!\w)", lowered) for name in names)
