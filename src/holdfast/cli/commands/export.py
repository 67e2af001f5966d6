"""The commands that take plans out of a store and into one: `export`, `import`."""

import sys

from ...plan import Draft, Status
from ...stores import Key
from ...transfer.json_file import export_json, import_json
from ...transfer.markdown import from_markdown, to_markdown
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation, Misuse, Refusal
from .edit import done

FORMATS = ("json", "markdown")


def export(call: Invocation) -> int:
    """Print plans for another store, or for people."""
    screen = call.screen
    if call.word("format") == "markdown":
        screen.print(screen.text(line) for line in to_markdown(call.board(call.known_key).plan).splitlines())
        return Exit.OK
    if call.word("agent") is not None:
        raise Misuse("--agent is for --format markdown: JSON has every agent of a session")
    named = call.known_key.session if call.word("session") is not None else None
    screen.print_json_text(export_json(call.store, named))
    return Exit.OK


def import_(call: Invocation) -> int:
    """Read plans that were exported, or a list in Markdown."""
    text = text_of(call.word("file") or "-")
    is_export = text.lstrip()[:1] == "{"
    if is_export and (call.word("session") is not None or call.word("agent") is not None):
        raise Misuse("an export names its own sessions and agents: --session and --agent are for a Markdown list")
    overwrite = call.flag("overwrite")
    keys = import_json(text, call.store, overwrite) if is_export else [_markdown(call, text, overwrite)]
    if call.wants_json:
        call.screen.print_json([key._asdict() for key in keys])
    else:
        call.screen.print(f"Imported {call.screen.text(f'{session} / {agent}')}" for session, agent in keys)
    return Exit.OK


def _markdown(call: Invocation, text: str, overwrite: bool) -> Key:
    """Make a Markdown list the plan of a board."""
    draft = from_markdown(text)
    board = call.board()
    if not draft.wishes:
        raise Refusal(f"no list in {_named(call.word('file'))}: write the todos as `- [ ] text`, or give a JSON export")
    if board.plan.open and not overwrite:
        raise Refusal(
            f"the plan has {len(board.plan.open)} open todos: say --overwrite to replace it, or name a --session"
        )
    done(board.update(_items(draft), draft.summary))
    return call.key


def _items(draft: Draft) -> list[dict[str, object]]:
    return [{"content": wish.content, "status": str(wish.status or Status.PENDING)} for wish in draft.wishes]


def text_of(path: str) -> str:
    """The text of a file, or with `-` of standard input. Raises Refusal if it cannot be read."""
    named = _named(path)
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except OSError as error:
        raise Refusal(f"{named} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{named} is not UTF-8 text: save it as such") from error


def _named(path: str | None) -> str:
    return "standard input" if path in (None, "-") else str(path)


COMMANDS = (
    Command(
        "export",
        "Print all plans with their history as JSON, or one as a Markdown list. With --session, JSON has only its own.",
        export,
        (Argument("--format", "what to print; json if not said", choices=FORMATS),),
        (
            Example("holdfast export > plans.json", "everything, for `holdfast import` elsewhere"),
            Example("holdfast export --session nightly --format markdown", "one plan, for people"),
        ),
    ),
    Command(
        "import",
        "Read what `holdfast export` printed, or a Markdown list.",
        import_,
        (
            Argument("FILE", "a JSON export or a Markdown list; - or nothing for standard input", many="?"),
            Argument("--overwrite", "replace a plan that is already there; its history stays"),
        ),
        (
            Example("holdfast import plans.json", "every plan of the export"),
            Example("holdfast import --session nightly TODO.md", "a list that was written by hand"),
        ),
        "a list, each with `session`, `agent`",
    ),
)
