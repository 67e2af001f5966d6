"""The command `watch`. What it shows is in `watch`, which is loaded only when it is asked for."""

from ..command import Argument, Command, Example, Uses
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Follow one session, or all."""
    from ...terminal.watch import watch

    return watch(call.word("db"), call.word("session"), call.flag("once"))


COMMANDS = (
    Command(
        "watch",
        "Watch the plans of one session, or of all, as they change.",
        run,
        (
            Argument("--session", "only this session", "NAME"),
            Argument("--once", "print what there is now, and end"),
        ),
        (
            Example("holdfast watch", "every session"),
            Example("holdfast watch --session nightly", "one session and its subagents"),
        ),
        uses=Uses.STORE,
    ),
)
