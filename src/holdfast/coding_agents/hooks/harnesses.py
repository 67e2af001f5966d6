"""The harnesses whose hooks are supported: the names of their events and plan tools, and the form of an answer."""

from collections.abc import Mapping
from typing import NamedTuple

from ...attention.policies import POLICIES, Policy
from .event import JSON, HookMoment

HOLDS = 3
"""How often the gate holds a model that makes no progress."""

SERVER = "holdfast"
"""The name of our MCP server in a harness's settings."""


class Harness(NamedTuple):
    """One coding agent.

    `lists` are its tools that write a whole list, each with the dialect that reads it; `tasks` are those that write
    one task per call, `reads` those that only read the plan. `project` is the variable with the project's folder.
    `refusal` is the word that refuses a stop, `mark` the call that gives one todo a status, if there is one, and
    `knows_blocked` whether that status may be blocked.
    """

    name: str
    kinds: Mapping[str, HookMoment]
    lists: Mapping[str, str]
    tasks: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    project: str = ""
    refusal: str = "block"
    mark: str = ""
    knows_blocked: bool = False

    @property
    def tool(self) -> str:
        """The tool that its model writes a plan with."""
        return (*self.tasks, *self.lists)[0]

    def dialect(self, tool: str) -> str:
        """The dialect that reads a call of one of its plan's tools."""
        return self.lists.get(tool, "claude-tasks")

    def policy(self, attention: str, gate: bool) -> Policy:
        """How its model is kept on its plan."""
        policy = POLICIES[attention].replace(tool=self.tool, mark=self.mark)
        if not self.knows_blocked:
            policy = policy.replace(gives_up_after=0)
        return policy.replace(holds=policy.holds or HOLDS) if gate else policy

    def is_own(self, tool: str) -> bool:
        """Whether a tool is one of our MCP server's."""
        return tool.startswith((f"mcp__{SERVER}__", f"mcp_{SERVER}_", f"{SERVER}_"))

    def context(self, event: str, text: str) -> JSON:
        """The answer that adds a text to what the model reads next."""
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}

    def refused(self, reason: str) -> JSON:
        """The answer that makes the model go on."""
        return {"decision": self.refusal, "reason": reason}


_LIKE_CLAUDE_CODE = {
    "SessionStart": HookMoment.START,
    "UserPromptSubmit": HookMoment.PROMPT,
    "PostToolUse": HookMoment.TOOL,
    "PostToolUseFailure": HookMoment.FAILURE,
    "Stop": HookMoment.STOP,
}

CLAUDE_CODE = Harness(
    "claude-code",
    _LIKE_CLAUDE_CODE,
    {"TodoWrite": "claude-code"},
    tasks=("TaskCreate", "TaskUpdate", "TaskList"),
    reads=("TaskGet",),
    project="CLAUDE_PROJECT_DIR",
    mark='TaskUpdate {{"taskId": "{id}", "status": "{status}"}}',
)

CODEX = Harness("codex", _LIKE_CLAUDE_CODE, {"update_plan": "codex"})

GEMINI = Harness(
    "gemini",
    {
        "SessionStart": HookMoment.START,
        "BeforeAgent": HookMoment.PROMPT,
        "AfterTool": HookMoment.TOOL,
        "AfterAgent": HookMoment.STOP,
    },
    {"write_todos": "gemini"},
    project="GEMINI_PROJECT_DIR",
    refusal="deny",
    knows_blocked=True,
)

OPENCODE = Harness(
    "opencode",
    {
        "chat.message": HookMoment.PROMPT,
        "tool.execute.after": HookMoment.TOOL,
        "session.compacting": HookMoment.START,
        "session.compacted": HookMoment.COMPACTED,
    },
    {"todowrite": "opencode"},
    reads=("todoread",),
)

HARNESSES = {harness.name: harness for harness in (CLAUDE_CODE, CODEX, GEMINI, OPENCODE)}
