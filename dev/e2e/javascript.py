"""The agent SDKs of JavaScript, over MCP: the programs of docs/recipes.md as they stand there, on a scripted model."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from holdfast.testing import ModelServer, call, text

from .trial import ClientTrial

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
PLANNED = {"todos": [{"content": "Read the code"}, {"content": "Fix the bug"}]}
SHOWN_AT = 9
"""The request at whose end the programs show the open plan: the tenth."""


def _program(heading: str) -> str:
    """The program under a heading of the docs."""
    found = re.search(rf"^## {heading}$.*?```js\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None, f"no program for {heading}"
    return found[1]


def _keeps_a_plan(trial: ClientTrial, heading: str, tool: str) -> None:
    """The prompt names the tool as it is, a write is saved and answered, and the open plan ends one request only."""
    marks = [[call(tool, todos=[{"id": "1", "status": ("in_progress", "pending")[at % 2]}])] for at in range(10)]
    with ModelServer([[call(tool, **PLANNED)], *marks, [text("Planned.")]]) as server:
        file = trial.beside_client("program.mjs")
        file.write_text(_program(heading), encoding="utf-8")
        ran = trial.command(["node", str(file)], {"OPENAI_BASE_URL": server.chat_url, "OPENAI_API_KEY": "none"})
    bodies = [str(request.body) for request in server.requests if request.status == 200]
    assert ran.code == 0, ran.stderr[-600:]
    assert "Planned." in ran.stdout, ran.stdout[-300:]
    assert len(bodies) == len(marks) + 2, len(bodies)
    assert f"first write the plan with {tool}" in bodies[0], bodies[0][:600]
    assert "Saved 1-2. 0/2 done. Next 1: Read the code" in bodies[1], bodies[1][-400:]
    shown = [at for at, body in enumerate(bodies) if "Still open" in body]
    assert shown == [SHOWN_AT], shown
    assert trial.todos() == [[("Read the code", "pending"), ("Fix the bug", "pending")]], trial.todos()


def _vercel(trial: ClientTrial) -> None:
    _keeps_a_plan(trial, "Vercel AI SDK", "TodoWrite")


def _mastra(trial: ClientTrial) -> None:
    _keeps_a_plan(trial, "Mastra", "holdfast_TodoWrite")


VERCEL_CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {"the program of the docs": _vercel}
MASTRA_CHECKS: Mapping[str, Callable[[ClientTrial], None]] = {"the program of the docs": _mastra}
