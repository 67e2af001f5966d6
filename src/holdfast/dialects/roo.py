"""The `roo` dialect: Roo Code's update_todo_list. A checklist in Markdown in, one sentence back."""

import re

from ..plan import Plan, Status, Todo, Wish
from ..plan.fault import Fault
from ..plan.rules import NO_LIMIT, Rules
from ..text import describe, is_plain, one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.schemas import JSON

STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)
UPDATED = "Todo list updated."
BOXES = {Status.PENDING: "[ ]", Status.IN_PROGRESS: "[-]", Status.COMPLETED: "[x]"}
MEANINGS = {" ": "pending", "": "pending", "x": "completed", "-": "in_progress", "~": "in_progress"}

_PLAIN_BOXES = {"[ ] ": "pending", "[-] ": "in_progress", "[x] ": "completed"}
_LINE = re.compile(r"(?:[-*]\s*)?\[\s*([xX~-]?)\s*\]\s+(.+)", re.DOTALL)


def parse(text: str) -> list[object]:
    """The items of a checklist, one per line; a fault in place of a line that is not an item."""
    items: list[object] = []
    for place, spaced in enumerate(text.split("\n"), 1):
        line = spaced.strip()
        status = _PLAIN_BOXES.get(line[:4])
        if status is not None:  # more spaces after the box are trimmed by the reader
            items.append({"content": line[4:], "status": status})
        elif line:
            items.append(_item(place, line))
    return items


def _item(place: int, line: str) -> object:
    """What a line says that is not written in the plainest way."""
    matched = _LINE.fullmatch(line)
    if matched is None:
        message = f"expected '[ ] text', '[-] text' or '[x] text', received {describe(line)}"
        return Fault(f"todos, line {place}", message, "line", place - 1, "todos", received=describe(line))
    return {"content": matched[2], "status": MEANINGS[matched[1].lower()]}


class Roo(Dialect):
    """A checklist as people write it."""

    name = "roo"
    tool_name = "update_todo_list"
    description = "Write the todo list: all of it, each time, as a checklist with a line a todo."
    prompt = """For work of several steps, keep a checklist with update_todo_list, a line a todo:
[x] what is done
[-] what is in progress
[ ] what is pending
Update it as soon as something is done."""
    form = Form({str(status): status for status in STATUSES}, parse=parse, trims=True)
    own_rules = Rules(max_in_progress=NO_LIMIT, statuses=STATUSES)
    reports_all_faults = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input: the list is a text."""
        todos = {"type": "string", "description": "a line a todo: [ ] pending, [-] in progress, [x] completed"}
        return {"type": "object", "properties": {"todos": todos}, "required": ["todos"]}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The sentence."""
        return with_notes(UPDATED, outcome), None

    def express(self, todo: Todo, plan: Plan) -> Wish:
        """What this dialect can say of a todo: its text on one line."""
        wish = super().express(todo, plan)
        return wish._replace(content=one_line(todo.content).strip())

    def shows_exactly(self, todo: Todo, plan: Plan) -> bool:
        """Whether this dialect shows a todo as it is."""
        return is_plain(todo.content) and super().shows_exactly(todo, plan)

    def payload(self, plan: Plan) -> JSON:
        """The call that writes this plan down."""
        return {"todos": self.render(plan) if plan.todos else ""}

    def render(self, plan: Plan) -> str:
        """The checklist."""
        shown = [self.express(todo, plan) for todo in plan.todos]
        lines = [f"{BOXES.get(wish.status or Status.PENDING, '[ ]')} {wish.content}" for wish in shown]
        return "\n".join(lines) or "No todos."
