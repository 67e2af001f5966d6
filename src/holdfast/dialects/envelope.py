"""The `envelope` dialect (seed 000): the whole list with a summary in, a Standard Envelope v1.0 out."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..plan import DONE, Plan, Status, Todo
from ..rules import Fault, Rules
from ..text import describe, one_line, shorten
from .dialect import JSON, Dialect, Outcome, limited
from .reading import Form, Use, decode

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.CANCELLED)
MARKS = {
    Status.PENDING: "[ ]",
    Status.IN_PROGRESS: "[▶]",
    Status.COMPLETED: "[✓]",
    Status.CANCELLED: "[~]",
    Status.BLOCKED: "[!]",
}
MAX_RECAP = 300
MAX_ECHO = 100_000
"""The longest input, in characters of JSON, that is echoed in `params_input`."""

SNIPPET = """Tool: TodoWrite
Use this tool only for multi-step tasks. Maintain a single in_progress item.
Always submit the full current list. Mark completed immediately, cancelled if no longer needed.
Always provide a concise overall summary in `summary`."""
"""The seed's own short text for a system prompt, for hosts that want it instead of `prompt`."""


class Envelope(Dialect):
    """A declared whole list, answered with data for the model and text for the user."""

    name = "envelope"
    description = (
        "Overwrite the todo list with the current complete list. "
        "Framework persists and returns the updated list and recap."
    )
    prompt = """TodoWrite keeps your plan.
- When: only for work of three or more steps, or when the user wants to see progress. Not for simple answers.
- Statuses: pending, in_progress, completed, cancelled; at most one in_progress at a time.
- Updates: mark a todo in_progress before you start it, completed as soon as it is done, cancelled if not needed.
- Form: always the complete list, never a patch, and the overall goal in `summary`.
- Wording: short todos that can be acted on; when the plan changes, write it again."""
    form = Form(
        {str(status): status for status in STATUSES},
        id=Use.OPTIONAL,
        summary=Use.REQUIRED,
        trims=True,
    )
    own_rules = Rules(max_items=10, max_content=60, max_in_progress=1, statuses=STATUSES, advance=False)

    @cached_property
    def schema(self) -> JSON:
        """The seed's schema, with the limits that its text gives."""
        content = limited({"type": "string", "description": "Todo text."}, "maxLength", self.rules.max_content)
        status = {
            "type": "string",
            "enum": [str(status) for status in self.rules.statuses],
            "description": "Todo status.",
        }
        id = {"type": "string", "description": "Optional todo id (framework may assign/reuse)."}
        items = {
            "type": "object",
            "properties": {"content": content, "status": status, "id": id},
            "required": ["content", "status"],
            "additionalProperties": False,
        }
        todos = {
            "type": "array",
            "description": "The full todo list (overwrites existing list).",
            "items": items,
        }
        summary = {"type": "string", "description": "Overall task summary (required by the model)."}
        return {
            "type": "object",
            "properties": {"summary": summary, "todos": limited(todos, "maxItems", self.rules.max_items)},
            "required": ["summary", "todos"],
        }

    def read(self, payload: object) -> Any:
        """What a payload asks for. Its ids are ignored: this dialect counts by position."""
        draft, faults = super().read(payload)
        return draft._replace(wishes=[wish._replace(id=None) for wish in draft.wishes]), faults

    def worded(self, fault: Fault) -> Fault:
        """The fault with its place in the message, under the envelope's code."""
        code = "INTERNAL_ERROR" if fault.code in ("internal", "store") else "INVALID_PARAM"
        message = f"{fault.path}: {fault.message}" if fault.path else fault.message
        return fault._replace(code=code, message=message)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The envelope of a write that was taken; `partial` if a person's edit stood in its way."""
        plan, notes = outcome.plan, outcome.notes
        counts = plan.counts()
        data: JSON = {
            "todos": [
                {"id": f"t{position}", "content": todo.content, "status": str(todo.status)}
                for position, todo in enumerate(plan.todos, 1)
            ],
            "recap": recap(plan),
            "summary": plan.summary,
        }
        for notice in outcome.notices:
            data.update(notice.data)
        if notes:
            data["note"] = " ".join(notes)
        envelope = {
            "status": "partial" if notes else "success",
            "data": data,
            "text": "\n".join([self.render(plan), *(notice.text for notice in outcome.notices), *notes]),
            "stats": {
                "time_ms": _milliseconds(outcome),
                "total": len(plan.todos),
                **{str(status): counts[status] for status in STATUSES},
            },
            "context": _context(outcome),
        }
        return _json(envelope), envelope

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The envelope of a write that was not taken."""
        fault = outcome.faults[0]
        envelope = {
            "status": "error",
            "data": {},
            "text": fault.message,
            "stats": {"time_ms": _milliseconds(outcome)},
            "context": _context(outcome),
            "error": {"code": fault.code, "message": fault.message},
        }
        return _json(envelope), envelope

    def render(self, plan: Plan) -> str:
        """The user's block."""
        lines = [f"{MARKS[todo.status]} {one_line(todo.content)}" for todo in plan.todos]
        return "\n".join(["--- TODO UPDATE ---", *lines, "-" * 19])


def recap(plan: Plan) -> str:
    """The plan on one line of under 300 characters: the counts, what runs, what is next, what was dropped."""
    longest = max((len(todo.content) for todo in plan.todos), default=0)
    text = _recap(plan, longest)
    while len(text) >= MAX_RECAP and longest > 1:
        longest -= 1
        text = _recap(plan, longest)
    return text


def _recap(plan: Plan, longest: int) -> str:
    def texts(todos: Iterable[Todo]) -> str:
        return "; ".join(shorten(one_line(todo.content), longest) for todo in todos)

    def having(status: Status, most: int) -> Sequence[Todo]:
        return [todo for todo in plan.todos if todo.status is status][:most]

    done = sum(todo.status in DONE for todo in plan.todos)
    parts = [f"[{done}/{len(plan.todos)}]", f"In progress: {texts(having(Status.IN_PROGRESS, 1)) or 'None'}."]
    for status, most in ((Status.PENDING, 3), (Status.CANCELLED, 2)):
        if todos := having(status, most):
            parts.append(f"{status.capitalize()}: {texts(todos)}.")
    return " ".join(parts)


def _milliseconds(outcome: Outcome) -> int:
    return max(int(outcome.seconds * 1000), 0)


def _context(outcome: Outcome) -> JSON:
    return {"cwd": ".", "params_input": _echo(outcome.payload)}


def _echo(payload: object) -> object:
    """The input exactly as received; what JSON cannot hold, or nobody could read, is described instead."""
    body = decode(payload) if isinstance(payload, str | bytes | bytearray) else payload
    value = payload if isinstance(body, Fault) else body
    if isinstance(value, Mapping):
        value = dict(value)
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return f"not echoed: {describe(payload)} that JSON cannot hold"
    return value if len(text) <= MAX_ECHO else f"not echoed: {len(text)} characters"


def _json(envelope: JSON) -> str:
    text = json.dumps(envelope, ensure_ascii=False)
    return text if text.isascii() or _is_encodable(text) else json.dumps(envelope)


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)
