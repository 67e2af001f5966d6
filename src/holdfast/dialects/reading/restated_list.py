"""Items that restate todos, and at most change their statuses: all todos in order, or some that are named by id.

Most writes are like that: to change a status, a model sends everything again, or a todo's id. Each item is compared
with its todo, in all fields that it has. What is equal is not read, checked or built again: the todo stays the same
object. It leads where reading, checking and applying the items lead; whatever is not plainly like that is left to them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...plan import COMPLETED, DONE, IN_PROGRESS, NO_DETAILS, Plan, Todo
from ...plan.rules import CEILING_ITEMS, CEILING_TEXT, detail_faults
from ...plan.transitions import advance, named_places, with_status
from .form import ABSENT, REQUIRED, Form
from .shape import NO_SHAPE, shape_of

if TYPE_CHECKING:
    from ..dialect import Dialect

_new = tuple.__new__


class Restated(NamedTuple):
    """The plan after such items, and the todos that they complete. `is_update` says that they named todos by id."""

    plan: Plan
    completed: list[Todo]
    is_update: bool


def restated(payload: object, plan: Plan, dialect: "Dialect", now: float) -> Restated | None:
    """The plan after a call with a list of such items; None if it is something else, or has a fault."""
    form = dialect.form
    if type(payload) is not dict:
        return None
    items = payload.get(form.list_field)
    if form.parse is not None:
        items = form.parse(items) if type(items) is str else None
    if type(items) is not list:
        return None
    if (len(payload) > 1 or form.summary is REQUIRED) and not _says_nothing_else(payload, plan, dialect):
        return None
    return restated_items(items, plan, dialect, form, now)


def restated_items(items: list[Any], plan: Plan, dialect: "Dialect", form: Form, now: float) -> Restated | None:
    """The plan after such items, in a form of the dialect; None if they are something else, or have a fault."""
    todos, rules, statuses = plan.todos, dialect.rules, form.statuses
    if plan.edits or not plan.has_open or not (todos is dialect.plain_todos or _are_plain(plan, dialect)):
        return None
    after, completed, more_done, starts = [*todos], [], 0, False
    try:
        places, asked, known, is_update = _compared(items, todos, form)
        for index, values in enumerate(asked):
            if values != known[index]:
                place = places[index]
                old, status = todos[place], statuses[values[-1]]
                if values[:-1] != known[index][:-1] or status not in rules.statuses:
                    return None
                if status is not old[2]:
                    after[place] = new = with_status(old, status, now)
                    more_done += (status in DONE) - (old[2] in DONE)
                    if status is IN_PROGRESS:
                        starts = True
                    elif status is COMPLETED:
                        completed.append(new)
    except (KeyError, TypeError, IndexError):  # an item of another kind, or a word that is not a status
        return None
    if starts and _running(after) > rules.max_in_progress:
        return None
    new_todos = tuple(after)
    if new_todos == todos:
        return _new(Restated, (plan, completed, is_update))
    _, summary, revision, _, number, next_id, _, _, settings, about = plan
    new_plan = _new(Plan, (new_todos, summary, revision + 1, now, number, next_id, (), (), settings, about))
    if more_done > 0 and is_update and rules.advance:
        new_plan = advance(new_plan, now)
    return _new(Restated, (new_plan, completed, is_update))


def _compared(items: list[Any], todos: Sequence[Todo], form: Form) -> tuple[Sequence[int], list[Any], list[Any], bool]:
    """The places of the todos that the items are about, what to compare of each item, and of its todo.

    The last value says whether the items name their todos by id. Raises KeyError, TypeError or IndexError if they
    cannot be compared.
    """
    shape = shape_of(items[0], form) or NO_SHAPE
    _, _, keys, _, _, is_partial, item_values, todo_values = shape
    met, count = tuple(items[0]), len(items)
    places: Sequence[int] = range(count)
    if is_partial and count < len(todos):
        id_key = shape.texts[0][1]
        named = named_places(todos, [item[id_key] for item in items])
        if named is None:
            raise KeyError("an id")
        places, todos = named, [todos[place] for place in named]
    elif count != len(todos):
        raise IndexError("not all todos")
    if count == 1 or sum(map(len, items)) == keys * count:
        try:
            return places, [*map(item_values, items)], [*map(todo_values, todos)], is_partial
        except KeyError:
            pass
    asked, known = [], []
    for index, item in enumerate(items):
        if tuple(item) != met:
            met = tuple(item)
            _, _, _, _, _, names_todo, item_values, todo_values = shape_of(item, form) or NO_SHAPE
            if names_todo is not is_partial:
                raise KeyError("an id")
        asked.append(item_values(item))
        known.append(todo_values(todos[index]))
    return places, asked, known, is_partial


def _says_nothing_else(payload: dict[Any, Any], plan: Plan, dialect: "Dialect") -> bool:
    """Whether what stands beside the list changes nothing: the same summary, and remarks, which are not kept."""
    form = dialect.form
    rest = {key: value for key, value in payload.items() if key != form.list_field}
    if form.summary is not ABSENT:
        summary = rest.pop("summary", None if form.summary is REQUIRED else plan.summary)
        if summary != plan.summary or (form.summary is REQUIRED and not plan.summary.strip()):
            return False
    return all(key in form.remarks and type(value) is str and value.isascii() for key, value in rest.items())


def _are_plain(plan: Plan, dialect: "Dialect") -> bool:
    """Whether the todos of a plan are within the rules, and the dialect shows each of them as it is."""
    rules, form = dialect.rules, dialect.form
    longest = min(rules.max_content, CEILING_TEXT)
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
