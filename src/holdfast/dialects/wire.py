"""A dialect's tools in the wire forms of the models' providers."""

from typing import Literal, get_args

from ..errors import UsageError
from .dialect import Dialect, Tool
from .reading.schemas import JSON

WireForm = Literal["anthropic", "openai", "openai-responses", "mcp", "json"]
WIRE_FORMS: tuple[WireForm, ...] = get_args(WireForm)


def definitions(dialect: Dialect, form: str) -> list[JSON]:
    """The definitions of all tools in a wire form. They are copies, which the caller may change.

    Raises UsageError for an unknown form.
    """
    if form not in WIRE_FORMS:
        raise UsageError(f"no wire form {form!r}; there are {', '.join(WIRE_FORMS)}")
    return [_definition(tool, form) for tool in dialect.tools]


def definition(dialect: Dialect, form: str) -> JSON:
    """The definition of the tool of a dialect that has only one.

    Raises UsageError for an unknown form, and for a dialect that has several tools.
    """
    tools = definitions(dialect, form)
    if len(tools) > 1:
        names = ", ".join(dialect.tool_names)
        raise UsageError(f"{dialect.name} has {len(tools)} tools: {names}; ask for all of them with tools()")
    return tools[0]


def _definition(tool: Tool, form: str) -> JSON:
    plain = {"name": tool.name, "description": tool.description}
    import json  # not before it is needed: a board can be written without it

    schema = json.loads(json.dumps(tool.schema))  # a copy
    match form:
        case "anthropic":
            return {**plain, "input_schema": schema}
        case "openai":
            return {"type": "function", "function": {**plain, "parameters": schema}}
        case "openai-responses":
            return {"type": "function", **plain, "parameters": schema, "strict": False}
        case "mcp":
            return {**plain, "inputSchema": schema, "annotations": _annotations(tool)}
        case _:
            return {**plain, "parameters": schema}


def _annotations(tool: Tool) -> JSON:
    """What an MCP client may know of the tool beforehand."""
    return {
        "readOnlyHint": tool.reads_only,
        "destructiveHint": False,
        "idempotentHint": tool.repeatable,
        "openWorldHint": False,
    }
