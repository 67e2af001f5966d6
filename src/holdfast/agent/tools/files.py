"""The tools for files: read, write, edit. All of them stay inside the workspace."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from ...text import counted
from .tool import AgentTool, ToolFailure, schema
from .workspace import Workspace

MOST_OUTPUT = 30_000

PROTECTED = frozenset(
    (
        *(".git", ".gitconfig", ".gitmodules", ".hg", ".hgrc", ".jj", ".husky", ".pre-commit-config.yaml"),
        *(".lefthook.yml", ".github", ".gitlab-ci.yml", ".circleci", ".forgejo", ".gitea", ".travis.yml"),
        *(".woodpecker", ".woodpecker.yml"),
        *(".envrc", ".mise.toml", ".ssh", ".gnupg", ".netrc", ".config", ".local", ".pam_environment", ".xprofile"),
        *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"),
        *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".tmux.conf", ".screenrc"),
        *(".vscode", ".idea", ".run", ".devcontainer", ".devcontainer.json", ".zed", ".fleet"),
        *(".vim", ".vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".emacs", ".emacs.d", ".dir-locals.el"),
        *(".holdfast", ".claude", ".codex", ".gemini", ".opencode", "opencode.json", "opencode.jsonc", ".mcp.json"),
        *(".cursor", ".qwen", ".roo", ".kimi", ".kiro", ".windsurf", ".continue", ".crush.json", ".aider.conf.yml"),
    )
)
"""Names that no tool writes without a question: git, editors, shells and agents run commands that stand there."""

HEAD_OF_A_REPOSITORY = "head"
"""With a file of this name, any folder can be a repository, whose own settings git obeys there."""

_PATH = "relative to the workspace"
_LINES: Mapping[str, Mapping[str, Any]] = {
    "first": {"type": "integer", "description": "the line to begin with, 1 for the top"},
    "lines": {"type": "integer", "description": "how many lines, at most; 0 for all"},
}

_REPLACE: Mapping[str, Mapping[str, Any]] = {
    "replace": {"type": "boolean", "description": "whether all that the file has may go"}
}
ALREADY_THERE = (
    "{path} is there already, with {size}: read_file shows it, edit_file changes a place, `>>` in bash adds a line. "
    "replace=true writes all of it anew"
)


def file_tools(workspace: Workspace, most_output: int = MOST_OUTPUT) -> list[AgentTool]:
    """The three tools over one workspace. Their output is at most `most_output` characters long."""
    return [_read_file_tool(workspace, most_output), _write_file_tool(workspace), _edit_file_tool(workspace)]


def _read_file_tool(workspace: Workspace, most_output: int) -> AgentTool:
    def read_file(path: str, first: int = 1, lines: int | None = None) -> str:
        if workspace.is_folder(path):
            return "\n".join(workspace.names(path)) or "(an empty folder)"
        return excerpt(_read_text(workspace, path), first, lines, most_output)

    does = "Read a text file, or list a folder (`.` is the workspace)."
    return AgentTool("read_file", does, schema({"path": _PATH}, _LINES), read_file, read_only=True)


def _write_file_tool(workspace: Workspace) -> AgentTool:
    def write_file(path: str, content: str, replace: bool = False) -> str:
        if not replace and (size := workspace.size(path)):
            raise ToolFailure(ALREADY_THERE.format(path=path, size=counted(size, "byte")))
        is_new = workspace.write(path, _encode(content))
        return f"{'Created' if is_new else 'Replaced'} {path}: {counted(len(content.splitlines()), 'line')}"

    does = "Write a new text file. One that is there already is replaced only with `replace`."
    takes = schema({"path": _PATH, "content": "all of it"}, _REPLACE)
    return AgentTool("write_file", does, takes, write_file, asks_for=_is_protected)


def _edit_file_tool(workspace: Workspace) -> AgentTool:
    def edit_file(path: str, old: str, new: str) -> str:
        before = _read_text(workspace, path)
        at = only_position(before, old, new)
        workspace.write(path, _encode(before[:at] + new + before[at + len(old) :]))
        return f"Changed {path} at line {before.count(chr(10), 0, at) + 1}"

    does = "Replace one place in a text file. `old` must be in the file exactly once: take enough of its lines."
    takes = {"path": _PATH, "old": "the text that is there, exactly", "new": "what to put there"}
    return AgentTool("edit_file", does, schema(takes), edit_file, asks_for=_is_protected)


def _is_protected(arguments: Mapping[str, Any]) -> bool:
    """Whether a call would write what programs run or obey by themselves.

    A Mac takes names in any case for the same file, and some characters that nobody sees for none.
    """
    path = "".join(char for char in str(arguments.get("path", "")) if unicodedata.category(char) != "Cf")
    parts = [part.casefold() for part in path.split("/")]
    return parts[-1] == HEAD_OF_A_REPOSITORY or not PROTECTED.isdisjoint(parts)


def excerpt(text: str, first: int, lines: int | None, most: int) -> str:
    """The lines that were asked for, as many as there is room for, and a note on what is left out."""
    every = text.splitlines(keepends=True)
    start = max(first, 1) - 1
    wanted = every[start : start + max(lines, 1) if lines else len(every)]
    shown, room = 0, most
    for line in wanted:
        room -= len(line)
        if room < 0 and shown:
            break
        shown += 1
    body = "".join(wanted[:shown])[:most]
    if not every:
        return "(an empty file)"
    if not wanted:
        return f"(no line {first}: the file has {len(every)})"
    end = start + shown
    return (
        body if end == len(every) and start == 0 and room >= 0 else f"{body}\n[lines {start + 1}-{end} of {len(every)}]"
    )


def only_position(text: str, old: str, new: str) -> int:
    """The position of `old`, which must be in the text exactly once. Raises ToolFailure if it is not."""
    if not old:
        raise ToolFailure("`old` is empty: write_file makes new files")
    if old == new:
        raise ToolFailure("`old` and `new` are the same")
    at = text.find(old)
    if at < 0:
        raise ToolFailure("`old` is not in the file. Read it again: every blank and line break counts")
    found = [at]
    while (at := text.find(old, at + 1)) >= 0:
        found.append(at)
    if len(found) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in found[:5])
        raise ToolFailure(f"`old` is in the file {len(found)} times (lines {lines}): take more of the lines around it")
    return found[0]


def _read_text(workspace: Workspace, path: str) -> str:
    data = workspace.read(path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ToolFailure(f"not a text file (no UTF-8 at byte {error.start}): use bash") from error


def _encode(content: str) -> bytes:
    return content.encode("utf-8", "replace")
