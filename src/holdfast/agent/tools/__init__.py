"""What an agent can do besides planning: files and commands in a workspace, and subagents."""

from .bash import bash_tool
from .files import MOST_OUTPUT, file_tools
from .tool import Failure, Tool
from .workspace import Workspace

__all__ = ["Failure", "Tool", "Workspace", "standard_tools"]


def standard_tools(workspace: Workspace, most_output: int = MOST_OUTPUT) -> list[Tool]:
    """The tools of a coding agent in one workspace. What they say is at most `most_output` characters long."""
    return [bash_tool(workspace, most_output=most_output), *file_tools(workspace, most_output)]
