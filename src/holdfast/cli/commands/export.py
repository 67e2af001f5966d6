"""The command `export`: plans for another store, or for people."""

from ...transfer.json_file import export_pieces
from ...transfer.markdown import to_markdown
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation, Misuse

FORMATS = ("json", "markdown")


def run(call: Invocation) -> int:
    """Print plans for another store, or for people."""
    if call.word("format") == "markdown":
        call.screen.print_text(*to_markdown(call.board(call.known_key).plan).splitlines())
        return Exit.OK
    if call.word("agent") is not None:
        raise Misuse("--agent is for --format markdown: JSON has every agent of a session")
    session = call.known_key.session if call.word("session") is not None else None
    for piece in export_pieces(call.store, session):
        call.screen.print_json_text(piece, end="")
    return Exit.OK


COMMAND = Command(
    "export",
    "Print all plans with their history as JSON, or one as a Markdown list. With --session, JSON has only that "
    "session.",
    run,
    (Argument("--format", "what to print; default json", choices=FORMATS),),
    (
        Example("holdfast export > plans.json", "everything, for `holdfast import` elsewhere"),
        Example("holdfast export --session nightly --format markdown", "one plan, for people"),
    ),
)
