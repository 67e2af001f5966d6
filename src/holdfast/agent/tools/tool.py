"""A tool, as a value, and one call of it. Whatever goes wrong on the way is a result, too."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...text import describe, shorten
from ..events import ToolCall, ToolResult

LONGEST_ERROR = 4000
_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}


class ToolFailure(Exception):
    """A tool could not do what it was asked for. The model reads the message as it is."""


class NonzeroExit(ToolFailure):
    """A command ran, and its exit code was not 0."""


class AgentTool(NamedTuple):
    """Something the model can do besides planning.

    `read_only`: it changes nothing, so plan mode has it. `needs_permission`: the user must allow each use. `asks_for`
    says of the arguments of a call that the user must allow this one.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[..., str]
    read_only: bool = False
    needs_permission: bool = False
    asks_for: Callable[[Mapping[str, Any]], bool] | None = None

    def must_ask(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the user must allow a call."""
        return self.needs_permission or (self.asks_for is not None and self.asks_for(arguments))

    @property
    def definition(self) -> dict[str, Any]:
        """The tool in the form of the Messages API."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.schema)}

    def check_arguments(self, arguments: object) -> Mapping[str, Any]:
        """The arguments that a model sent. Raises ToolFailure if they do not fit the schema."""
        if not isinstance(arguments, Mapping):
            raise ToolFailure(f"the input must be a JSON object, received {describe(arguments)}")
        faults = [*self._unknown(arguments), *self._missing(arguments), *self._mistyped(arguments)]
        if faults:
            raise ToolFailure("; ".join(faults))
        return arguments

    @property
    def _properties(self) -> Mapping[str, Mapping[str, Any]]:
        properties: Mapping[str, Mapping[str, Any]] = self.schema.get("properties", {})
        return properties

    def _unknown(self, arguments: Mapping[str, object]) -> list[str]:
        known = self._properties
        takes = ", ".join(known) or "nothing"
        return [f"{name}: unknown; {self.name} takes {takes}" for name in arguments if name not in known]

    def _missing(self, arguments: Mapping[str, object]) -> list[str]:
        return [f"{name}: required" for name in self.schema.get("required", ()) if name not in arguments]

    def _mistyped(self, arguments: Mapping[str, object]) -> list[str]:
        return [
            f"{name}: expected {wanted['type']}, received {describe(arguments[name])}"
            for name, wanted in self._properties.items()
            if name in arguments and not _is_type(arguments[name], wanted.get("type"))
        ]


Permission = Callable[[AgentTool, Mapping[str, Any]], bool]


def run_tool(
    tools: Mapping[str, AgentTool], call: ToolCall, permission: Permission | None, plan_mode: bool = False
) -> ToolResult:
    """Run the tool that a model called. Tools that need permission ask `permission`; `None` allows everything."""

    def failed(output: str) -> ToolResult:
        return ToolResult(call.id, call.name, output, failed=True)

    try:
        tool = _find_tool(tools, call.name, plan_mode)
        arguments = tool.check_arguments(call.input)
        if tool.must_ask(arguments) and permission is not None and not permission(tool, arguments):
            raise ToolFailure("the user did not allow this. Do without it, or say why it is needed")
        return ToolResult(call.id, call.name, tool.run(**arguments))
    except NonzeroExit as ended:
        return failed(str(ended))
    except ToolFailure as failure:
        return failed(f"Error: {failure}")
    except Exception as error:
        return failed(shorten(f"Error: {type(error).__name__}: {error}", LONGEST_ERROR))


def _find_tool(tools: Mapping[str, AgentTool], name: str, plan_mode: bool) -> AgentTool:
    tool = tools.get(name)
    if tool is None:
        raise ToolFailure(f"no tool {describe(name)}; there are {', '.join(tools)}")
    if plan_mode and not tool.read_only:
        raise ToolFailure(f"{name} is not available in plan mode: nothing is changed before the user says go")
    return tool


def schema(required: Mapping[str, str], optional: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The schema of a tool's input: required texts, each with its description, and optional fields."""
    texts = {name: {"type": "string", "description": description} for name, description in required.items()}
    return {
        "type": "object",
        "properties": {**texts, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _is_type(value: object, wanted: object) -> bool:
    kind = _TYPES.get(str(wanted))
    return kind is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool)))
