"""What an agent can do besides planning: files and commands in a workspace, and subagents."""

from collections.abc import Mapping

from .bash import bash_tool
from .files import MOST_OUTPUT, file_tools
from .tool import AgentTool, ToolFailure
from .workspace import Workspace

__all__ = ["AgentTool", "ToolFailure", "Workspace", "standard_tools"]


def standard_tools(
    workspace: Workspace, most_output: int = MOST_OUTPUT, variables: Mapping[str, str] | None = None
) -> list[AgentTool]:
    """The tools of a coding agent in one workspace. Their output is at most `most_output` characters long.

    `variables` are set for commands, in addition to the few that they get from the environment.
    """
    return [bash_tool(workspace, more=variables, most_output=most_output), *file_tools(workspace, most_output)]
