"""From any payload to a draft: the one reader of every dialect that sends a list of todos.

A dialect says in a `Form` what its payload looks like. The reader never raises: what does not fit becomes a fault
with its place, and all of them are reported.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...plan import Draft, Todo
from ...plan.fault import Fault
from ...plan.rules import CEILING_ITEMS, Rules, too_many
from .faults import missing, wrong_type
from .form import Form, Use
from .items import Reader
from .json_text import decode

_MISSING: Any = object()


def read(
    payload: object, form: Form, rules: Rules, todos: Sequence[Todo] = ()
) -> tuple[Draft, list[Fault]]:
    """The draft in a payload, and every fault of its shape. If there is a fault, the draft has what could be read.

    A whole list that replaces `todos` has `AS_IT_IS` for those that it only restates.
    """
    body: Any = payload if type(payload) is dict else body_of(payload, form)
    if isinstance(body, Fault):
        return Draft(), [body]
    reader = Reader(form, rules)
    summary = None
    if form.summary is Use.REQUIRED or (form.summary is Use.OPTIONAL and "summary" in body):
        summary = reader.text(body, "summary", None, blank_ok=form.summary is Use.OPTIONAL)
    for remark in form.remarks:
        reader.text(body, remark, None, blank_ok=True, missing_ok=True)
    items = body.get(form.list_field, _MISSING)
    if form.parse is not None:
        items = form.parse(items) if isinstance(items, str) else _no_text(form.list_field, items)
    elif type(items) is str:
        items = decode(items)
    if not isinstance(items, (list, tuple)) or isinstance(items, Fault):
        return Draft((), summary), [*reader.faults, _not_a_list(form, items)]
    if len(items) > CEILING_ITEMS:
        limit = min(rules.max_items, CEILING_ITEMS)
        return Draft((), summary), [*reader.faults, too_many(form.list_field, len(items), limit)]
    wishes = reader.compared_wishes(items, todos) if todos else reader.wishes(items)
    if wishes is None or (todos and (reader.faults or (reader.by_id and form.partial))):
        return read(payload, form, rules)
    if reader.by_id:
        for index in reader.defaulted:  # an update leaves alone what it does not name
            wishes[index] = wishes[index]._replace(status=None)
    return Draft(wishes, summary, reader.by_id and form.partial), reader.faults


def body_of(payload: object, form: Form) -> Any:
    """A payload as an object, decoded if it is a text; or the fault that it is not an object."""
    body = decode(payload) if isinstance(payload, (str, bytes, bytearray)) else payload
    if form.bare_list and isinstance(body, list):
        return {form.list_field: body}
    if isinstance(body, (Mapping, Fault)):
        return body
    return wrong_type("", None, "", "an object", body)


def _no_text(list_field: str, value: object) -> Any:
    """The fault of a list that must come as a text, and does not; nothing if there is no list at all."""
    if value is _MISSING:
        return value
    return wrong_type(list_field, None, list_field, "text, a line a todo", value)


def _not_a_list(form: Form, value: object) -> Fault:
    list_field, empty = form.list_field, "[]" if form.parse is None else '""'
    if value is _MISSING:
        message = f"required: the list of todos ({list_field}: {empty} clears the plan)"
        return missing(list_field, None, list_field, message)
    if isinstance(value, Fault):
        return value._replace(path=list_field, field=list_field)
    return wrong_type(list_field, None, list_field, "a list", value)
