"""The command `notify`: people learn when a plan needs them, or is finished."""

import os
import sys
from typing import NamedTuple

from ...notifications.channels import Channel, CommandChannel, DesktopChannel, WebhookChannel
from ...notifications.events import KINDS, PlanEvent
from ...notifications.ledger import Ledger
from ...notifications.notifier import Notifier, NotifierSettings
from ...stores.locate import state_folder
from ...terminal.plan import local_time
from ...terminal.screen import Screen
from ...text import describe, one_line
from ...urls import http_url
from ..command import Argument, Command, Example, Exit, Uses, comma_list, positive_number
from ..invocation import CommandError, Invocation, Misuse

SECRET_VARIABLE = "HOLDFAST_WEBHOOK_SECRET"  # nosec B105: the name of a variable
SHORTEST_SECRET = 16
SENT = "told"
MINUTES = 30


class LineChannel(NamedTuple):
    """Prints each event on a line. Every run prints what it finds: nothing is recorded."""

    screen: Screen
    name: str

    def send(self, event: PlanEvent) -> None:
        """Print it."""
        self.screen.print_text(f"{local_time(event.at, '%H:%M:%S')} {event.title}: {event.text}")
        self.screen.stream.flush()


def run(call: Invocation) -> int:
    """Send what needs a person; without `--once`, never stop."""
    store = call.projects if call.flag("all") else call.store
    stalled_after = (call.number("stalled_after") or MINUTES) * 60.0
    try:
        ledger = Ledger(os.path.join(state_folder(call.environ), SENT))
    except OSError as error:
        raise CommandError(f"what was sent cannot be recorded ({error.strerror}): {error.filename}") from error
    settings = NotifierSettings(_channels(call), ledger, call.words("on") or KINDS, stalled_after)
    notifier = Notifier(store, call.known_session, settings, _complain, call.database)
    if call.flag("once"):
        notifier.send_due()
    else:
        notifier.run()
    return Exit.OK


def event_kinds(word: str) -> tuple[str, ...]:
    """Kinds of events, separated by commas. Raises ValueError for an unknown one."""
    kinds = comma_list(word)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise ValueError(f"expected some of {', '.join(KINDS)}, received {describe(unknown[0])}")
    return kinds


def _channels(call: Invocation) -> list[Channel]:
    command, url = call.word("command"), call.word("webhook")
    channels: list[Channel] = [CommandChannel(command)] if command else []
    if url:
        secret = call.environ.get(SECRET_VARIABLE, "")
        if len(secret) < SHORTEST_SECRET:
            raise Misuse(f"a webhook is signed: set {SECRET_VARIABLE} to {SHORTEST_SECRET} characters or more")
        channels.append(WebhookChannel(url, secret))
    if call.flag("desktop"):
        channels.append(DesktopChannel())
    return channels or [LineChannel(call.screen, f"lines of {os.getpid()}")]


def _complain(words: str) -> None:
    print(f"holdfast: {one_line(words)}", file=sys.stderr, flush=True)


COMMAND = Command(
    "notify",
    "Notify people when a plan waits for approval, a todo is blocked, an agent has stalled, or a plan is finished. By "
    "a command, a webhook or on the desktop; without these, on a line here. No event is sent twice, even by several "
    "processes.",
    run,
    (
        Argument("--session", "only this session", "NAME"),
        Argument("--all", "of every project that was used on this machine in the last 30 days"),
        Argument("--on", f"which events, separated by commas; default {','.join(KINDS)}", "EVENTS", of=event_kinds),
        Argument("--command", "a command to run: it gets JSON on its input, and HOLDFAST_TITLE, HOLDFAST_TEXT", "LINE"),
        Argument("--webhook", f"an address to post JSON to, signed with {SECRET_VARIABLE}", "URL", of=http_url),
        Argument("--desktop", "a notification on the desktop"),
        Argument(
            "--stalled-after",
            f"after how many minutes without a change an agent has stalled; default {MINUTES}",
            "MINUTES",
            of=positive_number,
        ),
        Argument("--once", "send what needs a person now, and end; for cron"),
    ),
    (
        Example("holdfast notify --all --desktop", "when an agent of any project needs you"),
        Example("holdfast notify --command 'mail -s \"$HOLDFAST_TITLE\" me' --on blocked", "by mail"),
        Example("holdfast notify --webhook https://hooks.example/plans", "to a server, signed"),
    ),
    uses=Uses.STORE,
)
