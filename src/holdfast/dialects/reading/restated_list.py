"""Items that restate todos, and at most change their statuses: all todos in order, or some that are named by id.

Most writes are like that: to change a status, a model sends everything again, or a todo's id. Each item is compared
with its todo, in all fields that it has. What is equal is not read, checked or built again: the todo stays the same
object. It leads where reading, checking and applying the items lead; whatever is not plainly like that is left to them.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any

from ...plan import COMPLETED, DONE, IN_PROGRESS, NO_DETAILS, Plan, Status, Todo
from ...plan.rules import CEILING_ITEMS, CEILING_TEXT, detail_faults
from ...plan.step import Written
from ...plan.transitions import place_to_start, with_status
from .form import ABSENT, REQUIRED, Form
from .shape import NO_SHAPE, Shape, shape_of

if TYPE_CHECKING:
    from ..dialect import Dialect

_new = tuple.__new__

ID_AND_STATUS = 2
"""How many keys an item has that says nothing of its todo but a status."""


Compared = tuple[tuple[Todo, ...], Mapping[str, int]]
"""The todos that were last compared, and have nothing unusual, with the place of each by its id: a cache."""

NOTHING_COMPARED: Compared = ((), {})


def restated_items(items: list[Any], plan: Plan, dialect: "Dialect", form: Form, now: float) -> Written | None:
    """The plan after such items, in a form of the dialect; None if they are something else, or have a fault."""
    todos, (known, places) = plan.todos, dialect.compared
    if plan.edits:
        return None
    if todos is not known:
        places = {todo[0]: place for place, todo in enumerate(todos)}
    try:
        shape = shape_of(items[0], form) or NO_SHAPE
        is_by_id = shape.is_partial
        if is_by_id and len(items) < len(todos):
            asked = _named_statuses(items, todos, form, shape, places)
        else:
            asked = _in_order(items, todos, form, shape)
    except (KeyError, TypeError, IndexError):  # an item of another kind, or a word that is not a status
        return None
    if todos is not known and not _are_plain(plan, dialect):  # last, as few lists come so far in vain
        return None
    return _with_statuses(plan, asked, dialect, is_by_id, places, now)


def _named_statuses(
    items: list[Any], todos: Sequence[Todo], form: Form, shape: Shape, places: Mapping[str, int]
) -> dict[int, Status]:
    """The statuses, by place, that items ask for which name their todos by id.

    `shape` is that of the first item. Raises KeyError or TypeError if an item names no todo, or says more of it.
    """
    asked = {}
    for item in items:
        if len(items) > 1:
            shape = shape_of(item, form) or NO_SHAPE
        place = places[shape.item_id(item)]
        if shape.keys > ID_AND_STATUS and shape.item_texts(item) != shape.todo_texts(todos[place]):
            raise KeyError("a text")
        asked[place] = form.statuses[item["status"]]
    if len(asked) < len(items):
        raise KeyError("an id that is given twice")
    return asked


def _in_order(items: list[Any], todos: Sequence[Todo], form: Form, shape: Shape) -> dict[int, Status]:
    """The statuses, by place, that items ask for which restate all todos in their order, where they differ.

    `shape` is that of the first item. Raises KeyError, TypeError or IndexError if an item says anything else.
    """
    if len(items) != len(todos):
        raise IndexError("not all todos")
    places = _differing_places(items, todos, shape)
    are_alike, is_by_id, asked = places is not None, shape.is_partial, {}
    for place in range(len(items)) if places is None else places:
        item = items[place]
        if not are_alike:
            shape = shape_of(item, form) or NO_SHAPE
        if shape.is_partial is not is_by_id or shape.item_texts(item) != shape.todo_texts(todos[place]):
            raise KeyError("a text")
        asked[place] = form.statuses[item["status"]]
    return asked


def _differing_places(items: list[Any], todos: Sequence[Todo], shape: Shape) -> list[int] | None:
    """Where an item differs from its todo, if all items have the same keys; None if they do not."""
    if sum(map(len, items)) != shape.keys * len(items):
        return None
    differ = map(ne, map(shape.item_values, items), map(shape.todo_values, todos))
    try:
        return [*compress(range(len(items)), differ)]
    except KeyError:
        return None


def _with_statuses(
    plan: Plan, asked: Mapping[int, Status], dialect: "Dialect", is_by_id: bool, places: Mapping[str, int], now: float
) -> Written | None:
    """The plan with these statuses for the todos at these places; None if the rules do not allow them."""
    todos, summary, revision, _, number, next_id, _, _, settings, about = plan
    rules, after, completed, more_done, more_running = dialect.rules, [*todos], [], 0, 0
    is_changed = False
    for place, status in asked.items():
        old = todos[place]
        former = old[2]
        if status is former:
            continue
        if status not in rules.statuses or (rules.repair and former in DONE):  # what is done may be repaired to stay so
            return None
        is_changed = True
        after[place] = new = with_status(old, status, now)
        more_done += (status in DONE) - (former in DONE)
        more_running += (status is IN_PROGRESS) - (former is IN_PROGRESS)
        if status is COMPLETED:
            completed.append(new)
    if more_running > 0 and len(after) > rules.max_in_progress < _running(after):
        return None
    if more_done > 0 and is_by_id and rules.advance and (at := place_to_start(after)) is not None:
        after[at] = with_status(after[at], IN_PROGRESS, now)
    if is_changed:
        todos = tuple(after)
        plan = _new(Plan, (todos, summary, revision + 1, now, number, next_id, (), (), settings, about))
    if more_done <= 0 or plan.has_open:
        dialect.compared = (todos, places)
    return _new(Written, (plan, (), is_by_id, 0, completed))


def says_nothing_else(payload: dict[Any, Any], plan: Plan, form: Form) -> bool:
    """Whether what stands beside the list changes nothing: the same summary, and remarks, which are not kept."""
    rest = {key: value for key, value in payload.items() if key != form.list_field}
    if form.summary is not ABSENT:
        summary = rest.pop("summary", None if form.summary is REQUIRED else plan.summary)
        if summary != plan.summary or (form.summary is REQUIRED and not plan.summary.strip()):
            return False
    return all(key in form.remarks and type(value) is str and value.isascii() for key, value in rest.items())


def _are_plain(plan: Plan, dialect: "Dialect") -> bool:
    """Whether the todos of a plan are within the rules, one is open, and the dialect shows each of them as it is."""
    rules, form = dialect.rules, dialect.form
    longest = min(rules.max_content, CEILING_TEXT)
    if not plan.has_open:
        return False
    if len(plan.todos) > min(rules.max_items, CEILING_ITEMS) or _running(plan.todos) > rules.max_in_progress:
        return False
    if rules.repair and len({todo.content for todo in plan.todos}) < len(plan.todos):  # one of them is repaired away
        return False
    for todo in plan.todos:
        if max(len(todo.content), len(todo.active_form), len(todo.evidence)) > longest:
            return False
        if not (form.blank_allowed or todo.content.strip()) or not dialect.shows_exactly(todo, plan):
            return False
        if form.has_details and todo.details is not NO_DETAILS and detail_faults(todo.details, "", 0):
            return False
    return True


def _running(todos: list[Todo] | tuple[Todo, ...]) -> int:
    return len([todo for todo in todos if todo[2] is IN_PROGRESS])
