"""From any payload to a draft: the one reader of every dialect that sends a list of todos.

A dialect says in a `Form` what its payload looks like. The reader never raises: what does not fit becomes a fault
with its place, and all of them are reported.
"""

from collections.abc import Mapping
from typing import Any

from ...plan import Draft
from ...plan.fault import Fault
from ...plan.rules import CEILING_ITEMS, Rules, too_many
from .faults import missing, wrong_type
from .form import OPTIONAL, REQUIRED, Form
from .items import Reader
from .json_text import decode

_MISSING: Any = object()

_new = tuple.__new__


def read(payload: object, form: Form, rules: Rules) -> tuple[Draft, list[Fault]]:
    """The draft in a payload, and every fault of its shape. If there is a fault, the draft has what could be read."""
    body: Any = payload if type(payload) is dict else body_of(payload, form)
    if isinstance(body, Fault):
        return Draft(), [body]
    reader, summary, use = Reader(form, rules), None, form.summary
    if use is REQUIRED or len(body) > 1:
        if use is REQUIRED or (use is OPTIONAL and "summary" in body):
            summary = reader.text(body, "summary", None, blank_ok=use is OPTIONAL)
        for remark in form.remarks:
            reader.text(body, remark, None, blank_ok=True, missing_ok=True)
    items = body.get(form.list_field, _MISSING)
    if type(items) is not list or form.parse is not None:
        items = _items(items, form)
        if isinstance(items, Fault):
            return Draft((), summary), [*reader.faults, items]
    if len(items) > CEILING_ITEMS:
        limit = min(rules.max_items, CEILING_ITEMS)
        return Draft((), summary), [*reader.faults, too_many(form.list_field, len(items), limit)]
    wishes = reader.wishes(items)
    is_update = form.partial and bool(reader.seen_ids)
    if reader.seen_ids:
        for index in reader.defaulted:  # an update leaves alone what it does not name
            wishes[index] = wishes[index]._replace(status=None)
    return _new(Draft, (wishes, summary, is_update, ())), reader.faults


def _items(value: Any, form: Form) -> Any:
    """The list in a payload where it is not simply a list; or the fault that there is none."""
    if form.parse is not None:
        value = form.parse(value) if isinstance(value, str) else _no_text(form.list_field, value)
    elif type(value) is str:
        value = decode(value)
    if isinstance(value, Fault) or not isinstance(value, (list, tuple)):
        return _not_a_list(form, value)
    return value


def body_of(payload: object, form: Form) -> Any:
    """A payload as an object, decoded if it is a text; or the fault that it is not an object."""
    if type(payload) is dict:  # most are, and no other kind is as quick to tell
        return payload
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
