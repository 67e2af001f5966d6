"""The command `dialects`: what a model is shown in each of them."""

from typing import Any

from ... import dialects
from ...dialects import WIRE_FORMS, Dialect, definitions
from ...plan.rules import NO_LIMIT
from ...terminal.screen import Screen
from ...terminal.table import Cell, Column, table
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation, Misuse

KEYS = (
    "a list, with a name one of them: `name`, `tool` and all `tools`, `description`, `prompt`, `schema`, `statuses`, "
    "`max_items`, `max_content`, `max_in_progress` (null for no limit)"
)


def run(call: Invocation) -> int:
    """Print all dialects, or one, or what a model is shown of it."""
    name = call.word("name")
    screen = call.screen
    if name is not None:
        return _one(call, dialects.get(name))
    if call.flag("schema") or call.flag("prompt") or call.word("tool") is not None:
        raise Misuse("--schema, --prompt and --tool are of one dialect: name it")
    found = [dialects.get(name) for name in dialects.names()]
    if call.wants_json:
        screen.print_json([_data(dialect) for dialect in found])
        return Exit.OK
    rows = [(Cell(dialect.name), Cell(dialect.tool_name), Cell(dialect.description)) for dialect in found]
    screen.print(table(screen, (Column("DIALECT"), Column("TOOL", can_go=True), Column("DESCRIPTION")), rows))
    return Exit.OK


def _one(call: Invocation, dialect: Dialect) -> int:
    screen, form = call.screen, call.word("tool")
    if form is not None:
        screen.print_json(_only(definitions(dialect, form)))
    elif call.flag("schema"):
        screen.print_json(_only([tool.schema for tool in dialect.tools]))
    elif call.wants_json:
        screen.print_json(_data(dialect))
    elif call.flag("prompt"):
        screen.print(screen.text(line) for line in dialect.prompt.splitlines())
    else:
        screen.print(_about(screen, dialect))
    return Exit.OK


def _only(parts: list[dict[str, Any]]) -> object:
    """The part of a dialect's one tool, or those of all its tools."""
    return parts[0] if len(parts) == 1 else parts


def _about(screen: Screen, dialect: Dialect) -> list[str]:
    data = _data(dialect)
    rows = [
        ("dialect", dialect.name),
        ("tool", ", ".join(dialect.tool_names)),
        ("statuses", ", ".join(data["statuses"])),
        *((what.replace("_", " "), str(data[what] or "no limit")) for what in LIMITS),
        ("description", dialect.description),
    ]
    return table(screen, (Column(""), Column("")), [(Cell(what), Cell(value)) for what, value in rows])


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


LIMITS = ("max_items", "max_content", "max_in_progress")

COMMANDS = (
    Command(
        "dialects",
        "List the dialects, or show one as a model is given it.",
        run,
        (
            Argument("NAME", "a dialect", many="?", choices=dialects.names()),
            Argument("--schema", "only the JSON Schema of its input"),
            Argument("--prompt", "only its text for the system prompt"),
            Argument("--tool", "only its tool definition, in the form of a provider", "FORM", choices=WIRE_FORMS),
        ),
        (
            Example("holdfast dialects", "all of them"),
            Example("holdfast dialects mini --prompt", "what to put into the system prompt"),
            Example("holdfast dialects holdfast --tool anthropic", "the tool for the Messages API"),
        ),
        KEYS,
        uses=Uses.NOTHING,
    ),
)
