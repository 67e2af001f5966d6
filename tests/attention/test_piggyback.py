"""Updates that ride on another tool's call."""

from typing import Any

import pytest

from holdfast.attention.piggyback import rideable, unload

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param({"name": "read", "input_schema": SCHEMA}, id="anthropic"),
        pytest.param({"type": "function", "function": {"name": "read", "parameters": SCHEMA}}, id="openai"),
        pytest.param({"type": "function", "name": "read", "parameters": SCHEMA}, id="openai-responses"),
        pytest.param({"name": "read", "inputSchema": SCHEMA}, id="mcp"),
    ],
)
def test_every_wire_form_can_be_ridden_on(definition: dict[str, Any]) -> None:
    """The field is added to the schema, is optional, and the definition that was given is left as it is."""
    ridden = rideable(definition)
    inner = ridden.get("function", ridden)
    schema = next(inner[name] for name in ("input_schema", "parameters", "inputSchema") if name in inner)
    assert set(schema["properties"]) == {"path", "done"}
    assert schema["required"] == ["path"]
    assert set(SCHEMA["properties"]) == {"path"}


@pytest.mark.parametrize(
    ("done", "id"), [("4", "4"), (4, "4"), (None, ""), (True, ""), (["4"], ""), ("", ""), ("none", "")]
)
def test_the_riders_are_taken_off(done: object, id: str) -> None:
    """The tool gets its own arguments only, and an id of a wrong type is no update."""
    assert unload({"path": "a", "done": done}) == ({"path": "a"}, id)


def test_a_call_without_a_rider_is_left_alone() -> None:
    """No field, no update."""
    assert unload({"path": "a"}) == ({"path": "a"}, "")
