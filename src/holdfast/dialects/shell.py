"""The `shell` dialect: what `TodoWrite '{"todos":[…]}'` takes and prints. `holdfast.shell` runs the line."""

from ..plan import Plan, Status
from ..plan.fault import Fault
from ..plan.rules import Rules
from ..text import one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
ORDERED = {
    status: str(status)
    for status in (Status.COMPLETED, Status.IN_PROGRESS, Status.PENDING, Status.CANCELLED, Status.BLOCKED)
}
USAGE = """Usage: TodoWrite '{"todos":[...]}'"""
USAGE_IN_FULL = """Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'"""
TYPES = {"text": "string", "a list": "array", "an object": "object"}
"""The names of types in messages, by the names that the reader has for them."""

HELP = """TodoWrite - keep the plan of this session as a list of todos

Usage
  TodoWrite '{"todos":[...]}'     write the whole list; it replaces the old one
  TodoWrite -                     the same, the JSON from standard input
  TodoWrite -h | --help           print this page

Each todo has
  content      what to do, as an order: "Run the tests"
  activeForm   the same while it is being done: "Running the tests"
  status       pending, in_progress or completed

When to use it
  - The work has three or more steps, or needs care to get right.
  - The user asks for a list, or gives several tasks at once.
  - New instructions arrive: put them on the list at once.
  - You start a todo: mark it in_progress first. You finish one: mark it completed then.

When not to
  - One plain task, or fewer than three trivial steps.
  - A question to answer, or talk.

States
  pending      not started
  in_progress  being worked on; only one at a time
  completed    finished

Rules
  - Update the list while you work, not afterwards; never mark several todos completed in one go.
  - Keep one todo in_progress as long as you work.
  - Finish what you began before you start the next.
  - Take out todos that no longer matter.

Completion
  Mark a todo completed only when all of it is done. It stays in_progress while tests fail, part of it is missing,
  an error is unsolved, or something blocks it; write a new todo for what has to be solved first.

Example
  TodoWrite '{"todos":[
    {"content":"Read the parser","activeForm":"Reading the parser","status":"completed"},
    {"content":"Fix the bug","activeForm":"Fixing the bug","status":"in_progress"},
    {"content":"Run the tests","activeForm":"Running the tests","status":"pending"}
  ]}'
  Todo list updated: 1 completed, 1 in_progress, 1 pending"""


class Shell(Dialect):
    """A todo list for agents that live in a shell: one line in, one line out, an exit code."""

    name = "shell"
    description = "Write the todo list of this session: all of it, each time. Keep one todo in_progress while you work."
    prompt = HELP
    form = Form({str(status): status for status in STATUSES}, active_form=Use.REQUIRED)
    is_strict = True
    own_rules = Rules(max_items=50, max_content=200, max_in_progress=1, statuses=STATUSES)
    reports_all_faults = True

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        words = text(self.rules, minLength=1)
        return {"content": words, "activeForm": words, "status": status(self.form, self.rules)}

    def phrase(self, fault: Fault) -> Fault:
        """The fault in the dialect's own words."""
        match fault.code:
            case "missing":
                message = "Required"
            case "blank":
                message = "Must not be blank"
            case "type" | "status" | "not_json":
                message = f"Expected {self._expected(fault)}, received {TYPES.get(fault.received, fault.received)}"
            case "too_long":
                message = f"Must be at most {fault.limit} characters"
            case "too_many":
                message = f"Too many items (max {fault.limit})"
            case "focus":
                message = only_in_progress(fault)
            case "unknown_key":
                message = f"Unrecognized key {fault.received}"
            case "duplicate_key":
                message = f"Duplicate key {fault.received}"
            case _:
                message = one_line(fault.message)
        return fault._replace(message=message)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The counts, on one line."""
        counts = outcome.plan.counts()
        summary = ", ".join([f"{counts[status]} {word}" for status, word in ORDERED.items() if counts[status]])
        line = f"Todo list updated: {summary}" if summary else "Todo list cleared"
        return with_notes(line, outcome), None

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """What belongs on standard error: every fault of the parameter on its own line, or what else went wrong."""
        first = outcome.faults[0]
        if not first.path and first.code == "not_json":
            return f"Error: Invalid JSON format\n{USAGE_IN_FULL}", None
        if not first.path and first.code not in ("type", "duplicate_key"):
            return f"Error: {first.message}", None
        lines = [f"- {fault.path or 'input'}: {fault.message}" for fault in outcome.faults]
        return "\n".join(["Error: Validation failed", *lines]), None

    def render(self, plan: Plan) -> str:
        """The box of the command line, in plain text."""
        from ..plan.checklist import box

        return box(plan)

    def _expected(self, fault: Fault) -> str:
        if fault.field == "status":
            return " | ".join(f"'{status}'" for status in self.rules.statuses)
        return "array" if fault.code == "not_json" else TYPES.get(str(fault.limit), str(fault.limit))


def only_in_progress(fault: Fault) -> str:
    """The focus rule in the words that three dialects share."""
    tasks = "one task" if fault.limit == 1 else f"{fault.limit} tasks"
    return f"Only {tasks} can be in_progress at a time"
