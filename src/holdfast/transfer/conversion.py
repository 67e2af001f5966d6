"""A plan from one dialect to another, or from and to a Markdown list.

A dialect with several tools is written as its calls: `[{"name": "TaskCreate", "input": {…}}, …]`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import dialects
from ..board import Board
from ..dialects import Call, Dialect
from ..dialects.reading.faults import describe_faults
from ..dialects.reading.json_text import decode, encode
from ..errors import UsageError
from ..plan import Plan
from ..plan.fault import Fault
from ..plan.transitions import replace
from .markdown import from_markdown, to_markdown

MARKDOWN = "markdown"


def formats() -> tuple[str, ...]:
    """The names of all formats to convert from and to."""
    return (*dialects.names(), MARKDOWN)


def convert(text: str, source: str, target: str) -> str:
    """A text in the format `source`, converted to `target`.

    Raises UsageError, with every fault and its place, for a text that `source` refuses, and for a plan that `target`
    refuses, such as one that is too long.
    """
    plan = read_plan(text, source)
    return to_markdown(plan) if target == MARKDOWN else write_plan(plan, target)


def read_plan(text: str, source: str) -> Plan:
    """The plan in a text. Raises UsageError, with every fault and its place, if it cannot be read."""
    if source == MARKDOWN:
        return replace(Plan(), from_markdown(text), 0.0)
    dialect = dialects.get(source)
    return _play(dialect, _calls(text, dialect), f"not {source}")


def write_plan(plan: Plan, target: str) -> str:
    """The plan as a payload of a dialect, or as its calls. Raises UsageError for a plan that it refuses."""
    dialect = dialects.get(target)
    calls = dialect.calls(plan)
    _play(dialect, calls, f"{target} cannot say it")
    if len(dialect.tools) == 1:
        return encode(calls[0].payload, indent=2)
    return encode([{"name": tool, "input": payload} for tool, payload in calls], indent=2)


def _play(dialect: Dialect, calls: Sequence[Call], trouble: str) -> Plan:
    """The plan after calls on an empty board. Raises UsageError if one is refused."""
    board = Board(dialect=dialect, clock=lambda: 0.0)
    for place, (tool, payload) in enumerate(calls):
        reply = board.write(payload, tool=tool)
        if not reply.ok:
            where = f"call {place} ({tool}), " if len(dialect.tools) > 1 else ""
            raise UsageError(f"{trouble}: {where}{describe_faults(reply.faults)}")
    return board.plan


def _calls(text: str, dialect: Dialect) -> list[Call]:
    """The calls in a text: one payload, or for several tools a list of calls."""
    if dialect.form.parse is not None and not text.lstrip().startswith("{"):  # the list alone, as people write it
        return [Call(dialect.tool_name, {dialect.form.list_field: text})]
    value = decode(text)
    if isinstance(value, Fault):
        raise UsageError(f"not {dialect.name}: {value.message}")
    if len(dialect.tools) == 1:
        return [Call(dialect.tool_name, value)]
    return [_call(place, each) for place, each in enumerate(value if isinstance(value, list) else [value])]


def _call(place: int, value: Any) -> Call:
    if isinstance(value, Mapping) and isinstance(value.get("name"), str) and isinstance(value.get("input"), Mapping):
        return Call(value["name"], dict(value["input"]))
    raise UsageError(f'call {place}: expected {{"name": "TaskCreate", "input": {{…}}}}')
