"""The command `watch`: the plans of a store as they change."""

from ..command import Argument, Command, Example, Uses
from ..invocation import Invocation


def run(call: Invocation) -> int:
    """Follow one session, or all."""
    from ...terminal.watch import watch

    store, where = (call.projects, call.projects_label) if call.flag("all") else (call.store, call.database_label)
    return watch(store, where, call.known_session, call.flag("once"))


COMMAND = Command(
    "watch",
    "Watch the plans of one session, or of all, as they change.",
    run,
    (
        Argument("--session", "only this session", "NAME"),
        Argument("--all", "of every project that was used on this machine in the last 30 days"),
        Argument("--once", "print the plans as they are now, and end"),
    ),
    (
        Example("holdfast watch", "every session"),
        Example("holdfast watch --all", "every session of every project"),
        Example("holdfast watch --session nightly", "one session and its subagents"),
    ),
    uses=Uses.STORE,
)
