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

MOST_SHAPES = 100
"""How many shapes a form remembers: models send a handful."""


class Shape(NamedTuple):
    """How to read an item with these keys.

    `texts` and `detail_texts` are where each text goes in a wish and in its details, its key, and whether it may be
    blank. `item_values` and `todo_values` give what to compare of an item and of a todo, without the status; they are
    None if no item of this shape can restate a todo word for word.
    """

    texts: tuple[tuple[int, str, bool], ...]
    detail_texts: tuple[tuple[int, str, bool], ...]
    has_id: bool
    has_status: bool
    item_values: Callable[[Any], object] | None
    todo_values: Callable[[Any], object] | None


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
    texts = {field: key for field, key in fields.items() if field in _WISH_FIELDS}
    details = {field: key for field, key in fields.items() if field in _DETAIL_TEXTS}
    can_restate = "content" in fields and "status" in fields and not is_partial
    names = [_WISH_FIELDS[field] for field in texts]
    return Shape(
        tuple((Wish._fields.index(_WISH_FIELDS[field]), key, _may_be_blank(field, form)) for field, key in texts.items()),
        tuple((Details._fields.index(field), key, _may_be_blank(field, form)) for field, key in details.items()),
        "id" in fields,
        "status" in fields,
        itemgetter(*texts.values(), *details.values()) if can_restate else None,
        _todo_values(names, list(details)) if can_restate else None,
    )


def _todo_values(names: list[str], details: list[str]) -> Callable[[Any], object]:
    """What gives these fields of a todo, as one value; a single field stands for itself."""
    of_todo = itemgetter(*map(Todo._fields.index, names))
    if not details:
        return of_todo
    places = [Details._fields.index(name) for name in details]
    where, at = Todo._fields.index("details"), [Todo._fields.index(name) for name in names]
    return lambda todo: tuple([*[todo[place] for place in at], *[todo[where][place] for place in places]])


def _may_be_blank(field: str, form: Form) -> bool:
    if field == "content":
        return form.blank_allowed
    return field == "description" or (field != "id" and form.uses[field] is not Use.REQUIRED)
