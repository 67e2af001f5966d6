"""Calls as clients send them: the same ten steps worked through, each in the keys and words of the client's own tool.

Claude Code's models send `content`, `status` and `activeForm`; Codex sends `step` and `status`, opencode a `priority`,
Qwen Code and Hermes Agent ids of the model. `dev/e2e` has the real clients send such calls.
"""

from typing import Any, NamedTuple

from holdfast.dialects import DialectName

STEPS = (
    ("Read the failing test and the parser", "Reading the failing test and the parser"),
    ("Find where the trailing comma is lost", "Finding where the trailing comma is lost"),
    ("Fix the loop in parse_list", "Fixing the loop in parse_list"),
    ("Add a test for an empty list", "Adding a test for an empty list"),
    ("Add a test for nested lists", "Adding a test for nested lists"),
    ("Run the unit tests", "Running the unit tests"),
    ("Update the grammar in docs/grammar.md", "Updating the grammar in docs/grammar.md"),
    ("Run the linter and the type checker", "Running the linter and the type checker"),
    ("Note the fix in CHANGELOG.md", "Noting the fix in CHANGELOG.md"),
    ("Summarize the change for the user", "Summarizing the change for the user"),
)
STATUSES = [
    ["completed" if step < now else "in_progress" if step == now else "pending" for step in range(len(STEPS))]
    for now in (*range(10), *range(8, 0, -1))
]
"""Worked through in order, and all the way back, so that each list changes two todos."""

CLAUDE = "content, status, activeForm: Claude Code's TodoWrite"


class Recorded(NamedTuple):
    """The calls of one client, in the dialect that it speaks.

    `tool` is the tool that they call, where there are several, `before` the calls that make the plan.
    """

    dialect: DialectName
    calls: list[dict[str, Any]]
    tool: str = ""
    before: tuple[dict[str, Any], ...] = ()


def _fields(number: int, content: str, doing: str, status: str) -> dict[str, str]:
    names = {"content": content, "step": content, "title": content, "description": content}
    return {"id": str(number), **names, "status": status, "activeForm": doing, "priority": "high"}


def items(statuses: list[str], *fields: str) -> list[dict[str, Any]]:
    """The ten steps as items with these fields."""
    return [
        {key: value for key, value in _fields(number, *step, status).items() if key in fields}
        for number, (step, status) in enumerate(zip(STEPS, statuses, strict=True), 1)
    ]


STATES = [items(statuses, "content", "status", "activeForm") for statuses in STATUSES]
"""The lists of Claude Code's calls."""


def whole(dialect: DialectName, *fields: str, name: str = "todos", **more: Any) -> Recorded:
    """The whole list with each call, as items with these fields under this name."""
    return Recorded(dialect, [{**more, name: items(statuses, *fields)} for statuses in STATUSES])


PAYLOADS: dict[str, Recorded] = {
    CLAUDE: whole("holdfast", "content", "status", "activeForm"),
    "content, status": whole("holdfast", "content", "status"),
    "content, status, activeForm, in sema": whole("sema", "content", "status", "activeForm"),
    "content, status, activeForm, in shell": whole("shell", "content", "status", "activeForm"),
    "step, status: Codex' update_plan": whole("codex", "step", "status", name="plan", explanation="Next step"),
    "title, status: Kimi CLI's SetTodoList": Recorded(
        "kimi",
        [
            {"todos": items(["done" if status == "completed" else status for status in each], "title", "status")}
            for each in STATUSES
        ],
    ),
    "a Markdown checklist: Roo Code": Recorded(
        "roo",
        [
            {
                "todos": "\n".join(
                    f"{ {'completed': '[x]', 'in_progress': '[-]'}.get(status, '[ ]') } {content}"
                    for (content, _), status in zip(STEPS, statuses, strict=True)
                )
            }
            for statuses in STATUSES
        ],
    ),
}
"""Whole lists whose reply is short, by what they send."""

LONG_REPLIES: dict[str, Recorded] = {
    "mini, its list back": whole("mini", "content", "status", "activeForm", name="items"),
    "two-state, its list back": Recorded(
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
    "Gemini CLI, its list back": whole("gemini", "description", "status"),
    "Claude Code's dialect, the lists before and after as data": whole(
        "claude-code", "content", "status", "activeForm"
    ),
    "LangChain, its list back as JSON": whole("langchain", "content", "status"),
    "Hermes Agent, its list with counts as JSON": whole("hermes", "id", "content", "status"),
    "Qwen Code, its list back as JSON": whole("qwen", "id", "content", "status"),
    "opencode, its list back as indented JSON": whole("opencode", "content", "status", "priority"),
    "envelope, the list, a recap and the call itself as JSON": whole(
        "envelope", "content", "status", summary="Fix the parser"
    ),
}
"""Whole lists whose reply is long, by what it holds."""

UPDATES: dict[str, Recorded] = {
    "id, status": Recorded(
        "holdfast",
        [{"todos": [{"id": "1", "status": status}]} for status in ("in_progress", "pending")],
        before=({"todos": items(["pending"] * 10, "content", "status", "activeForm")},),
    ),
    "taskId, status: Claude Code's TaskUpdate": Recorded(
        "claude-tasks",
        [{"taskId": "1", "status": status} for status in ("in_progress", "pending")],
        "TaskUpdate",
        tuple({"subject": content, "description": content, "activeForm": doing} for content, doing in STEPS),
    ),
}
"""Updates of one todo in ten, by what they send."""
