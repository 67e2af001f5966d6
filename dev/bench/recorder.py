"""Records what real coding agents send to their todo tools: a scripted model works through ten steps in each of them.

The client checks each call with its own schema, and hands it to its hook: that is what is recorded, in the order that
it came, with the client's version. The texts and statuses are ours: no hosted model is asked.

    python -m dev.bench.recorder [--scratch FOLDER] [CLIENT…]
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dev.bench.steps import STATUSES, STEPS, items
from dev.e2e import claude_code, codex, gemini, opencode
from dev.e2e.npm import ClientFolder
from dev.e2e.trial import HOLDFAST, ClientTrial
from holdfast.testing import ModelServer, ScriptedTurn, call, text

RECORDED = Path(__file__).parent / "recorded"
OURS = "mcp__holdfast__TodoWrite"
"""What Claude Code calls our tool."""

RECORDER = """#!{python}
import os, subprocess, sys
if sys.argv[1] != "hook":
    os.execv({holdfast!r}, ["holdfast", *sys.argv[1:]])
event = sys.stdin.buffer.read()
with open({events!r}, "ab") as file:
    file.write(event.replace(b"\\n", b" ") + b"\\n")
sys.exit(subprocess.run([{holdfast!r}, *sys.argv[1:]], input=event).returncode)
"""

AFTER_A_TOOL = ("PostToolUse", "AfterTool", "tool.execute.after")
BEFORE_A_TOOL = ("PreToolUse",)
"""What the clients call the moment when a tool has run, and before it: of our own tool, the hook is told before."""

Session = Callable[[ClientTrial, list[ScriptedTurn]], None]


class Client(NamedTuple):
    """A client: its package, its tool, the calls of the model, and how it is run. `wanted` tools are recorded."""

    package: str
    wanted: tuple[str, ...]
    turns: list[ScriptedTurn]
    run: Session


def _lists(tool: str, *fields: str, name: str = "todos", **more: Any) -> list[ScriptedTurn]:
    return [[call(tool, **more, **{name: items(statuses, *fields)})] for statuses in STATUSES]


def _tasks() -> list[ScriptedTurn]:
    created = [
        [call("TaskCreate", subject=content, description=f"{content}, as the issue says", activeForm=doing)]
        for content, doing in STEPS
    ]
    numbers = [str(number) for number in range(1, len(STEPS) + 1)]
    statuses = ("in_progress", "completed")
    return [*created, *([call("TaskUpdate", taskId=id, status=each)] for id in numbers for each in statuses)]


def _claude(trial: ClientTrial, turns: list[ScriptedTurn], **environ: str) -> None:
    trial.install("claude-code", "--only", "hooks")
    _record_hooks(trial)
    with ModelServer([*turns, [text("Done.")]]) as server:
        claude_code._claude(trial, server, "Do it", **environ)


def _claude_with_our_tool(trial: ClientTrial, turns: list[ScriptedTurn]) -> None:
    trial.install("claude-code", "--mcp")
    _record_hooks(trial)
    with ModelServer([*turns, [text("Done.")]]) as server:
        claude_code._claude(trial, server, "Do it", "--mcp-config", ".mcp.json")


def _updates() -> list[ScriptedTurn]:
    """Our own tool: the plan, then each todo but the last completed by its id, and made to wait again."""
    plan = [call(OURS, todos=items(STATUSES[0], "content", "status"))]
    numbers = [str(number) for number in range(1, len(STEPS))]
    marked = [(id, "completed") for id in numbers] + [(id, "pending") for id in reversed(numbers)]
    return [plan, *([call(OURS, todos=[{"id": id, "status": status}])] for id, status in marked)]


def _claude_lists(trial: ClientTrial, turns: list[ScriptedTurn]) -> None:
    _claude(trial, turns, CLAUDE_CODE_ENABLE_TASKS="0")


def _codex(trial: ClientTrial, turns: list[ScriptedTurn]) -> None:
    with ModelServer([*turns, [text("Done.")]]) as server:
        codex._set_up(trial, server, "--only", "hooks")
        _record_hooks(trial)
        codex._codex(trial)


def _gemini(trial: ClientTrial, turns: list[ScriptedTurn]) -> None:
    gemini._set_up(trial, "--only", "hooks")
    _record_hooks(trial)
    with ModelServer([*turns, [text("Done.")]]) as server:
        gemini._gemini(trial, server, "-p", "Do it")


def _opencode(trial: ClientTrial, turns: list[ScriptedTurn]) -> None:
    with ModelServer([*turns, *([[text("Done.")]] * 4)]) as server:
        opencode._set_up(trial, server, "--only", "hooks")
        _record_hooks(trial)
        opencode._opencode(trial, "Do it")


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        "@anthropic-ai/claude-code",
        ("TodoWrite",),
        _lists("TodoWrite", "content", "status", "activeForm"),
        _claude_lists,
    ),
    "claude-tasks": Client("@anthropic-ai/claude-code", ("TaskCreate", "TaskUpdate"), _tasks(), _claude),
    "holdfast": Client("@anthropic-ai/claude-code", (OURS,), _updates(), _claude_with_our_tool),
    "codex": Client(
        "@openai/codex",
        ("update_plan",),
        _lists("update_plan", "step", "status", name="plan", explanation="The next step"),
        _codex,
    ),
    "gemini": Client("@google/gemini-cli", ("write_todos",), _lists("write_todos", "description", "status"), _gemini),
    "opencode": Client("opencode-ai", ("todowrite",), _lists("todowrite", "content", "status", "priority"), _opencode),
}


def _events(trial: ClientTrial) -> Path:
    return trial.home / "events.jsonl"


def _record_hooks(trial: ClientTrial) -> None:
    """Put a program before our own on the client's path: it keeps what the hook is told."""
    recorder = trial.home / "recorder" / "holdfast"
    recorder.parent.mkdir()
    recorder.write_text(
        RECORDER.format(python=sys.executable, events=str(_events(trial)), holdfast=str(HOLDFAST)), encoding="utf-8"
    )
    recorder.chmod(0o755)
    trial.environ["PATH"] = f"{recorder.parent}{os.pathsep}{trial.environ['PATH']}"


def _calls(trial: ClientTrial, wanted: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The calls of the wanted tools, as the hook was told of them."""
    for line in _events(trial).read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        moments = BEFORE_A_TOOL if wanted == (OURS,) else AFTER_A_TOOL
        if event.get("tool_name") in wanted and event["hook_event_name"] in moments:
            yield {"tool": event["tool_name"], "input": event["tool_input"]}


def record(name: str, shelf: Path, folder: Path) -> Path:
    """Record one client. Raises NotRun if it cannot be installed."""
    client = CLIENTS[name]
    place = ClientFolder(shelf)
    installed = place.install(client.package)
    trial = ClientTrial(folder / name, place.path, installed.commands)
    client.run(trial, client.turns)
    calls = list(_calls(trial, client.wanted))
    assert len(calls) == len(client.turns), f"{name}: {len(calls)} of {len(client.turns)} calls; {_events(trial)}"
    about = {"client": client.package, "version": installed.version, "from": "what its hook was told of each call"}
    target = RECORDED / f"{name}.json"
    target.write_text(json.dumps({**about, "calls": calls}, indent=1) + "\n", encoding="utf-8")
    return target


def main() -> None:
    """Record all of them, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m dev.bench.recorder", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument("--scratch", type=Path, help="where clients are installed, and stay")
    options = parser.parse_args()
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="holdfast-recording-") as folder:
        for name in options.clients or CLIENTS:
            print(record(name, options.scratch or Path(folder), Path(folder)), flush=True)


if __name__ == "__main__":
    main()
