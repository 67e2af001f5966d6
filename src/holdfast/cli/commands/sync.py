"""The command `sync`: a plan and a Markdown file kept alike, so that a plan can travel with the code."""

import os
import zlib
from contextlib import suppress

from ...board import Board
from ...plan import Change, Plan
from ...plan.fault import Refusal
from ...plan.step import Step, Written
from ...stores import Key
from ...stores.locate import state_folder
from ...terminal.log import change_lines
from ...text import brief
from ...transfer.sync import Merged, SyncBase, apply_merge, base_of, merge, to_file
from ..command import Argument, Command, Example, Exit
from ..invocation import CommandError, Invocation
from ..person_edit import edited_plan
from ..question import YES, confirm_emptying
from ..text_input import read_text

BASES = "sync"
TRIES = 3
"""How often to begin again because somebody saved the file meanwhile."""


def run(call: Invocation) -> int:
    """Bring a plan and a file to the same, and say what became of each."""
    path = os.path.abspath(call.word("file") or "")
    key = call.exact_key if call.flag("new") or not call.has_plans else call.known_key
    board = call.board(key)
    for _ in range(TRIES):
        text = _read(path)
        base = _read_base(call, key, path) if text is not None else None
        merged = merge(base, text or "", board.plan)
        wanted = _after(board, merged)
        if call.flag("dry_run"):
            return _report(call, key, path, board.plan, wanted, merged, to_file(text or "", wanted) != text)
        confirm_emptying(call, key, board.plan, wanted)
        before, plan = board.plan, edited_plan(board.apply(_step(board, base, text or ""), "sync", "person"))
        new = to_file(text or "", plan)
        if new == text or _write(path, text, new):
            _write_base(call, key, path, base_of(plan))
            return _report(call, key, path, before, plan, merged, new != text)
    raise CommandError(
        f"{path} was changed by another program {TRIES} times during the sync: try again; the plan has its todos"
    )


def _step(board: Board, base: SyncBase | None, text: str) -> Step:
    """The merge with the plan as it is by then, even if somebody has changed it meanwhile."""

    def step(plan: Plan, now: float) -> Written | Refusal:
        return apply_merge(merge(base, text, plan), plan, board.rules, now)

    return step


def _after(board: Board, merged: Merged) -> Plan:
    """The plan that a merge leads to. Raises CommandError if it breaks a rule."""
    result = apply_merge(merged, board.plan, board.rules, board.plan.updated_at)
    if isinstance(result, Refusal):
        raise CommandError("; ".join(f"{fault.path}: {fault.message}" for fault in result.faults))
    return result.plan


def _report(call: Invocation, key: Key, path: str, before: Plan, after: Plan, merged: Merged, writes: bool) -> int:
    """Print what changes on either side. A dry run ends with exit code 1 if anything would."""
    screen, name, is_dry = call.screen, os.path.basename(path), call.flag("dry_run")
    changes = change_lines(Change(before, after, "person", "sync"), screen.columns)
    if call.wants_json:
        data = {"plan_changed": bool(changes), "file_changed": writes, "notes": list(merged.notes)}
        screen.print_json({**key._asdict(), "file": path, **data})
    else:
        screen.print_text(f"{key.session} / {key.agent} and {name}{': a dry run' if is_dry else ''}")
        screen.print(changes)
        screen.print_text(*(f"  ! {brief(note, 200)}" for note in merged.notes))
        results = [f"The plan {'would take' if is_dry else 'took'} this from {name}."] if changes else []
        results += [f"{name} {'would be' if is_dry else 'was'} written."] if writes else []
        screen.print_text(" ".join(results) or "Both say the same.")
    return Exit.REFUSED if is_dry and (changes or writes) else Exit.OK


def _read(path: str) -> str | None:
    """The text of the file, with the ends of its lines as they are; None if there is no file."""
    return read_text(path, newline="") if os.path.exists(path) else None


def _write(path: str, seen: str | None, text: str) -> bool:
    """Put a new text in the place of the one that was seen, whole or not at all; False if it is another by now."""
    draft = f"{path}.{os.getpid()}.new"
    try:
        with open(draft, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if seen is not None:
            os.chmod(draft, os.stat(path).st_mode & 0o777)
        if _read(path) != seen:
            return False
        os.replace(draft, path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            os.unlink(draft)
    return True


def _base_path(call: Invocation, key: Key, path: str) -> str:
    """Where the base of a plan and a file is kept, among what the user's programs keep between runs."""
    what = "\0".join((call.database, *key, path)).encode("utf-8", "surrogateescape")
    name = f"{zlib.crc32(what):08x}-{zlib.adler32(what[::-1]):08x}.json"
    return os.path.join(state_folder(call.environ), BASES, name)


def _read_base(call: Invocation, key: Key, path: str) -> SyncBase | None:
    try:
        with open(_base_path(call, key, path), encoding="utf-8") as file:
            return SyncBase.from_json(file.read())
    except (OSError, ValueError):
        return None


def _write_base(call: Invocation, key: Key, path: str, base: SyncBase) -> None:
    target = _base_path(call, key, path)
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        with open(f"{target}.new", "w", encoding="utf-8") as file:
            file.write(base.to_json())
        os.replace(f"{target}.new", target)
    except OSError as error:
        raise CommandError(f"the state of this sync cannot be saved ({error.strerror}): {target}") from error


COMMAND = Command(
    "sync",
    "Sync a plan with a Markdown file, in both directions, so that a plan can be reviewed with the code. What one side "
    "has changed since the last sync, the other takes over. Where both have changed the same, the file wins, and a "
    "note says so. Notes and code in the file stay.",
    run,
    (
        Argument("FILE", "the Markdown file; it is created if it does not exist"),
        Argument("--dry-run", "show what would change, and change nothing; the exit code is 1 if anything would"),
        Argument("--new", "the session, or the agent, may be a new one"),
        YES,
    ),
    (
        Example("holdfast sync PLAN.md", "the plan here and the file, both up to date"),
        Example("holdfast sync PLAN.md --dry-run", "for CI: fails if the file is behind"),
    ),
    "`session`, `agent`, `file`, `plan_changed`, `file_changed`, `notes`",
)
