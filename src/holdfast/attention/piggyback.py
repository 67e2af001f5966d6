"""An update inside another tool's call: `"done": "4"` beside its arguments, so that it takes no turn of its own.

tools = [rideable(definition) for definition in tools]      # once a session: definitions never change
arguments, done = unload(call.arguments)                    # at each call of such a tool
result = run(call.name, arguments)
if done:
    result += attention.ride(done, failed)                  # when it has run: a call that failed finishes nothing
"""

from collections.abc import Mapping
from typing import Any

FIELD = "done"
NONE = "none"
"""What a model may write instead of an id, where a host makes the field required."""
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
    properties = {**schema.get("properties", {}), FIELD: {"type": "string", "description": DESCRIPTION}}
    return {**definition, name: {**schema, "properties": properties}}


def unload(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A call's own arguments, and the id of the todo that it finishes; empty if it finishes none."""
    own = {name: value for name, value in arguments.items() if name != FIELD}
    done = arguments.get(FIELD)
    is_id = isinstance(done, (str, int)) and not isinstance(done, bool) and done != NONE
    return own, str(done) if is_id else ""
