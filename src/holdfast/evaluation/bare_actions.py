"""What the bare host's model may answer: one JSON action, `{"tool": NAME, "args": {…}}`, held to a schema."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast import Dialect

ToolDefinition = Mapping[str, Any]
"""A tool in the form "json": `name`, `description`, and the schema of its arguments, `parameters`."""

LONGEST, MOST_ITEMS = 200, 50
"""How long a text and a list of a plan may be. Without a limit, a small model may go on for ever."""


class BareAction(NamedTuple):
    """An action of the model. Without a tool, its answer was not one."""

    tool: str
    arguments: Mapping[str, Any]


def read_answer(answer: str) -> BareAction:
    """The action in an answer."""
    try:
        action = json.loads(answer)
    except (ValueError, RecursionError):  # cut off, or no JSON at all
        action = None
    if not isinstance(action, dict) or not isinstance(action.get("tool"), str):
        return BareAction("", {})
    arguments = action.get("args")
    return BareAction(action["tool"], arguments if isinstance(arguments, dict) else {})


def answer_schema(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """What an answer may be: an action with one of these tools."""
    return {"anyOf": [_action_schema(tool["name"], _bounded(tool["parameters"])) for tool in tools]}


def describe_actions(tools: Sequence[ToolDefinition]) -> str:
    """The tools for a system prompt: for each, an action, and what it does."""
    return "\n".join(f"{action_form(tool)} {tool['description']}" for tool in tools)


def action_form(tool: ToolDefinition) -> str:
    """An action with this tool, as the model writes it."""
    action = {"tool": tool["name"], "args": _placeholder(tool["parameters"])}
    return json.dumps(action, ensure_ascii=False)


def mark_form(dialect: Dialect) -> str:
    """The action that gives the todo `{id}` a `{status}`, for a policy's `mark`; empty if the dialect has none."""
    tool = dialect.mark_tool or dialect.tool_name
    return f'{{{{"tool": "{tool}", "args": {dialect.mark}}}}}' if dialect.mark else ""


def _action_schema(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, "args": {**arguments, "additionalProperties": False}},
        "required": ["tool", "args"],
        "additionalProperties": False,
    }


def _bounded(schema: Any) -> Any:
    """A schema in which every text and list has a limit."""
    if isinstance(schema, list):
        return [_bounded(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    limits: dict[str, Any] = {}
    if schema.get("type") == "string" and "enum" not in schema:
        limits = {"maxLength": LONGEST}
    if schema.get("type") == "array":
        limits = {"maxItems": MOST_ITEMS}
    return {**limits, **{key: _bounded(part) for key, part in schema.items()}}


def _placeholder(schema: Mapping[str, Any]) -> Any:
    """A value that shows a schema's form."""
    if "enum" in schema:
        return "|".join(map(str, schema["enum"]))
    match schema.get("type"):
        case "object":
            return {name: _placeholder(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_placeholder(schema.get("items", {}))]
    return "..."
