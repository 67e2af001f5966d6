"""The default dialect: the whole list, or by id only what changed; a reply of one line."""

from collections.abc import Sequence

from ..plan import DONE, IN_PROGRESS, NO_DETAILS, PENDING, Change, Plan, Status, Todo
from ..plan.rules import Rules
from ..text import one_line
from .dialect import MARKS, STATUS_WORDS, Dialect, Outcome, with_notes
from .reading.form import Form, Use
from .reading.schemas import JSON, status, text, todos

SLIPS = {
    "done": Status.COMPLETED,
    "complete": Status.COMPLETED,
    "finished": Status.COMPLETED,
    "todo": Status.PENDING,
    "open": Status.PENDING,
    "not_started": Status.PENDING,
    "in-progress": Status.IN_PROGRESS,
    "in progress": Status.IN_PROGRESS,
    "doing": Status.IN_PROGRESS,
    "started": Status.IN_PROGRESS,
    "canceled": Status.CANCELLED,
}
"""Words that models write for a status, and what they mean by them."""


class Holdfast(Dialect):
    """Cheap in tokens and forgiving in form: what a model without a habit of its own should use."""

    name = "holdfast"
    description = (
        "Your plan as todos. Without ids: the whole list; ids 1, 2, 3… are given in order. With ids: only what changes."
    )
    prompt = (
        "For work of three or more steps, first write the plan with TodoWrite. "
        "Mark a todo completed as soon as it is really done, then go on with the next."
    )
    form = Form(
        {**STATUS_WORDS, **SLIPS},
        default_status=Status.PENDING,
        id=Use.OPTIONAL,
        active_form=Use.OPTIONAL,
        summary=Use.OPTIONAL,
        aliases={"active_form": "activeForm"},
        partial=True,
        any_case=True,
        bare_list=True,
    )
    own_rules = Rules(
        max_items=50, max_content=200, max_in_progress=1, statuses=tuple(Status), advance=True, point_out=True
    )
    mark = '{{"todos": [{{"id": "{id}", "status": "{status}"}}]}}'
    reports_all_faults = True

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input. An item with an id may leave out what it does not change."""
        items = {"type": "object", "properties": self.own_fields(), "additionalProperties": False}
        properties = {"todos": todos(self.rules, items), "summary": {"type": "string"}}
        return {"type": "object", "properties": properties, "required": ["todos"]}

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo. `activeForm` is understood, but not asked for: it costs tokens."""
        return {"id": {"type": "string"}, "content": text(self.rules), "status": status(self.form, self.rules)}

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """One line: which ids are new, how far the plan is, and what is next."""
        change = outcome.change
        news = "Nothing changed. " if change is None or change.before is change.after else new_ids(change)
        return with_notes(news + progress(outcome.plan), outcome), None

    def render(self, plan: Plan) -> str:
        """One line per todo, and how many are done."""
        if not plan.todos:
            return "No todos."
        lines = [f"{MARKS[todo.status]} {todo.id}. {one_line(todo.content)}{_proof(todo)}" for todo in plan.todos]
        return "\n".join([*lines, f"{len(plan.done)}/{len(plan.todos)} done"])


def _proof(todo: Todo) -> str:
    return f" ({one_line(todo.evidence)})" if todo.evidence else ""


def progress(plan: Plan) -> str:
    """How far a plan is, and what to do now."""
    done, total, running, waiting = 0, len(plan.todos), None, None
    for todo in plan.todos:
        status = todo[2]
        if status is PENDING:
            if waiting is None and (todo[8] is NO_DETAILS or plan.is_free(todo)):
                waiting = todo
        elif status in DONE:
            done += 1
        elif running is None and status is IN_PROGRESS:
            running = todo
    if running is not None:
        return f"{done}/{total} done. Now {running[0]}: {one_line(running[1])}"
    if waiting is not None:
        return f"{done}/{total} done. Next {waiting[0]}: {one_line(waiting[1])}"
    if done < total:
        return f"{done}/{total} done, the rest is blocked."
    return f"All {done} done." if total else "Plan cleared."


def new_ids(change: Change) -> str:
    """Which ids a write gave out; empty if the model knows them."""
    before, after = change.before, change.after
    if before.next_id == after.next_id and before.number == after.number:
        return ""
    known = {todo[0] for todo in before.todos} if before.number == after.number else ()
    created = [todo[0] for todo in after.todos if todo[0] not in known]
    return f"Saved {_ranges(created)}. " if created else ""


def _ranges(ids: Sequence[str]) -> str:
    """These ids, consecutive ones as a range: `1-3, 7`."""
    ranges: list[str] = []
    first = last = following = ""
    for id in ids:
        if id != following:
            if first:
                ranges.append(first if first == last else f"{first}-{last}")
            first = id
        last = id
        following = str(int(id) + 1) if id.isdecimal() else ""
    return ", ".join([*ranges, first if first == last else f"{first}-{last}"])
