"""An event of a harness, in one form for all of them."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

JSON = dict[str, Any]

OURS = ("<reminder>", "[Holdfast]")
"""How each of our reasons begins."""

LONGEST_NAME = 100
"""How long the name of a session or an agent may be, as in the MCP server."""


class HookMoment(Enum):
    """The moments in a conversation that matter to its plan."""

    START = "start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before tool"
    TOOL = "tool"
    FAILURE = "failure"
    COMPACTED = "compacted"
    STOP = "stop"
    END = "end"


class HookEvent(NamedTuple):
    """One event of a conversation. `name` is the harness's own name for it, which its answer must repeat."""

    kind: HookMoment
    name: str
    session: str
    agent: str = "main"
    folder: str | None = None
    tool: str = ""
    arguments: object = None
    """The arguments of the tool."""
    result: object = None
    """The result of the tool."""
    continues: bool = False
    """Whether the model only continues because a stop was refused."""
    asks_user: bool = False
    """Whether its last message ends with a question."""
    subagents: int = 0
    """How many of its subagents are still at work."""
    is_ours: bool = False
    """Whether a prompt is our own text: Gemini CLI sends the reason of a refused stop as a prompt."""
    tool_use: str = ""
    """Which use of the tool it is, where the harness says so."""
    source: str = ""
    """Why a conversation starts: it is new, or was resumed, cleared or compacted."""
    prompt: str = ""
    """What the user says."""
    title: str = ""
    """What the harness calls the conversation."""
    mark: int = 0
    """A checksum of the event as it was received."""
    is_repeated: bool = False
    """Whether another process had it before, and may have counted it."""


class NotAnEvent(ValueError):
    """The text on standard input is not a known event. The message says why."""


class Locked(Exception):
    """An event could not be recorded or counted in time: another program has its file locked. It says which file."""


def is_locked(trouble: str) -> bool:
    """Whether what a store says of its trouble is that another program has its file locked."""
    return "is locked" in trouble


def read_event(payload: object, kinds: Mapping[str, HookMoment], names_type: bool = True) -> HookEvent:
    """The event in a payload. Raises NotAnEvent for anything else.

    With `names_type`, a subagent is named by its type, too; without it, only by its id.
    """
    if not isinstance(payload, dict):
        raise NotAnEvent(f"expected a JSON object, received {type(payload).__name__}")
    name = payload.get("hook_event_name")
    if not isinstance(name, str) or name not in kinds:
        raise NotAnEvent(f"no event {name!r}; there are {', '.join(kinds)}")
    session = payload.get("session_id")
    if not isinstance(session, str) or not session.strip():
        raise NotAnEvent(f"{name}: session_id: expected a text, received {session!r}")
    kind = kinds[name]
    if kind is HookMoment.TOOL and _has_failed(payload.get("tool_response")):
        kind = HookMoment.FAILURE
    return HookEvent(
        kind,
        name,
        session[:LONGEST_NAME],
        _agent(payload, names_type),
        _text(payload, "cwd") or None,
        _text(payload, "tool_name"),
        payload.get("tool_input"),
        payload.get("tool_response"),
        payload.get("stop_hook_active") is True,
        _last_words(payload).rstrip().endswith("?"),
        _subagents(payload),
        _text(payload, "prompt").startswith(OURS) and kind is HookMoment.PROMPT,
        _text(payload, "tool_use_id"),
        _text(payload, "source"),
        _text(payload, "prompt"),
        _text(payload, "session_title"),
    )


def _agent(payload: JSON, names_type: bool) -> str:
    """The board's agent: a subagent has a list of its own. Ids are never cut: some begin with the time."""
    id = _text(payload, "agent_id")[:LONGEST_NAME]
    if not id or not names_type:
        return id or "main"
    kind = (_text(payload, "agent_type") or "subagent")[: max(LONGEST_NAME - 1 - len(id), 0)]
    return f"{kind} {id}".strip()


def _has_failed(result: object) -> bool:
    """Whether a result says that the tool failed; some harnesses have a separate event for that."""
    return isinstance(result, dict) and bool(result.get("error") or result.get("isError"))


def _last_words(payload: JSON) -> str:
    return _text(payload, "last_assistant_message") or _text(payload, "prompt_response")


def _subagents(payload: JSON) -> int:
    tasks = payload.get("background_tasks")
    running = [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return len([task for task in running if task.get("type") == "subagent" and task.get("status") == "running"])


def _text(payload: JSON, field: str) -> str:
    value = payload.get(field)
    return value if isinstance(value, str) else ""
