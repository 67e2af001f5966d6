"""The most common write in one pass: a list that restates the plan word for word and only moves statuses.

It does what reading, checking and applying do one after the other, at a third of their cost. Everything else is left
to them: `restated` returns None for whatever is not plainly such a list.
"""

from typing import Any

from ..dialects.reading.form import Form
from ..plan import DONE, IN_PROGRESS, Plan
from ..plan.rules import Rules
from ..plan.transitions import with_status


def restated(plan: Plan, payload: object, form: Form, rules: Rules, now: float) -> Plan | None:
    """The plan after such a write; None if the payload is something else, or has a fault."""
    items = _items(payload, form, plan)
    if items is None or len(items) > rules.max_items:
        return None
    words, allowed, longest = form.statuses, rules.statuses, rules.max_content
    todos, running, is_new = [], 0, False
    try:
        for todo, item in zip(plan.todos, items, strict=True):
            content, status, before = item["content"], words[item["status"]], todo.status
            if content != todo.content or len(item) != 2 or len(content) > longest or status not in allowed:
                return None
            if status is IN_PROGRESS:
                running += 1
            if status is not before:
                if before not in allowed:  # what the dialect has no word for may be meant
                    return None
                todo, is_new = with_status(todo, status, now), True
            todos.append(todo)
    except (KeyError, TypeError, IndexError):
        return None
    if running > rules.max_in_progress:
        return None
    if not is_new:
        return plan
    rest = (plan.number, plan.next_id, (), (), plan.settings, plan.about)
    return Plan(tuple(todos), plan.summary, plan.revision + 1, now, *rest)


def _items(payload: object, form: Form, plan: Plan) -> list[Any] | None:
    """The list in a payload that holds nothing else, as long as the plan; None if there is more to it."""
    if type(payload) is not dict or len(payload) != 1 or plan.edits or not form.is_plain:
        return None
    items = payload.get(form.list_field)
    return items if type(items) is list and len(items) == len(plan.todos) and _is_open(plan) else None


def _is_open(plan: Plan) -> bool:
    """Whether something is open: a list may close a plan with nothing open. Mostly the last todo is enough to know."""
    return bool(plan.todos) and (plan.todos[-1].status not in DONE or not plan.is_finished)
