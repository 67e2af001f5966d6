"""The obvious faults of a JSON Schema, found without a library."""

from collections.abc import Callable, Mapping
from typing import Any

TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}


def schema_fault(schema: object) -> str:
    """What is wrong with a schema, and where; empty if nothing is wrong."""
    return _fault(schema, schema, "schema")


def _fault(schema: object, root: object, at: str) -> str:
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, Mapping):
        return f"{at} is not of type 'object', 'boolean'"
    for keyword, (is_right, wanted) in _KEYWORDS.items():
        if keyword in schema and not is_right(schema[keyword]):
            return f"{at}.{keyword}: {schema[keyword]!r} is not {wanted}"
    target = schema.get("$ref")
    if isinstance(target, str) and not _leads_somewhere(target, root):
        return f"{at}.$ref: {target!r} leads nowhere"
    found = (_fault(part, root, f"{at}.{place}") for place, part in _parts(schema))
    return next((words for words in found if words), "")


def _parts(schema: Mapping[str, Any]) -> list[tuple[str, object]]:
    """The schemas directly inside a schema, each with its path."""
    parts = [(key, schema[key]) for key in ("items", "additionalProperties", "not") if key in schema]
    for key in ("properties", "$defs", "definitions"):
        parts += [(f"{key}.{name}", part) for name, part in schema.get(key, {}).items()]
    for key in ("anyOf", "allOf", "oneOf", "prefixItems"):
        parts += [(f"{key}.{number}", part) for number, part in enumerate(schema.get(key, ()))]
    return parts


def _leads_somewhere(target: str, root: object) -> bool:
    if not target.startswith("#"):
        return False
    for step in filter(None, target[1:].split("/")):
        if not isinstance(root, Mapping) or step not in root:
            return False
        root = root[step]
    return True


def _is_type(value: object) -> bool:
    named = value if isinstance(value, list) else [value]
    return bool(named) and all(isinstance(name, str) and name in TYPES for name in named)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_KEYWORDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "type": (_is_type, "a type"),
    "required": (_is_names, "a list of different names"),
    "enum": (_is_list, "a list with something in it"),
    "$ref": (_is_text, "of type 'string'"),
    "description": (_is_text, "of type 'string'"),
    **dict.fromkeys(("properties", "$defs", "definitions"), (_is_mapping, "of type 'object'")),
    **dict.fromkeys(("anyOf", "allOf", "oneOf", "prefixItems"), (_is_list, "a list with something in it")),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), (_is_count, "a whole number from 0 on")),
}
