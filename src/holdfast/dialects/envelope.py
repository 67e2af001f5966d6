"""The `envelope` dialect: the whole list with a summary in, a Standard Envelope v1.0 out."""

import json
from collections.abc import Mapping, Sequence

from ..plan import Plan, Status
from ..plan.fault import Fault
from ..plan.rules import Rules
from ..text import describe, one_line, shorten
from .dialect import Dialect, Outcome
from .reading.form import Form, Use
from .reading.json_text import decode, encode
from .reading.schemas import JSON, item, status, text, todos

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.CANCELLED)
MARKS = {
    Status.PENDING: "[ ]",
    Status.IN_PROGRESS: "[▶]",
    Status.COMPLETED: "[✓]",
    Status.CANCELLED: "[~]",
    Status.BLOCKED: "[!]",
}
MOST_RECAPPED = {Status.IN_PROGRESS: 1, Status.PENDING: 3, Status.CANCELLED: 2}
MAX_RECAP = 300
MAX_ECHO = 100_000
"""The longest input, in characters of JSON, that is echoed in `params_input`."""

SNIPPET = """Tool: TodoWrite
Use this tool only for multi-step tasks. Maintain a single in_progress item.
Always submit the full current list. Mark completed immediately, cancelled if no longer needed.
Always provide a concise overall summary in `summary`."""
"""A short text for a system prompt, for hosts that want it instead of `prompt`."""


class Envelope(Dialect):
    """The whole list in each call, answered with data for the model and text for the user."""

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
    form = Form({str(status): status for status in STATUSES}, id=Use.OPTIONAL, summary=Use.REQUIRED, trims=True)
    is_strict = True
    tells_time = True
    own_rules = Rules(max_items=10, max_content=60, max_in_progress=1, statuses=STATUSES)

    def own_schema(self) -> JSON:
        """The schema, with the limits that its text gives."""
        items = item(self.form, self.own_fields())
        properties = {
            "summary": {"type": "string", "description": "Overall task summary (required by the model)."},
            "todos": todos(self.rules, items, description="The full todo list (overwrites existing list)."),
        }
        return {"type": "object", "properties": properties, "required": ["summary", "todos"]}

    def own_fields(self) -> JSON:
        """The fields of a todo."""
        return {
            "content": text(self.rules, description="Todo text."),
            "status": status(self.form, self.rules, description="Todo status."),
            "id": {"type": "string", "description": "Optional todo id (framework may assign/reuse)."},
        }

    def phrase(self, fault: Fault) -> Fault:
        """The fault with its place and what was received in the message, under the envelope's code."""
        code = "INTERNAL_ERROR" if fault.code in ("internal", "store") else "INVALID_PARAM"
        place = fault.path if fault.item is None else f"{fault.path} (index {fault.item})"
        message = f"{place}: {fault.message}" if fault.path else one_line(fault.message)
        if fault.code in ("missing", "blank"):
            message += f", received {fault.received}"
        return fault._replace(code=code, message=message)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The envelope of a write that was accepted; `partial` if a person's edit limited it."""
        plan, notes = outcome.plan, outcome.notes
        context = _context(outcome)
        data: JSON = {
            "todos": [
                {"id": f"t{position}", "content": todo.content, "status": str(todo.status)}
                for position, todo in enumerate(plan.todos, 1)
            ],
            "recap": recap(plan),
            "summary": plan.summary or _summary(context["params_input"]),
        }
        for notice in outcome.notices:
            data.update(notice.data)
        if notes:
            data["note"] = " ".join(notes)
        envelope = {
            "status": "partial" if notes else "success",
            "data": data,
            "text": "\n".join([self.render(plan), *(notice.text for notice in outcome.notices), *notes]),
            "stats": {"time_ms": _milliseconds(outcome), **_counts(plan)},
            "context": context,
        }
        return encode(envelope), envelope

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The envelope of a write that was refused."""
        fault = outcome.faults[0]
        envelope = {
            "status": "error",
            "data": {},
            "text": fault.message,
            "stats": {"time_ms": _milliseconds(outcome)},
            "context": _context(outcome),
            "error": {"code": fault.code, "message": fault.message},
        }
        return encode(envelope), envelope

    def render(self, plan: Plan) -> str:
        """The user's block."""
        lines = [f"{MARKS[todo.status]} {one_line(todo.content)}" for todo in plan.todos]
        return "\n".join(["--- TODO UPDATE ---", *lines, "-" * 19])


def recap(plan: Plan) -> str:
    """The plan on one line of under 300 characters: the counts, what runs, what is next, what was dropped.

    Where it would be longer, the longest texts are shortened first.
    """
    texts = {
        status: [one_line(todo.content) for todo in plan.todos if todo.status is status][:most]
        for status, most in MOST_RECAPPED.items()
    }
    counts = f"[{len(plan.done)}/{len(plan.todos)}]"
    longest = min(max((len(text) for each in texts.values() for text in each), default=0), MAX_RECAP)
    while len(text := _recap(counts, texts, longest)) >= MAX_RECAP:
        longest -= 1
    return text


def _recap(counts: str, texts: Mapping[Status, Sequence[str]], longest: int) -> str:
    def texts_of(status: Status) -> str:
        return "; ".join(shorten(text, longest) for text in texts[status])

    parts = [counts, f"In progress: {texts_of(Status.IN_PROGRESS) or 'None'}."]
    others = (status for status in (Status.PENDING, Status.CANCELLED) if texts[status])
    return " ".join([*parts, *(f"{status.capitalize()}: {texts_of(status)}." for status in others)])


def _counts(plan: Plan) -> JSON:
    """How many todos there are: in all, of each status of the dialect, and of any status that a host has added."""
    counts = plan.counts()
    shown = {str(status): counts[status] for status in Status if status in STATUSES or counts[status]}
    return {"total": len(plan.todos), **shown}


def _milliseconds(outcome: Outcome) -> int:
    return max(int(outcome.seconds * 1000), 0)


def _context(outcome: Outcome) -> JSON:
    return {"cwd": ".", "params_input": _echo(outcome.payload)}


def _echo(payload: object) -> object:
    """The input exactly as received; what JSON cannot hold, or is too long, is described instead."""
    body = decode(payload) if isinstance(payload, str | bytes | bytearray) else payload
    value = payload if isinstance(body, Fault) else body
    try:
        if isinstance(value, Mapping):
            value = dict(value)
        # It is encoded as deep as it will be in the envelope, so that too deep nesting shows here.
        text = json.dumps({"context": {"params_input": value}}, allow_nan=False, ensure_ascii=False)
        echo: object = json.loads(text)["context"]["params_input"]
    except Exception:  # a host's own mapping may raise anything, and this is only the echo
        return f"not echoed: {describe(payload)} that JSON cannot hold"
    return echo if len(text) <= MAX_ECHO else f"not echoed: more than {MAX_ECHO} characters of JSON"


def _summary(params_input: object) -> str:
    """The summary that came with a list: an empty list clears the plan, which then does not keep it."""
    summary = params_input.get("summary") if isinstance(params_input, dict) else None
    return summary.strip() if isinstance(summary, str) else ""
