"""The JSON Schema of a tool's input, made from a dialect's form, its rules, and the fields of its items."""

from typing import Any

from ...plan.rules import CEILING_ITEMS, CEILING_TEXT, NO_LIMIT, Rules
from .form import Form, Use

JSON = dict[str, Any]


def text(rules: Rules, **more: object) -> JSON:
    """A text of a todo, as long as the rules allow."""
    return _limited({"type": "string", **more}, "maxLength", rules.max_content, CEILING_TEXT)


def status(form: Form, rules: Rules, **more: object) -> JSON:
    """The statuses that the rules allow, in the form's words."""
    return {"type": "string", "enum": [form.words[status] for status in rules.statuses], **more}


def payload(form: Form, rules: Rules, fields: JSON) -> JSON:
    """An object with a list of todos that have these fields, and nothing beside it."""
    properties = {form.list_field: todos(rules, item(form, fields))}
    return {"type": "object", "properties": properties, "required": [] if form.absent_reads else [form.list_field]}


def todos(rules: Rules, items: JSON, **more: object) -> JSON:
    """A list, as long as the rules allow."""
    return _limited({"type": "array", **more, "items": items}, "maxItems", rules.max_items, CEILING_ITEMS)


def item(form: Form, fields: JSON) -> JSON:
    """A todo with these fields; those that the form needs are required."""
    needed = [key for key in fields if _is_needed(form, form.own[key])]
    schema = {"type": "object", "properties": fields, "required": needed}
    return schema if form.drops_unknown else {**schema, "additionalProperties": False}


def _is_needed(form: Form, field: str) -> bool:
    if field == "status":
        return form.default_status is None
    return field == "content" or form.uses[field] is Use.REQUIRED


def _limited(schema: JSON, keyword: str, limit: int, ceiling: int) -> JSON:
    """A schema with its limit, if there is one."""
    return schema if limit == NO_LIMIT else {**schema, keyword: min(limit, ceiling)}
