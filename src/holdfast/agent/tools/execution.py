"""One tool call, from its name to its result. Whatever goes wrong on the way is a result, too."""

from collections.abc import Callable, Mapping
from typing import Any

from ...text import describe, shorten
from ..events import ToolCall, ToolResult
from .tool import AgentTool, NonzeroExit, ToolFailure

Permission = Callable[[AgentTool, Mapping[str, Any]], bool]

LONGEST_ERROR = 4000


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
