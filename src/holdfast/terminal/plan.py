"""A plan as people read it in a terminal."""

import time
from collections.abc import Mapping

from ..plan import Plan, Todo
from ..plan.work import ToolUse
from ..stores import Key
from ..stores.leases import Lease
from ..text import fit, one_line, pad, width
from .bars import bar_spans
from .lines import SUBDUED, Line, Span, cut_text, text_line, todo_line
from .words import place, todo_note

LONGEST_BAR = 20
SHORTEST_BAR = 8
LONGEST_ID = 12
NO_LEASES: Mapping[str, Lease] = {}


def plan_lines(
    key: Key,
    plan: Plan,
    columns: int,
    leases: Mapping[str, Lease] = NO_LEASES,
    with_proofs: bool = False,
    with_work: bool = False,
) -> list[Line]:
    """Whose plan it is, what it is for, its todos with their checks, and how far it is.

    `leases` are the claims on its todos. With proofs, what each proved todo has passed is shown too; with work, the
    calls that were made for each.
    """
    lines = [heading(key, columns, f"revision {plan.revision}" if plan.revision else "")]
    lines += [text_line(cut_text(text, columns), style) for text, style in _about(plan) if text]
    if not plan.todos:
        return [*lines, text_line("No todos.")]
    wide = max(width(short_id(todo)) for todo in plan.todos)
    todos = _todo_lines(plan, wide, columns, leases, with_proofs, with_work)
    return [*lines, (), *todos, (), progress_line(plan, columns)]


def _about(plan: Plan) -> list[tuple[str, str]]:
    """What the session is called, where it comes from, and what the plan is for, each with its style."""
    return [(plan.about.label, "bold"), (place(plan.about), "dim"), (plan.summary, "")]


def _todo_lines(
    plan: Plan, wide: int, columns: int, leases: Mapping[str, Lease], with_proofs: bool, with_work: bool
) -> list[Line]:
    """A line for each todo, under its heading where it has one, and its note and its check below it."""
    lines: list[Line] = []
    section, indent = "", " " * (wide + 6)
    for todo in plan.todos:
        if todo.details.section != section:
            section = todo.details.section
            lines += [*([()] if lines else []), text_line(cut_text(section, columns), "bold")] if section else [()]
        id = pad(short_id(todo), wide)
        lines.append(todo_line(todo, columns, id=id, indent="  ", note=todo_note(plan, todo, leases)))
        if todo.details.description:
            lines.append((Span(indent + cut_text(todo.details.description, columns - len(indent)), "dim"),))
        lines += _check_lines(todo, indent, columns, with_proofs)
        lines += _work_lines(todo, indent, columns) if with_work else []
    return lines


def _check_lines(todo: Todo, indent: str, columns: int, with_proofs: bool) -> list[Line]:
    """What a todo must pass; once it is proved, what it passed, and if asked for, the words and the output of then."""
    proof, texts = todo.proof, []
    if proof is None and todo.check and (todo.is_open or todo.is_claimed):
        texts = [f"check: {todo.check}"]
    elif proof is not None and with_proofs:
        texts = [f"passed {local_time(proof.at)}, for the {proof.by}: {proof.check}"]
        texts += [f"as: {proof.content}"] if proof.content != todo.content else []
        texts += [f"| {line}" for line in proof.output.splitlines()]
    return [(Span(indent + cut_text(text, columns - len(indent)), SUBDUED),) for text in texts]


def _work_lines(todo: Todo, indent: str, columns: int) -> list[Line]:
    """What was done for a todo, a line for each call."""
    return [(Span(indent + cut_text(work_words(use), columns - len(indent)), SUBDUED),) for use in todo.work]


def work_words(use: ToolUse) -> str:
    """One call of another tool, and what it touched, in one line."""
    times = f" {use.times} times" if use.times > 1 else ""
    files = f" ({', '.join(use.files)})" if use.files else ""
    return f"{'failed' if use.failed else 'ran'}{times}: {use.label}{files}"


def heading(key: Key, columns: int, more: str = "") -> Line:
    """Whose plan it is, on one line."""
    name = cut_text(f"{key.session} / {key.agent}", max(columns - (len(more) + 2 if more else 0), 1))
    return (Span(name, "bold"), Span("  "), Span(more, "dim")) if more else (Span(name, "bold"),)


def short_id(todo: Todo) -> str:
    """A todo's id, which a model may have chosen, within bounds."""
    return fit(one_line(todo.id), LONGEST_ID)


def progress_line(plan: Plan, columns: int) -> Line:
    """How far a plan is, as a bar and in numbers."""
    done, total = len(plan.done), len(plan.todos)
    numbers = f" {done}/{total} done"
    bar = min(LONGEST_BAR, max(columns - len(numbers), SHORTEST_BAR))
    return (*bar_spans(done / total if total else 0, bar), Span(numbers))


def local_time(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A point in time, where the person is; a dash for one that no calendar has, as an import may bring."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (OverflowError, OSError):
        return "-"
