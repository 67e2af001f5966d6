"""The command `import`: plans that were exported, or a list in Markdown."""

from ...plan import Status
from ...stores import Key
from ...transfer.json_file import import_json
from ...transfer.markdown import from_markdown
from ..command import Argument, Command, Example, Exit
from ..invocation import CommandError, Invocation, Misuse
from ..person_edit import edited_plan
from ..text_input import read_text, source_name


def run(call: Invocation) -> int:
    """Read plans that were exported, or a list in Markdown."""
    source = call.word("file") or "-"
    text = read_text(source)
    is_export = text.lstrip()[:1] == "{"
    if is_export and (call.word("session") is not None or call.word("agent") is not None):
        raise Misuse("an export names its own sessions and agents: --session and --agent are for a Markdown list")
    keys = import_json(text, call.store, call.flag("overwrite")) if is_export else [_import_list(call, text, source)]
    if call.wants_json:
        call.screen.print_json([key._asdict() for key in keys])
    else:
        call.screen.print_text(*(f"Imported {session} / {agent}" for session, agent in keys))
    return Exit.OK


def _import_list(call: Invocation, text: str, source: str) -> Key:
    """Make a Markdown list the plan of a board."""
    draft = from_markdown(text)
    board = call.board()
    if not draft.wishes:
        raise CommandError(f"no list in {source_name(source)}: write the todos as `- [ ] text`, or give a JSON export")
    if board.plan.open and not call.flag("overwrite"):
        raise CommandError(
            f"the plan has {len(board.plan.open)} open todos: say --overwrite to replace it, or name a --session"
        )
    items = [{"content": wish.content, "status": str(wish.status or Status.PENDING)} for wish in draft.wishes]
    edited_plan(board.update(items, draft.summary))
    return call.key


COMMAND = Command(
    "import",
    "Read what `holdfast export` printed, or a Markdown list.",
    run,
    (
        Argument("FILE", "a JSON export or a Markdown list; default, and with -: standard input", many="?"),
        Argument("--overwrite", "replace a plan that is already there; its history stays"),
    ),
    (
        Example("holdfast import plans.json", "every plan of the export"),
        Example("holdfast import --session nightly TODO.md", "a list that was written by hand"),
    ),
    "a list, each with `session`, `agent`",
)
