"""From a plan back to a payload; and what a model means when it restates what it was shown.

No dialect can say everything. Where it has no word for something, it uses the nearest one, and a todo that is restated
in those words is not changed: so a cancelled todo stays cancelled in a dialect that knows only completed ones.
"""

from collections.abc import Sequence
from typing import Any

from ...plan import DetailsWish, Draft, Plan, Status, Todo, Wish
from ...plan.transitions import match
from .form import ABSENT, OPTIONAL, REQUIRED, Form

INSTEAD = {
    Status.CANCELLED: Status.COMPLETED,
    Status.COMPLETED: Status.PENDING,
    Status.IN_PROGRESS: Status.PENDING,
    Status.BLOCKED: Status.PENDING,
}
"""The status to show instead of one that a dialect does not have."""

ANY_PRIORITY = "medium"
ANY_SUMMARY = "Todos"

_NO_DETAILS = DetailsWish()


def nearest(status: Status, statuses: Sequence[Status]) -> Status:
    """The status itself if it is one of `statuses`, else the one shown instead of it."""
    while status not in statuses:
        status = INSTEAD[status]
    return status


def expresses_all(form: Form, statuses: Sequence[Status]) -> bool:
    """Whether a form shows every field that it has exactly as the todo has it."""
    required = REQUIRED in (form.active_form, form.priority, form.summary)
    exact = not (required or form.trims or form.parse or form.has_details)
    return exact and set(Status) <= set(statuses)


def shows_exactly(todo: Todo, plan: Plan, form: Form, statuses: Sequence[Status]) -> bool:
    """Whether a form shows a todo as it is: `express` gives nothing else than the todo has."""
    content, active_form = todo.content, todo.active_form
    if todo.status not in statuses or (form.trims and content.strip() != content):
        return False
    if form.active_form is not ABSENT:
        shown = active_form.strip()
        if (form.trims and shown != active_form) or (not shown and (active_form or form.active_form is REQUIRED)):
            return False
    return not form.has_details or _shows_details_exactly(todo, plan, form)


def express(todo: Todo, plan: Plan, form: Form, statuses: Sequence[Status]) -> Wish:
    """A todo as a form can express it: reading that again gives the same wish."""
    content = todo.content.strip() if form.trims else todo.content
    active_form = (todo.active_form.strip() if form.trims else todo.active_form) or None
    if form.active_form is ABSENT:
        active_form = None
    elif form.active_form is REQUIRED and not (active_form and active_form.strip()):
        active_form = content
    return Wish(
        todo.id if form.keeps_ids else None,
        content,
        nearest(todo.status, statuses),
        active_form,
        (todo.evidence or None) if form.evidence is not ABSENT else None,
        _express_details(todo, plan, form) if form.has_details else None,
    )


def express_summary(plan: Plan, form: Form) -> str | None:
    """A plan's summary as a form can express it; None if the form has no summary."""
    if form.summary is ABSENT:
        return None
    summary = plan.summary.strip() if form.trims else plan.summary
    return summary if summary.strip() or form.summary is OPTIONAL else ANY_SUMMARY


def item(wish: Wish, form: Form) -> dict[str, Any]:
    """A wish as an item of a form's list, in the form's own words."""
    id, content, status, active_form, evidence, details = wish
    assert status is not None, "a todo that is shown has a status"
    names = form.names
    fields: dict[str, Any] = {} if id is None else {names.get("id", "id"): id}
    if content is not None:
        fields[names.get("content", "content")] = content
    fields["status"] = form.words[status]
    if active_form is not None:
        fields["activeForm"] = active_form
    if evidence is not None:
        fields["evidence"] = evidence
    if details is not None:
        fields |= {form.key(field): value for field, value in _detail_fields(details).items() if value is not None}
    return fields


def _detail_fields(details: DetailsWish) -> dict[str, Any]:
    return {
        "description": details.description,
        "priority": details.priority,
        "blockedBy": None if details.blocked_by is None else list(details.blocked_by),
        "owner": details.owner,
        "metadata": None if details.metadata is None else _from_json(details.metadata),
        "check": details.check,
    }


def _from_json(text: str) -> Any:
    import json  # not before it is needed: a board can be written without it

    return json.loads(text)


def without_restatements(draft: Draft, plan: Plan, shown: Sequence[Wish], summary: str | None) -> Draft:
    """The draft without what it only restates in the words of its dialect: that is no change.

    `shown` are the plan's todos as the dialect shows them, one by one, and `summary` the plan's summary.
    """
    pairs = {todo.id: (todo, wish) for todo, wish in zip(plan.todos, shown, strict=True)}
    draft = draft._replace(summary=_unless_restated(draft.summary, summary, plan.summary))
    if all(_is_exact(todo, wish) for todo, wish in pairs.values()):
        return draft
    seen = [todo._replace(content=wish.content or "") for todo, wish in pairs.values()]
    matches = zip(draft.wishes, match(seen, draft.wishes), strict=True)
    return draft._replace(
        wishes=[wish if todo is None else _without_restatements(wish, *pairs[todo.id]) for wish, todo in matches]
    )


def _express_details(todo: Todo, plan: Plan, form: Form) -> DetailsWish | None:
    details, uses = todo.details, form.uses
    priority = details.priority or (ANY_PRIORITY if form.priority is REQUIRED else "")
    description = details.description or (todo.content if form.description is REQUIRED else "")
    wish = DetailsWish(
        (description or None) if "description" in uses else None,
        (priority or None) if "priority" in uses else None,
        _blockers_in(plan, details.blocked_by) if "blockedBy" in uses else None,
        (details.owner or None) if "owner" in uses else None,
        (details.metadata or None) if "metadata" in uses else None,
        (details.check or None) if "check" in uses else None,
    )
    return None if wish == _NO_DETAILS else wish


def _shows_details_exactly(todo: Todo, plan: Plan, form: Form) -> bool:
    wish = _express_details(todo, plan, form)
    return wish is None or wish.over(todo.details) is todo.details


def _is_exact(todo: Todo, shown: Wish) -> bool:
    """Whether a dialect shows a todo exactly as it is, in all fields that it has."""
    _, content, status, active_form, _, details = shown
    return (
        content == todo.content
        and status is todo.status
        and active_form in (None, todo.active_form)
        and (details is None or details.over(todo.details) == todo.details)
    )


def _without_restatements(wish: Wish, todo: Todo, shown: Wish) -> Wish:
    return Wish(
        todo.id,
        _unless_restated(wish.content, shown.content, todo.content),
        _unless_restated(wish.status, shown.status, todo.status),
        _unless_restated(wish.active_form, shown.active_form, todo.active_form),
        wish.evidence,
        wish.details and _details_without_restatements(wish.details, shown.details or _NO_DETAILS, todo),
    )


def _details_without_restatements(wish: DetailsWish, shown: DetailsWish, todo: Todo) -> DetailsWish:
    return DetailsWish(*map(_unless_restated, wish, shown, todo.details))


def _unless_restated(asked: Any, shown: object, truth: object) -> Any:
    return None if asked == shown != truth else asked


def _blockers_in(plan: Plan, blocked_by: tuple[str, ...]) -> tuple[str, ...] | None:
    """The blockers that are still in the plan."""
    if not blocked_by:
        return None
    ids = {todo.id for todo in plan.todos}
    return tuple(id for id in blocked_by if id in ids) or None
