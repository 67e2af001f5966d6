"""The command `convert`: a plan of one dialect in the form of another."""

from ...transfer.conversion import convert, formats
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation
from ..text_input import read_text


def run(call: Invocation) -> int:
    """Print a file or standard input in the form of another dialect."""
    source, target = call.word("from") or "", call.word("to") or ""
    converted = convert(read_text(call.word("file") or "-"), source, target)
    if target == "markdown":
        call.screen.print_text(*converted.splitlines())
    else:
        call.screen.print_json_text(converted)
    return Exit.OK


COMMAND = Command(
    "convert",
    "Print a plan that was written in one dialect in the form of another.",
    run,
    (
        Argument("FILE", "a payload of the dialect as JSON; default, and with -: standard input", many="?"),
        Argument("--from", "the form it has", choices=formats(), is_required=True),
        Argument("--to", "the form to print", choices=formats(), is_required=True),
    ),
    (
        Example("holdfast convert --from codex --to claude-code plan.json", "a plan of Codex for Claude Code"),
        Example("holdfast convert --from gemini --to markdown < todos.json", "for people"),
    ),
    uses=Uses.NOTHING,
)
