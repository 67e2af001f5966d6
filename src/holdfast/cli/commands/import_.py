"""The command `import`: plans that were exported, or a list in Markdown."""

from ...board.person_steps import from_draft
from ...plan import DetailsWish, Draft, Plan, Wish
from ...stores import Key
from ...text import counted
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
    found = import_json(text, call.store, call.flag("overwrite")) if is_export else _import_list(call, text, source)
    if call.wants_json:
        call.screen.print_json([{**key._asdict(), "is_new": is_new} for key, is_new in found.items()])
    else:
        call.screen.print_text(*(_words(key, is_new) for key, is_new in found.items()))
    return Exit.OK


def _words(key: Key, is_new: bool) -> str:
    name = f"{key.session} / {key.agent}"
    return f"Imported {name}" if is_new else f"Nothing to import: {name} is already as it is here"


def _import_list(call: Invocation, text: str, source: str) -> dict[Key, bool]:
    """Make a Markdown list the plan of a board. Returns the board, and whether that changed it."""
    draft = from_markdown(text)
    key = call.exact_key
    board = call.board(key)
    before = board.plan
    if not draft.wishes:
        raise CommandError(f"no list in {source_name(source)}: write the todos as `- [ ] text`, or give a JSON export")
    if before.open and not call.flag("overwrite") and not _says(draft, before):
        left = counted(len(before.open), "open todo")
        raise CommandError(f"the plan has {left}: say --overwrite to replace it, or name a --session")
    after = edited_plan(board.apply(from_draft(draft, board.dialect), "update"))
    return {key: after.revision != before.revision}


def _says(draft: Draft, plan: Plan) -> bool:
    """Whether a list says what the plan says already."""
    listed = [(wish.content, wish.status, *_kept_details(wish)) for wish in draft.wishes]
    here = [(todo.content, todo.status, todo.details.section, todo.check) for todo in plan.todos]
    return draft.summary in (None, plan.summary) and listed == here


def _kept_details(wish: Wish) -> tuple[str, str]:
    """The section and the check of a todo in a list."""
    details = wish.details or DetailsWish()
    return details.section or "", details.check or ""


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
    "a list, each with `session`, `agent`, `is_new` (whether it changed anything)",
)
