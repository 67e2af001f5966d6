"""The command `dialects`: what a model gets in each of them."""

from typing import Any

from ... import dialects
from ...dialects import WIRE_FORMS, Dialect, definitions
from ...plan.rules import NO_LIMIT
from ...terminal.lines import Line, text_line
from ...terminal.table import Column, pair_lines, table_lines
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation, Misuse

LIMITS = ("max_items", "max_content", "max_in_progress")
KEYS = (
    "a list, or with a name one of it: `name`, `tool` and all `tools`, `description`, `prompt`, `schema`, `statuses`, "
    "`max_items`, `max_content`, `max_in_progress` (null for no limit)"
)


def run(call: Invocation) -> int:
    """Print all dialects, or one, or the part of it that was asked for."""
    name = call.word("name")
    screen = call.screen
    if name is not None:
        return _print_one(call, dialects.get(name))
    if call.flag("schema") or call.flag("prompt") or call.word("tool") is not None:
        raise Misuse("--schema, --prompt and --tool need a dialect: name one")
    found = [dialects.get(name) for name in dialects.names()]
    if call.wants_json:
        screen.print_json([_data(dialect) for dialect in found])
        return Exit.OK
    columns = (Column("DIALECT"), Column("TOOL", is_optional=True), Column("DESCRIPTION"))
    rows = [list(map(text_line, (dialect.name, dialect.tool_name, dialect.description))) for dialect in found]
    screen.print(table_lines(columns, rows, screen.columns))
    return Exit.OK


def _print_one(call: Invocation, dialect: Dialect) -> int:
    screen, form = call.screen, call.word("tool")
    if form is not None:
        screen.print_json(_single(definitions(dialect, form)))
    elif call.flag("schema"):
        screen.print_json(_single([tool.schema for tool in dialect.tools]))
    elif call.wants_json:
        screen.print_json(_data(dialect))
    elif call.flag("prompt"):
        screen.print_text(*dialect.prompt.splitlines())
    else:
        screen.print(_about(dialect, screen.columns))
    return Exit.OK


def _single(parts: list[dict[str, Any]]) -> object:
    """The one part by itself, if the dialect has one tool; else the list."""
    return parts[0] if len(parts) == 1 else parts


def _about(dialect: Dialect, columns: int) -> list[Line]:
    data = _data(dialect)
    rows = [
        ("dialect", dialect.name),
        ("tool", ", ".join(dialect.tool_names)),
        ("statuses", ", ".join(data["statuses"])),
        *((what.replace("_", " "), str(data[what] or "no limit")) for what in LIMITS),
        ("description", dialect.description),
    ]
    return pair_lines(rows, columns)


def _data(dialect: Dialect) -> dict[str, Any]:
    rules = dialect.rules
    limits = {what: getattr(rules, what) for what in LIMITS}
    return {
        "name": dialect.name,
        "tool": dialect.tool_name,
        "tools": list(dialect.tool_names),
        "description": dialect.description,
        "prompt": dialect.prompt,
        "schema": dialect.schema,
        "statuses": [str(status) for status in rules.statuses],
        **{what: None if limit == NO_LIMIT else limit for what, limit in limits.items()},
    }


COMMAND = Command(
    "dialects",
    "List the dialects, or show one as a model gets it.",
    run,
    (
        Argument("NAME", "a dialect", many="?", choices=dialects.names()),
        Argument("--schema", "only the JSON Schema of its input"),
        Argument("--prompt", "only its text for the system prompt"),
        Argument("--tool", "only its tool definition, in a provider's form", "FORM", choices=WIRE_FORMS),
    ),
    (
        Example("holdfast dialects", "all of them"),
        Example("holdfast dialects mini --prompt", "what to put into the system prompt"),
        Example("holdfast dialects holdfast --tool anthropic", "the tool for the Messages API"),
    ),
    KEYS,
    uses=Uses.NOTHING,
)
