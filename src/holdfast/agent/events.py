"""What happens in a run, as typed values. A screen shows them, a host subscribes to them, `--json` prints them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..plan import Todo


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of what the model says, as it comes."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model calls a tool. `input` is what it sent, which may be anything."""

    kind: ClassVar[str] = "tool_call"
    id: str
    name: str
    input: object


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call, as the model reads it."""

    kind: ClassVar[str] = "tool_result"
    id: str
    name: str
    output: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TodoUpdate:
    """The plan was written or edited. `by` is "model" or "person"."""

    kind: ClassVar[str] = "todo_update"
    todos: tuple[Todo, ...]
    by: str = "model"


@dataclass(frozen=True, slots=True)
class ReminderSent:
    """A reminder that ends the next request."""

    kind: ClassVar[str] = "reminder"
    text: str


@dataclass(frozen=True, slots=True)
class Compaction:
    """Older messages became a summary. The tokens are those of the conversation, estimated."""

    kind: ClassVar[str] = "compaction"
    summary: str
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True, slots=True)
class Subagent:
    """Something happened in a subagent."""

    kind: ClassVar[str] = "subagent"
    name: str
    task: str
    event: "AgentEvent"


@dataclass(frozen=True, slots=True)
class Finished:
    """The run is over: why, the todos as they are now, and the tokens it took."""

    kind: ClassVar[str] = "finished"
    reason: str
    todos: tuple[Todo, ...]
    tokens_in: int = 0
    tokens_out: int = 0


AgentEvent = Text | ToolCall | ToolResult | TodoUpdate | ReminderSent | Compaction | Subagent | Finished


def event_data(event: AgentEvent) -> dict[str, Any]:
    """An event as plain data, its kind first."""
    return {"kind": event.kind} | {field.name: _plain(getattr(event, field.name)) for field in fields(event)}


def _plain(value: Any) -> Any:
    if isinstance(value, AgentEvent):
        return event_data(value)
    if isinstance(value, Todo):
        return {**value._asdict(), "status": str(value.status)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
