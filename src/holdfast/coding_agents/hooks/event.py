"""What a harness tells by a hook, whatever it calls it."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

JSON = dict[str, Any]

OURS = "<reminder>"
"""How every reason begins that we give."""

LONGEST_NAME = 100
"""How long the name of a session or an agent may be: as long as the MCP server takes it."""


class Kind(Enum):
    """The moments in a conversation that matter to its plan."""

    START = "start"
    PROMPT = "prompt"
    TOOL = "tool"
    FAILURE = "failure"
    COMPACTED = "compacted"
    STOP = "stop"


class Event(NamedTuple):
    """One moment of a conversation. `name` is what the harness calls it, and wants to be called in the answer."""

    kind: Kind
    name: str
    session: str
    agent: str = "main"
    folder: str | None = None
    tool: str = ""
    given: object = None
    """What the tool was called with."""
    result: object = None
    """What it answered."""
    goes_on: bool = False
    """Whether the model is at work only since a stop was refused."""
    asks_user: bool = False
    """Whether its last words are a question."""
    subagents: int = 0
    """How many of its subagents are still at work."""
    is_ours: bool = False
    """Whether a prompt is no person's: Gemini CLI sends the reason of a refused stop as one."""


class NotAnEvent(ValueError):
    """What came on standard input is no event that a hook knows. The message says why."""


def read(payload: object, kinds: Mapping[str, Kind]) -> Event:
    """The event in a payload. Raises NotAnEvent for anything else."""
    if not isinstance(payload, dict):
        raise NotAnEvent(f"expected a JSON object, received {type(payload).__name__}")
    name = payload.get("hook_event_name")
    if not isinstance(name, str) or name not in kinds:
        raise NotAnEvent(f"no event {name!r}; there are {', '.join(kinds)}")
    session = payload.get("session_id")
    if not isinstance(session, str) or not session.strip():
        raise NotAnEvent(f"{name}: session_id: expected a text, received {session!r}")
    kind = kinds[name]
    if kind is Kind.TOOL and _has_failed(payload.get("tool_response")):
        kind = Kind.FAILURE
    return Event(
        kind,
        name,
        session[:LONGEST_NAME],
        _agent(payload),
        _text(payload, "cwd") or None,
        _text(payload, "tool_name"),
        payload.get("tool_input"),
        payload.get("tool_response"),
        payload.get("stop_hook_active") is True,
        _last_words(payload).rstrip().endswith("?"),
        _subagents(payload),
        _text(payload, "prompt").startswith(OURS) and kind is Kind.PROMPT,
    )


def _agent(payload: JSON) -> str:
    """The board's agent: a subagent has a list of its own."""
    id = _text(payload, "agent_id")
    return f"{_text(payload, 'agent_type') or 'subagent'} {id[:8]}"[:LONGEST_NAME] if id else "main"


def _has_failed(result: object) -> bool:
    """Whether a result says that the tool has failed; most harnesses have an event of its own for that, or say it."""
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
