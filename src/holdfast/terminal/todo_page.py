"""One todo in full, on a page of its own: everything that is known of it, wrapped, nothing cut off."""

from collections.abc import Iterator, Mapping

from ..plan import Plan, Todo
from ..stores.leases import Lease
from .durations import age, duration
from .lines import STATUS_STYLES, SUBDUED, Line, Span, text_line, wrap_text
from .plan import NO_LEASES, local_time, short_id, work_words
from .words import todo_note

LEFT = 11
"""Where values begin."""


def todo_page(plan: Plan, todo: Todo, columns: int, now: float, leases: Mapping[str, Lease] = NO_LEASES) -> list[Line]:
    """The lines of the page: the text, then a line for each thing that is known, with its name on the left."""
    style = STATUS_STYLES[todo.status].removesuffix(" strike").removeprefix("dim")
    lines: list[Line] = [(Span(line, f"{style} bold"),) for line in wrap_text(todo.content, columns)]
    lines.append(())
    for name, value in _facts(plan, todo, now, leases):
        for at, line in enumerate(wrap_text(value, max(columns - LEFT, 10))):
            lines.append((Span(f"{name if at == 0 else '':{LEFT}}", SUBDUED), *text_line(line)))
    return lines


def _facts(plan: Plan, todo: Todo, now: float, leases: Mapping[str, Lease]) -> Iterator[tuple[str, str]]:
    details, proof = todo.details, todo.proof
    known = [
        ("id", short_id(todo)),
        ("status", f"{todo.status.replace('_', ' ')}{_since(todo, now)}"),
        ("", todo_note(plan, todo, leases)),
        ("section", details.section),
        ("shown as", todo.active_form if todo.active_form != todo.content else ""),
        ("note", details.description),
        ("check", todo.check),
        ("proof", "" if proof is None else f"passed {local_time(proof.at)}: {proof.check}"),
        ("evidence", todo.evidence),
        ("added", local_time(todo.created_at) if todo.created_at else ""),
    ]
    yield from ((name, value) for name, value in known if value)
    yield from (("work" if at == 0 else "", work_words(use)) for at, use in enumerate(todo.work))


def _since(todo: Todo, now: float) -> str:
    if todo.started_at is not None and todo.finished_at is not None:
        return f", took {duration(todo.finished_at - todo.started_at)}, {age(now - todo.finished_at)}"
    if todo.finished_at is not None:
        return f", {age(now - todo.finished_at)}"
    return f" for {duration(now - todo.started_at)}" if todo.started_at is not None and todo.is_open else ""
