"""The tables of docs/dialects.md are made from the dialects themselves; `UPDATE_SNAPSHOTS=1` writes them again."""

import os
import re
from pathlib import Path

import pytest

from dev.bench.tokens import total_tokens
from holdfast import dialects
from holdfast.dialects import Dialect
from holdfast.dialects.families import FAMILIES
from holdfast.dialects.reading.form import Use
from holdfast.plan import Status
from holdfast.plan.rules import NO_LIMIT

PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"
USUAL = ("pending", "in_progress", "completed")


def dialects_table() -> str:
    """One line per dialect: its tool, what it takes, and what a plan of ten steps costs in it."""
    rows = ["| dialect | tool | list | an item has | statuses | running | tokens |", f"|{' --- |' * 7}"]
    for name in dialects.names():
        dialect = dialects.get(name)
        cells = (f"`{name}`", _tools(dialect), _list(dialect), _fields(dialect), _statuses(dialect), _running(dialect))
        rows.append(f"| {' | '.join(cells)} | {total_tokens(name).total:,} |")
    return "\n".join(rows)


def families_table() -> str:
    """The dialects, each with the families of models that get it."""
    families: dict[str, list[str]] = {}
    for family, dialect in FAMILIES:
        families.setdefault(dialect, []).append(family)
    rows = [f"| {', '.join(names)} | `{dialect}` |" for dialect, names in families.items()]
    return "\n".join(
        [
            "| a part of the model's name begins with | dialect |",
            "| --- | --- |",
            *rows,
            "| none of these | `holdfast` |",
        ]
    )


def _tools(dialect: Dialect) -> str:
    return ", ".join(dialect.tool_names)


def _list(dialect: Dialect) -> str:
    return f"`{dialect.form.list_field}`" if dialect.states_whole_plan else "one task per call"


def _fields(dialect: Dialect) -> str:
    form = dialect.form
    if form.parse is not None:
        return "a line: `[ ]`, `[-]` or `[x]`, and its text"
    status = "status" if form.default_status is None else "(status)"
    others = [form.key(field) if use is Use.REQUIRED else f"({form.key(field)})" for field, use in form.uses.items()]
    return ", ".join([form.key("content"), status, *others])


def _statuses(dialect: Dialect) -> str:
    words = tuple(dialect.form.words[status] for status in Status if status in dialect.rules.statuses)
    if words[:3] != USUAL:
        return ", ".join(words)
    return f"the three, {', '.join(words[3:])}" if words[3:] else "the three"


def _running(dialect: Dialect) -> str:
    if Status.IN_PROGRESS not in dialect.rules.statuses:
        return "none"
    return "any" if dialect.rules.max_in_progress == NO_LIMIT else str(dialect.rules.max_in_progress)


@pytest.mark.parametrize("name", ["dialects", "families"])
def test_a_table_says_what_is_true(name: str) -> None:
    """What the page says about each dialect, with its cost in tokens, is what the code does."""
    table = {"dialects": dialects_table, "families": families_table}[name]()
    page = PAGE.read_text(encoding="utf-8")
    marks = re.compile(rf"<!-- {name} -->\n(.*?)<!-- end -->", re.DOTALL)
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        page = marks.sub(lambda _: f"<!-- {name} -->\n\n{table}\n\n<!-- end -->", page)
        PAGE.write_text(page, encoding="utf-8")
    match = marks.search(page)
    assert match is not None and match[1].strip() == table, "UPDATE_SNAPSHOTS=1 writes it again"


def test_every_dialect_is_described() -> None:
    """Each has a line or two on the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in dialects.names() if f"**`{name}`**" not in page] == []
