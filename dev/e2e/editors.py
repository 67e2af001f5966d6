"""Cursor and VS Code, whose agents need their makers' servers for a model: what `holdfast install` writes, run.

The official MCP client takes the agent's place: it reads the editor's own settings, starts the server that they name,
with the name and the roots that the editor gives, and writes a plan.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import anyio
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import GetPromptResult, Implementation, ListRootsResult, Root, TextContent
from pydantic import FileUrl

from .trial import ClientTrial

PATIENCE = 120


class Editor(NamedTuple):
    """An editor: where its settings are, under which key they have servers, and what it calls itself."""

    harness: str
    file: str
    key: str
    name: str


CURSOR = Editor("cursor", ".cursor/mcp.json", "mcpServers", "cursor-vscode")
VSCODE = Editor("vscode", ".vscode/mcp.json", "servers", "Visual Studio Code")


def _calls_the_tool(editor: Editor, trial: ClientTrial) -> None:
    """The server in the editor's settings starts, writes a plan, and leaves no word of ours after an uninstall."""
    settings = trial.project / editor.file
    settings.parent.mkdir()
    before = f'{{\n  "{editor.key}": {{\n    "other": {{"command": "true"}}\n  }}\n}}\n'
    settings.write_text(before)
    trial.install(editor.harness)
    entry = json.loads(settings.read_text())[editor.key]["holdfast"]
    todos = [{"content": "Read"}, {"content": "Fix"}]
    said = anyio.run(partial(_write, editor, entry, trial, todos))
    assert said.startswith("Saved 1-2."), said
    (((_, agent), plan),) = trial.plans().items()
    assert [todo.content for todo in plan.todos] == ["Read", "Fix"] and agent == "main", plan
    trial.holdfast("uninstall", editor.harness)
    assert settings.read_text() == before, settings.read_text()


def _goes_on_in_the_next_conversation(editor: Editor, trial: ClientTrial) -> None:
    """The prompt `resume`, which the editor shows in its menu, offers the open plan to the next conversation."""
    trial.install(editor.harness)
    entry = json.loads((trial.project / editor.file).read_text())[editor.key]["holdfast"]
    anyio.run(partial(_write, editor, entry, trial, [{"content": "Read"}, {"content": "Fix"}]))
    said = anyio.run(partial(_resume, editor, entry, trial))
    assert "Fix" in said, said


async def _write(editor: Editor, entry: Mapping[str, Any], trial: ClientTrial, todos: object) -> str:
    with anyio.fail_after(PATIENCE):
        async with _client(editor, entry, trial) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "TodoWrite" in names, names
            result = await client.call_tool("TodoWrite", {"todos": todos})
            part = result.content[0]
            assert isinstance(part, TextContent), part
            return part.text


async def _resume(editor: Editor, entry: Mapping[str, Any], trial: ClientTrial) -> str:
    with anyio.fail_after(PATIENCE):
        async with _client(editor, entry, trial) as client:
            found: GetPromptResult = await client.get_prompt("resume")
            return " ".join(each.content.text for each in found.messages if isinstance(each.content, TextContent))


def _client(editor: Editor, entry: Mapping[str, Any], trial: ClientTrial) -> Client:
    """The official client with the editor's name, which starts what the editor's settings say, from no folder."""
    parameters = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=dict(trial.environ), cwd=str(trial.home)
    )

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(trial.project.as_uri()), name="project")])

    return Client(
        stdio_client(parameters),
        client_info=Implementation(name=editor.name, version="1"),
        list_roots_callback=roots,
        mode="legacy",
    )


def _checks(editor: Editor) -> Mapping[str, Callable[[ClientTrial], None]]:
    return {
        "the tool over MCP, from its settings": partial(_calls_the_tool, editor),
        "a plan is carried into the next conversation": partial(_goes_on_in_the_next_conversation, editor),
    }


CURSOR_CHECKS = _checks(CURSOR)
VSCODE_CHECKS = _checks(VSCODE)
