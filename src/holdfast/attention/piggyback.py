"""An update inside another tool's call: `"done": "4"` beside its arguments, so that it takes no turn of its own.

tools = attention.equip(tools)                              # once a session: definitions never change
arguments, done = unload(call.arguments)                    # at each call of such a tool
result = run(call.name, arguments)
result += attention.after_tool(call.name, call.arguments)   # it takes the update: a call that failed finishes nothing
"""

from collections.abc import Mapping
from typing import Any

FIELD = "done"
NOT_DONE = frozenset(("none", "no", "false", "pending", "in_progress", "blocked", "cancelled"))
"""What a model writes instead of an id if the call finishes nothing: small models take the field for a status."""
LONGEST_ID = 20
DESCRIPTION = "id of the todo that this call finishes, if it does"

_SCHEMAS = ("input_schema", "parameters", "inputSchema")


def rideable(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's definition, in any wire form, whose calls may say which todo they finish. It stays optional."""
    if "function" in definition:
        return {**definition, "function": rideable(definition["function"])}
    name = next((name for name in _SCHEMAS if name in definition), None)
    if name is None:
        return dict(definition)
    schema = definition[name]
    properties = {
        **schema.get("properties", {}),
        FIELD: {"type": "string", "maxLength": LONGEST_ID, "description": DESCRIPTION},
    }
    return {**definition, name: {**schema, "properties": properties}}


def unrideable(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's definition as it was before `rideable`: for hosts that allow the field only where an update may ride."""
    name = next((name for name in _SCHEMAS if name in definition), None)
    if name is None or FIELD not in definition[name].get("properties", {}):
        return dict(definition)
    properties = {key: part for key, part in definition[name]["properties"].items() if key != FIELD}
    return {**definition, name: {**definition[name], "properties": properties}}


def is_shell(definition: Mapping[str, Any]) -> bool:
    """Whether a tool, in any wire form, runs commands: its call has one, in words that the model may choose.

    If its call has to have something else, but no command, running one is not what it is for.
    """
    if "function" in definition:
        return is_shell(definition["function"])
    schema: Mapping[str, Any] = next((definition[name] for name in _SCHEMAS if name in definition), {})
    properties, required = schema.get("properties", {}), schema.get("required", ())
    command = properties.get("command", {})
    is_free = "enum" not in command and "const" not in command
    return is_free and ("command" in required or ("command" in properties and not required))


def tool_name(definition: Mapping[str, Any]) -> str:
    """The name in a tool's definition, in any wire form."""
    inner = definition.get("function")
    return str((inner if isinstance(inner, Mapping) else definition).get("name", ""))


def unload(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A call's own arguments, and the id of the todo that it finishes; empty if it finishes none."""
    own = {name: value for name, value in arguments.items() if name != FIELD}
    done = arguments.get(FIELD)
    is_id = isinstance(done, (str, int)) and not isinstance(done, bool)
    return own, str(done) if is_id and str(done).lower() not in NOT_DONE else ""
