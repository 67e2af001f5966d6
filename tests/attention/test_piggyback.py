"""Updates that ride on another tool's call."""

from typing import Any

import pytest

from holdfast.attention.piggyback import is_shell, rideable, tool_name, unload, unrideable

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


DEFINITIONS = [
    pytest.param({"name": "read", "input_schema": SCHEMA}, id="anthropic"),
    pytest.param({"type": "function", "function": {"name": "read", "parameters": SCHEMA}}, id="openai"),
    pytest.param({"type": "function", "name": "read", "parameters": SCHEMA}, id="openai-responses"),
    pytest.param({"name": "read", "inputSchema": SCHEMA}, id="mcp"),
]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_every_wire_form_can_be_ridden_on(definition: dict[str, Any]) -> None:
    """The field is added to the schema, is optional, and the definition that was given is left as it is."""
    ridden = rideable(definition)
    inner = ridden.get("function", ridden)
    schema = next(inner[name] for name in ("input_schema", "parameters", "inputSchema") if name in inner)
    done = {"type": "string", "maxLength": 20, "description": "id of the todo that this call finishes, if it does"}
    assert schema == {**SCHEMA, "properties": {"path": {"type": "string"}, "done": done}}
    assert set(SCHEMA["properties"]) == {"path"}


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_every_wire_form_has_a_name(definition: dict[str, Any]) -> None:
    """A definition without a name has an empty one."""
    assert tool_name(definition) == "read"
    assert tool_name({}) == tool_name({"function": {}}) == ""


@pytest.mark.parametrize("name", ["input_schema", "parameters", "inputSchema"])
def test_a_definition_is_given_back_as_it_was(name: str) -> None:
    """Where an update may not ride, a tool has its own fields alone. One without a schema has no fields at all."""
    plain = {"name": "read", name: SCHEMA}
    assert unrideable(rideable(plain)) == unrideable(plain) == plain
    for bare in ({"name": "now"}, {"name": "now", name: {"type": "object"}}):
        assert unrideable(bare) == bare
    assert rideable({"name": "now"}) == {"name": "now"}


@pytest.mark.parametrize(
    ("schema", "is_one"),
    [
        ({"type": "object", "properties": {"command": {}}, "required": ["command"]}, True),
        ({"type": "object", "properties": {"command": {}}}, True),
        ({"type": "object", "properties": {"command": {}, "timeout": {}}, "required": []}, True),
        ({"type": "object", "properties": {"command": {}, "path": {}}, "required": ["path"]}, False),
        ({"type": "object", "properties": {"command": {"enum": ["view"]}}, "required": ["command"]}, False),
        ({"type": "object", "properties": {"command": {"const": "view"}}, "required": ["command"]}, False),
        ({"type": "object"}, False),
        (SCHEMA, False),
    ],
)
def test_a_tool_that_takes_a_free_command_is_a_shell(schema: dict[str, Any], is_one: bool) -> None:
    """In any wire form. Some tools that edit files have a few commands of their own."""
    assert is_shell({"name": "run", "input_schema": schema}) is is_one
    assert is_shell({"type": "function", "function": {"name": "run", "parameters": schema}}) is is_one
    assert is_shell({"name": "run"}) is False


@pytest.mark.parametrize(
    ("done", "id"), [("4", "4"), (4, "4"), (None, ""), (True, ""), (["4"], ""), ("", ""), ("none", "")]
)
def test_the_riders_are_taken_off(done: object, id: str) -> None:
    """The tool gets its own arguments only, and an id of a wrong type is no update."""
    assert unload({"path": "a", "done": done}) == ({"path": "a"}, id)


@pytest.mark.parametrize("word", ["none", "None", "no", "false", "pending", "in_progress", "blocked", "cancelled"])
def test_a_word_that_says_that_nothing_is_finished_is_no_update(word: str) -> None:
    """Small models take the field for a status."""
    assert unload({"path": "a", "done": word}) == ({"path": "a"}, "")


def test_a_call_without_a_rider_is_left_alone() -> None:
    """No field, no update."""
    assert unload({"path": "a"}) == ({"path": "a"}, "")
