"""One action as JSON: one schema for all tools, for servers that can enforce it, and the tools in few words."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...attention.policies import Policy
from ...dialects import Dialect
from ...errors import UsageError
from ...text import brief
from ..messages import Definition

JSON = dict[str, Any]

FIELD = "tool"
"""The field with the tool's name; the tool's own arguments are fields of the same object."""
FINISH = "finish"
"""The action that calls no tool: the model's answer in words."""

FINISH_FORM = json.dumps({FIELD: FINISH, "text": "..."})
NAMES_TO_SCHEMAS = ("properties", "$defs", "definitions")
LONGEST, LONGEST_IN_LIST, MOST_ITEMS = 1500, 200, 50
"""How long a string and a list may be. llama.cpp refuses 2,000 repetitions; in lists, lengths are multiplied."""


def action_schema(tools: Sequence[Definition], finish: bool = True) -> JSON:
    """What one action may be: a call of one of the tools, or the end. Strings are limited, definitions at the root.

    Raises UsageError for a tool with an argument named like the field.
    """
    definitions: JSON = {}
    actions = [_action(tool["name"], _hoist_definitions(tool, definitions)) for tool in tools]
    if finish:
        text = {"type": "string", "maxLength": LONGEST}
        actions.append(_action(FINISH, {"properties": {"text": text}, "required": ["text"]}))
    return {"anyOf": actions, **({"$defs": definitions} if definitions else {})}


def describe_tools(tools: Sequence[Definition]) -> str:
    """The tools for a system prompt: a line each, with the form of its action."""
    lines = ["Answer with one JSON action at a time:"]
    for tool in tools:
        action = {FIELD: tool["name"], **_example(_required_part(tool["input_schema"]))}
        lines.append(f"{_compact(action)} {brief(tool.get('description', ''), 200)}".rstrip())
    lines.append(f"{FINISH_FORM} Only when everything is done: your answer.")
    return "\n".join(lines)


def _required_part(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's schema with only what a call must have: a small model copies whatever it is shown."""
    properties = schema.get("properties", {})
    return {
        **schema,
        "properties": {name: properties[name] for name in schema.get("required", ()) if name in properties},
    }


def in_actions(policy: Policy, dialect: Dialect) -> Policy:
    """A policy that shows a model its next action in the form in which it acts."""
    mark = f'{{{{"{FIELD}": "{dialect.mark_tool or dialect.tool_name}", {dialect.mark[2:]}' if dialect.mark else ""
    return policy.replace(mark=mark, end=FINISH_FORM)


def _action(name: str, schema: Mapping[str, Any]) -> JSON:
    properties = schema.get("properties", {})
    if FIELD in properties:
        raise UsageError(f"the tool {name!r} has an argument {FIELD!r}, which JSON actions need: rename it")
    return {
        "type": "object",
        "properties": {FIELD: {"const": name}, **properties},
        "required": [FIELD, *schema.get("required", ())],
        "additionalProperties": False,
    }


def _hoist_definitions(tool: Definition, definitions: JSON) -> JSON:
    """A tool's schema, with limits; its own definitions move to the root's, under the tool's name."""
    schema: JSON = _repoint_references(tool["name"], _limit_lengths(copy.deepcopy(dict(tool["input_schema"])), LONGEST))
    for place in ("$defs", "definitions"):
        for name, definition in schema.pop(place, {}).items():
            definitions[f"{tool['name']}_{name}"] = definition
    return schema


def _repoint_references(tool: str, node: Any) -> Any:
    """A schema whose references point to the root's definitions."""
    if isinstance(node, list):
        return [_repoint_references(tool, part) for part in node]
    if not isinstance(node, dict):
        return node
    target = node.get("$ref")
    if isinstance(target, str):
        return {**node, "$ref": f"#/$defs/{tool}_{target.rpartition('/')[2]}"}
    return {key: _repoint_references(tool, part) for key, part in node.items()}


def _limit_lengths(node: Any, longest: int) -> Any:
    """A schema with a limit for every string and list in it."""
    if isinstance(node, list):
        return [_limit_lengths(part, longest) for part in node]
    if not isinstance(node, dict):
        return node
    kinds = node.get("type")
    if kinds == "array" or "items" in node:
        longest = min(longest, LONGEST_IN_LIST)
        node["maxItems"] = min(node.get("maxItems", MOST_ITEMS), MOST_ITEMS)
    elif "string" in (kinds if isinstance(kinds, list) else [kinds]) and not {"enum", "const"} & node.keys():
        node["maxLength"] = min(node.get("maxLength", longest), longest)
    return {
        key: _limit_each(part, longest) if key in NAMES_TO_SCHEMAS else _limit_lengths(part, longest)
        for key, part in node.items()
    }


def _limit_each(named: Mapping[str, Any], longest: int) -> JSON:
    """Schemas by names, each with limits. A name is not a keyword: a field may be called `items`."""
    return {name: _limit_lengths(part, longest) for name, part in named.items()}


def _example(schema: Mapping[str, Any]) -> Any:
    """A value of a schema's form, to be read by a model: `...` for a text, the choices where there are some."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"])
    match schema.get("type"):
        case "object":
            return {name: _example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_example(schema.get("items", {}))]
        case "integer" | "number":
            return 0
        case "boolean":
            return True
    return "..."


def _compact(action: JSON) -> str:
    return json.dumps(action, ensure_ascii=False)
