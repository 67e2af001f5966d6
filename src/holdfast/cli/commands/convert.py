"""The command `convert`: a plan in one dialect's words, in another's."""

from ...transfer.conversion import convert, formats
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation
from .export import text_of


def run(call: Invocation) -> int:
    """Print what a file or standard input holds in the words of another dialect."""
    source, target = call.word("from") or "", call.word("to") or ""
    converted = convert(text_of(call.word("file") or "-"), source, target)
    if target == "markdown":
        call.screen.print(call.screen.text(line) for line in converted.splitlines())
    else:
        call.screen.print_json_text(converted)
    return Exit.OK


COMMANDS = (
    Command(
        "convert",
        "Print a plan that was written in one dialect in the words of another.",
        run,
        (
            Argument("FILE", "a payload of the dialect as JSON; - or nothing for standard input", many="?"),
            Argument("--from", "what it is written in", choices=formats(), is_required=True),
            Argument("--to", "what to write it in", choices=formats(), is_required=True),
        ),
        (
            Example("holdfast convert --from codex --to claude-code plan.json", "a plan of Codex for Claude Code"),
            Example("holdfast convert --from gemini --to markdown < todos.json", "for people"),
        ),
        uses=Uses.NOTHING,
    ),
)
