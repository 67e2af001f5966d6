"""A question to the person at the terminal, before a command does what is hard to take back."""

import sys

from ..plan import Plan
from ..stores import Key
from ..text import counted
from .command import Argument
from .invocation import CommandError, Invocation

YES = Argument("--yes", "do not ask, do it")


def confirm(call: Invocation, what: str) -> None:
    """Ask whether to go on, unless `--yes` was given. Raises CommandError for a no, or if nobody can answer."""
    if call.flag("yes"):
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise CommandError(f"{what}: add --yes if you mean it")
    call.screen.print_text(what[:1].upper() + what[1:])
    call.screen.stream.write("Go on? [y/N] ")
    call.screen.stream.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was changed")


def confirm_emptying(call: Invocation, key: Key, before: Plan, after: Plan | None) -> int | None:
    """Ask before every todo goes. Returns the revision that was asked about, or None if there was nothing to ask."""
    if after is None or after.todos or not before.todos:
        return None
    what = f"the only todo from the plan of {key.session} / {key.agent}"
    if len(before.todos) > 1:
        what = what.replace("the only todo", f"all {counted(len(before.todos), 'todo')}")
    confirm(call, f"this removes {what}")
    return before.revision
