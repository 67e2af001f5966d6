"""Calls as clients send them: ten steps worked through, each in the keys and words of the client's own tool.

Those of Claude Code, Codex, Gemini CLI and opencode were recorded in these clients: `recorded/` has them, with their
versions, and `python -m dev.bench.recorder` records them again. The clients of the other dialects cannot be run here:
their calls are made from the same steps by their published schemas.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from dev.bench.steps import STATUSES, STEPS, items
from holdfast import Rules
from holdfast.dialects import DialectName

RECORDED = Path(__file__).parent / "recorded"
"""Where the calls lie that real clients have sent: see `recorder`."""

Call = dict[str, Any]

CLAUDE = "content, status, activeForm: Claude Code's TodoWrite"


class Payload(NamedTuple):
    """The calls of one client, in the dialect that it speaks.

    `tool` is the tool that they call, where there are several, `before` the calls that make the plan. `rules` are those
    of the board. `origin` says where they come from.
    """

    dialect: DialectName
    calls: list[Call]
    tool: str = ""
    before: tuple[Call, ...] = ()
    rules: Rules | None = None
    origin: str = "by its schema"


class Recording(NamedTuple):
    """What was recorded in a client: the calls of each of its tools, and what it was."""

    calls: dict[str, list[Call]]
    origin: str


def recorded(name: str) -> Recording:
    """The calls that were recorded in a client."""
    found = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    calls: dict[str, list[Call]] = {}
    for call in found["calls"]:
        calls.setdefault(call["tool"], []).append(call["input"])
    return Recording(calls, f"recorded in {found['client']} {found['version']}")


_CLAUDE, _TASKS, _OURS = recorded("claude-code"), recorded("claude-tasks"), recorded("holdfast")
STATES: list[list[Call]] = [call["todos"] for call in _CLAUDE.calls["TodoWrite"]]
"""The lists of Claude Code's calls."""


def _lists_of(client: str, tool: str, dialect: DialectName) -> Payload:
    found = recorded(client)
    return Payload(dialect, found.calls[tool], origin=found.origin)


def _claude_in(dialect: DialectName, name: str = "todos") -> Payload:
    """Claude Code's lists in another dialect than its own."""
    return Payload(dialect, [{name: todos} for todos in STATES], origin=_CLAUDE.origin)


def _whole(dialect: DialectName, *fields: str, rules: Rules | None = None, **more: Any) -> Payload:
    """The whole list with each call, as items with these fields."""
    return Payload(dialect, [{**more, "todos": items(statuses, *fields)} for statuses in STATUSES], rules=rules)


def _checklist(statuses: list[str]) -> str:
    boxes = {"completed": "[x]", "in_progress": "[-]", "pending": "[ ]"}
    return "\n".join(f"{boxes[status]} {content}" for (content, _), status in zip(STEPS, statuses, strict=True))


PAYLOADS: dict[str, Payload] = {
    CLAUDE: _claude_in("holdfast"),
    "content, status: our own tool": _whole("holdfast", "content", "status"),
    "content, status, evidence: our own tool, under rules that ask for it": _whole(
        "holdfast", "content", "status", "evidence", rules=Rules(evidence="optional")
    ),
    "id, content, status, of all ten: our own tool": _whole("holdfast", "id", "content", "status"),
    "content, status, activeForm: Claude Code's list, in sema": _claude_in("sema"),
    "content, status, activeForm: Claude Code's list, in shell": _claude_in("shell"),
    "step, status: Codex' update_plan": _lists_of("codex", "update_plan", "codex"),
    "title, status: Kimi CLI's SetTodoList": Payload(
        "kimi",
        [
            {"todos": items(["done" if status == "completed" else status for status in each], "title", "status")}
            for each in STATUSES
        ],
    ),
    "a Markdown checklist: Roo Code's update_todo_list": Payload(
        "roo", [{"todos": _checklist(statuses)} for statuses in STATUSES]
    ),
}
"""Whole lists whose reply is short, by what they send."""

LONG_REPLIES: dict[str, Payload] = {
    "mini, its list back": _claude_in("mini", "items"),
    "two-state, its list back": Payload(
        "two-state",
        [
            {
                "todos": items(
                    ["completed" if status == "completed" else "pending" for status in each], "content", "status"
                )
            }
            for each in STATUSES[:10]
        ],
    ),
    "description, status: Gemini CLI's write_todos, its list back": _lists_of("gemini", "write_todos", "gemini"),
    "content, status, activeForm: Claude Code's dialect, the lists before and after as data": _claude_in("claude-code"),
    "content, status: LangChain, its list back as JSON": _whole("langchain", "content", "status"),
    "id, content, status: Hermes Agent, its list with counts as JSON": _whole("hermes", "id", "content", "status"),
    "id, content, status: Qwen Code, its list back as JSON": _whole("qwen", "id", "content", "status"),
    "content, status, priority: opencode's todowrite, its list back as indented JSON": _lists_of(
        "opencode", "todowrite", "opencode"
    ),
    "envelope, the list, a recap and the call itself as JSON": _whole(
        "envelope", "content", "status", summary="Fix the parser"
    ),
}
"""Whole lists whose reply is long, by what it holds."""

UPDATES: dict[str, Payload] = {
    "id, status: our own tool in Claude Code": Payload(
        "holdfast",
        _OURS.calls["mcp__holdfast__TodoWrite"][1:],
        before=tuple(_OURS.calls["mcp__holdfast__TodoWrite"][:1]),
        origin=_OURS.origin,
    ),
    "taskId, status: Claude Code's TaskUpdate": Payload(
        "claude-tasks",
        _TASKS.calls["TaskUpdate"][:-1],
        "TaskUpdate",
        tuple(_TASKS.calls["TaskCreate"]),
        origin=_TASKS.origin,
    ),
}
"""Updates of one todo in ten, by what they send. The last task stays open, so that the calls can be sent again."""


def _reworded(todos: list[Call], places: range, words: str) -> list[Call]:
    return [
        {**todo, "content": f"{todo['content']} {words}"} if at in places else todo for at, todo in enumerate(todos)
    ]


NEW_TEXTS: dict[str, Payload] = {
    "one todo in ten is another: Claude Code's list": Payload(
        "holdfast",
        [{"todos": _reworded(STATES[3], range(5, 6), words)} for words in ("once more", "at last")],
        origin=_CLAUDE.origin,
    ),
    "ten other todos each time: Claude Code's list": Payload(
        "holdfast",
        [{"todos": _reworded(STATES[3], range(10), words)} for words in ("once more", "at last")],
        origin=_CLAUDE.origin,
    ),
}
"""Lists that do not restate the plan: a model changes its mind, or begins anew. Few writes are like that."""
