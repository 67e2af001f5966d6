"""The harnesses whose hooks are supported: the names of their events and plan tools, and the form of an answer."""

from collections.abc import Mapping
from typing import NamedTuple

from ...attention.policies import POLICIES, Policy
from .event import JSON, HookMoment

HOLDS = 3
"""How often the gate holds a model that makes no progress."""

MAIN = "main"
"""The agent that the user talks to."""

SERVER = "holdfast"
"""The name of our MCP server in a harness's settings."""


class Harness(NamedTuple):
    """One coding agent.

    `lists` are its tools that write a whole list, each with the dialect that reads it; `tasks` are those that write
    one task per call, `reads` those that only read the plan. `project` is the variable with the project's folder.
    `refusal` is the word that refuses a stop, `mark` the call that gives one todo a status, if there is one, and
    `knows_blocked` whether that status may be blocked, `can_cancel` whether it may be cancelled.
    `task_list` is the variable that names a list which several conversations share. `delegates` are tools that start a
    subagent which its events do not name. `looks` are tools that change nothing, `shells` those that run a command
    line, each with the argument that has it. With `escapes_tags`, it shows the model &lt; for every <. With
    `names_type`, a subagent's name has its type in it.
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
    can_cancel: bool = False
    task_list: str = ""
    delegates: tuple[str, ...] = ()
    looks: str = ""
    shells: Mapping[str, str] = {}
    escapes_tags: bool = False
    names_type: bool = True

    @property
    def tool(self) -> str:
        """The tool that its model writes a plan with."""
        return (*self.tasks, *self.lists)[0]

    def dialect(self, tool: str) -> str:
        """The dialect that reads a call of one of its plan's tools."""
        return self.lists.get(tool, "claude-tasks")

    def policy(self, attention: str, gate: bool) -> Policy:
        """How its model is kept on its plan."""
        policy = POLICIES[attention].replace(tool=self.tool, mark=self.mark, can_cancel=self.can_cancel)
        if not self.knows_blocked:
            policy = policy.replace(gives_up_after=0)
        return policy.replace(holds=policy.holds or HOLDS) if gate else policy

    def is_own(self, tool: str) -> bool:
        """Whether a tool is one of our MCP server's."""
        return tool.startswith((f"mcp__{SERVER}__", f"mcp_{SERVER}_", f"{SERVER}_"))

    def changes(self, tool: str, arguments: object) -> bool:
        """Whether a tool may change something. Plan tools do not: nothing but the plan."""
        if tool in (*self.lists, *self.tasks, *self.reads, *self.delegates, *self.looks.split()) or self.is_own(tool):
            return False
        if tool not in self.shells:
            return True
        from .changes import only_looks

        return not only_looks(arguments.get(self.shells[tool]) if isinstance(arguments, dict) else None)

    def context(self, event: str, text: str) -> JSON:
        """The answer that adds a text to what the model reads next."""
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": self.words(text)}}

    def refused(self, reason: str) -> JSON:
        """The answer that makes the model go on."""
        return {"decision": self.refusal, "reason": self.words(reason)}

    def denied(self, event: str, reason: str) -> JSON:
        """The answer that refuses the use of a tool."""
        if self.refusal == "deny":
            return {"decision": "deny", "reason": self.words(reason)}
        denial = {"permissionDecision": "deny", "permissionDecisionReason": self.words(reason)}
        return {"hookSpecificOutput": {"hookEventName": event, **denial}}

    def words(self, text: str) -> str:
        """A text as the model should read it: without tags where the harness would escape them."""
        if not self.escapes_tags:
            return text
        for tag in ("reminder", "plan"):
            text = text.replace(f"<{tag}>", "[Holdfast] ").replace(f"</{tag}>", "")
        return text.replace("[Holdfast] \n", "[Holdfast] Your plan.\n").strip()


_LIKE_CLAUDE_CODE = {
    "SessionStart": HookMoment.START,
    "UserPromptSubmit": HookMoment.PROMPT,
    "PreToolUse": HookMoment.BEFORE_TOOL,
    "PostToolUse": HookMoment.TOOL,
    "PostToolUseFailure": HookMoment.FAILURE,
    "Stop": HookMoment.STOP,
    "SessionEnd": HookMoment.END,
}

CLAUDE_CODE = Harness(
    "claude-code",
    _LIKE_CLAUDE_CODE,
    {"TodoWrite": "claude-code"},
    tasks=("TaskCreate", "TaskUpdate", "TaskList"),
    reads=("TaskGet",),
    project="CLAUDE_PROJECT_DIR",
    task_list="CLAUDE_CODE_TASK_LIST_ID",
    looks=(
        "Read Glob Grep LS NotebookRead WebFetch WebSearch ToolSearch AskUserQuestion EnterPlanMode "
        "ExitPlanMode Agent Task TaskOutput BashOutput Skill ListAgents ListMcpResources ReadMcpResource "
        "ReportFindings"
    ),
    shells={"Bash": "command"},
    mark='TaskUpdate {{"taskId": "{id}", "status": "{status}"}}',
)

CODEX = Harness(
    "codex",
    _LIKE_CLAUDE_CODE,
    {"update_plan": "codex"},
    looks=(
        "list_mcp_resources list_mcp_resource_templates read_mcp_resource request_user_input view_image "
        "web_search spawn_agent wait_agent send_input close_agent resume_agent list_agents get_goal"
    ),
    shells={"Bash": "command", "shell": "command", "exec_command": "cmd"},
    escapes_tags=True,
    names_type=False,
)

GEMINI = Harness(
    "gemini",
    {
        "SessionStart": HookMoment.START,
        "BeforeAgent": HookMoment.PROMPT,
        "BeforeTool": HookMoment.BEFORE_TOOL,
        "AfterTool": HookMoment.TOOL,
        "AfterAgent": HookMoment.STOP,
        "SessionEnd": HookMoment.END,
    },
    {"write_todos": "gemini"},
    project="GEMINI_PROJECT_DIR",
    refusal="deny",
    knows_blocked=True,
    can_cancel=True,
    delegates=("invoke_agent",),
    looks=(
        "list_directory read_file read_many_files grep_search search_file_content glob web_fetch "
        "google_web_search list_background_processes read_background_output update_topic enter_plan_mode "
        "exit_plan_mode activate_skill ask_user complete_task"
    ),
    shells={"run_shell_command": "command"},
    escapes_tags=True,
)

OPENCODE = Harness(
    "opencode",
    {
        "chat.message": HookMoment.PROMPT,
        "tool.execute.before": HookMoment.BEFORE_TOOL,
        "tool.execute.after": HookMoment.TOOL,
        "session.compacting": HookMoment.START,
        "session.compacted": HookMoment.COMPACTED,
        "session.ended": HookMoment.END,
    },
    {"todowrite": "opencode"},
    reads=("todoread",),
    refusal="deny",
    can_cancel=True,
    looks="read grep glob list webfetch websearch task skill question lsp invalid",
    shells={"bash": "command"},
)

HARNESSES = {harness.name: harness for harness in (CLAUDE_CODE, CODEX, GEMINI, OPENCODE)}
