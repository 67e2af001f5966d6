"""Whether a JSON Schema is one: what the small check finds, a whole library finds too."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator, SchemaError

from holdfast import dialects
from holdfast.testing.schemas import schema_fault

WRONG: list[tuple[Any, str]] = [
    ({"type": "text"}, "schema.type: 'text' is not a type"),
    ({"type": []}, "schema.type: [] is not a type"),
    ({"required": "a"}, "schema.required: 'a' is not a list of different names"),
    ({"required": ["a", "a"]}, "schema.required: ['a', 'a'] is not a list of different names"),
    ({"properties": []}, "schema.properties: [] is not of type 'object'"),
    ({"properties": {"a": 3}}, "schema.properties.a is not of type 'object', 'boolean'"),
    ({"items": [{}]}, "schema.items is not of type 'object', 'boolean'"),
    ({"anyOf": []}, "schema.anyOf: [] is not a list with something in it"),
    ({"anyOf": [{"type": "any"}]}, "schema.anyOf.0.type: 'any' is not a type"),
    ({"maxLength": -1}, "schema.maxLength: -1 is not a whole number from 0 on"),
    ({"maxItems": "3"}, "schema.maxItems: '3' is not a whole number from 0 on"),
    ({"$defs": {"a": {"enum": 3}}}, "schema.$defs.a.enum: 3 is not a list with something in it"),
    ([], "schema is not of type 'object', 'boolean'"),
]


@pytest.mark.parametrize(("schema", "words"), WRONG, ids=[words for _, words in WRONG])
def test_a_schema_that_is_none(schema: Any, words: str) -> None:
    """The fault is named with its place, and the library agrees."""
    assert schema_fault(schema) == words
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": ["string", "null"], "maxLength": 0},
        {"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
        {"properties": {"type": {"type": "string"}, "enum": {"enum": [1]}}, "additionalProperties": False},
        *(tool.schema for name in dialects.names() for tool in dialects.get(name).tools),
    ],
)
def test_a_schema_that_is_right(schema: Any) -> None:
    """Nothing is found in it, and the library agrees."""
    assert schema_fault(schema) == ""
    Draft202012Validator.check_schema(schema)


def test_a_reference_that_leads_nowhere() -> None:
    """A server that must follow it cannot."""
    assert schema_fault({"$ref": "#/$defs/a"}) == "schema.$ref: '#/$defs/a' leads nowhere"
    assert schema_fault({"items": {"$ref": "other.json"}}) == "schema.items.$ref: 'other.json' leads nowhere"
