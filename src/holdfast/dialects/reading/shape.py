"""The keys that an item has: items of one shape are compared and read in one go, without asking for each key again.

A shape is worked out once for each combination of keys. It has no faults: an item with a key that a form does not know,
or without one that it needs, has no shape, and `items.Reader.item` says what is wrong with it.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from ...plan import Details, Todo, Wish
from .form import Form, Use

_WISH_FIELDS = {"id": "id", "content": "content", "activeForm": "active_form", "evidence": "evidence"}
_DETAIL_TEXTS = ("description", "priority", "owner", "check")

STATUS, DETAILS = Todo._fields.index("status"), Todo._fields.index("details")

MOST_SHAPES = 100
"""How many shapes a form remembers: models send a handful."""


class Shape(NamedTuple):
    """How to read an item with these keys.

    `texts` and `detail_texts` are where each text goes in a wish and in its details, its key, and whether it may be
    blank. With `is_partial`, an item names a todo by its id, which `item_id` gives, and leaves alone what it does not
    say. `item_texts` and `todo_texts` give what to compare of an item and of a todo, `item_values` and `todo_values`
    the same with the status, which is last. They are None if no item of this shape can restate a todo word for word.
    """

    texts: tuple[tuple[int, str, bool], ...]
    detail_texts: tuple[tuple[int, str, bool], ...]
    keys: int
    has_id: bool
    has_status: bool
    is_partial: bool
    item_id: Any
    item_texts: Any
    todo_texts: Any
    item_values: Any
    todo_values: Any


NO_SHAPE = Shape((), (), 0, False, False, False, None, None, None, None, None)


def shape_of(item: Any, form: Form) -> Shape | None:
    """The shape of an item; None if it has none."""
    shapes, keys = form.shapes, tuple(item)
    try:
        return shapes[keys]
    except KeyError:
        shape = _shape(keys, form)
        if shape is not None and len(shapes) < MOST_SHAPES:
            shapes[keys] = shape
        return shape


def _shape(keys: tuple[Any, ...], form: Form) -> Shape | None:
    own = form.own
    if not all(key in own for key in keys):
        return None
    fields = {own[key]: key for key in keys}
    is_partial = form.partial and "id" in fields
    needed = {"content", *(field for field, use in form.uses.items() if use is Use.REQUIRED)}
    if form.default_status is None:
        needed.add("status")
    if ("id" in fields and not (form.partial or form.keeps_ids)) or not (is_partial or needed <= fields.keys()):
        return None
    if not fields.keys() <= {"status", *_WISH_FIELDS, *_DETAIL_TEXTS}:
        return None
    texts = {field: fields[field] for field in _WISH_FIELDS if field in fields}
    details = {field: fields[field] for field in _DETAIL_TEXTS if field in fields}
    can_restate = "status" in fields and (is_partial or "content" in fields)
    compared = (*texts.values(), *details.values())
    places = [Todo._fields.index(_WISH_FIELDS[field]) for field in texts]
    return Shape(
        tuple(
            (Wish._fields.index(_WISH_FIELDS[field]), key, _may_be_blank(field, form)) for field, key in texts.items()
        ),
        tuple((Details._fields.index(field), key, _may_be_blank(field, form)) for field, key in details.items()),
        len(keys),
        "id" in fields,
        "status" in fields,
        is_partial,
        itemgetter(fields["id"]) if "id" in fields else None,
        itemgetter(*compared) if can_restate else None,
        _todo_texts(places, list(details)) if can_restate else None,
        itemgetter(*compared, "status") if can_restate else None,
        _todo_values(places, list(details), form) if can_restate else None,
    )


def _todo_texts(places: list[int], details: list[str]) -> Callable[[Any], Any]:
    """What gives the fields of a todo at these places, and these details."""
    if not details:
        return itemgetter(*places)
    of_todo, of_details = itemgetter(*places, 0), itemgetter(*map(Details._fields.index, details), 0)
    return lambda todo: (*of_todo(todo)[:-1], *of_details(todo[DETAILS])[:-1])


def _todo_values(places: list[int], details: list[str], form: Form) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the same of a todo, and its status as the form says it."""
    if not details and all(word == status for status, word in form.words.items()):
        return itemgetter(*places, STATUS)
    words, of_todo = form.words, itemgetter(*places, STATUS)
    if not details:
        return lambda todo: (*of_todo(todo)[:-1], words[todo[STATUS]])
    texts = _todo_texts(places, details)
    return lambda todo: (*texts(todo), words[todo[STATUS]])


def _may_be_blank(field: str, form: Form) -> bool:
    if field == "content":
        return form.blank_allowed
    return field == "description" or (field != "id" and form.uses[field] is not Use.REQUIRED)
