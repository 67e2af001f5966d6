"""The command `notify`: a person is told when a plan needs one, or is finished."""

import os
import sys
from typing import NamedTuple

from ...notices.channels import Channel, CommandChannel, DesktopChannel, WebhookChannel
from ...notices.events import KINDS, PlanEvent
from ...notices.ledger import Ledger
from ...notices.teller import Teller, Telling
from ...stores.locate import state_folder
from ...terminal.plan import local_time
from ...terminal.screen import Screen
from ...text import describe, one_line
from ...urls import http_url
from ..command import Argument, Command, Example, Exit, Uses, positive_number
from ..invocation import CommandError, Invocation, Misuse

SECRET_VARIABLE = "HOLDFAST_WEBHOOK_SECRET"  # nosec B105: the name of a variable
SHORTEST_SECRET = 16
TOLD = "told"
MINUTES = 30


class LineChannel(NamedTuple):
    """Prints each event on a line. Every run prints what it finds: nothing is remembered."""

    screen: Screen
    name: str

    def send(self, event: PlanEvent) -> None:
        """Print it."""
        self.screen.print_text(f"{local_time(event.at, '%H:%M:%S')} {event.title}: {event.text}")
        self.screen.stream.flush()


def run(call: Invocation) -> int:
    """Tell of what needs a person, and go on with that unless it is to be done once."""
    store = call.projects if call.flag("all") else call.store
    stalled_after = (call.number("stalled_after") or MINUTES) * 60.0
    try:
        ledger = Ledger(os.path.join(state_folder(call.environ), TOLD))
    except OSError as error:
        raise CommandError(f"what was told cannot be remembered ({error.strerror}): {error.filename}") from error
    told = Telling(_channels(call), ledger, _kinds(call), stalled_after)
    teller = Teller(store, call.known_session, told, _complain, call.database)
    if call.flag("once"):
        teller.tell_due()
    else:
        teller.run()
    return Exit.OK


def _kinds(call: Invocation) -> list[str]:
    kinds = [kind.strip() for kind in (call.word("on") or ",".join(KINDS)).split(",")]
    for kind in kinds:
        if kind not in KINDS:
            raise Misuse(f"--on: expected some of {', '.join(KINDS)}, received {describe(kind)}")
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
    "Tell a person when a plan waits for approval, a todo is blocked, an agent has stalled, or a plan is finished. By "
    "a command, a webhook or a note on the desktop, else on a line here. Nothing is told twice, whoever tells it.",
    run,
    (
        Argument("--session", "only this session", "NAME"),
        Argument("--all", "of every project that was used on this machine in the last 30 days"),
        Argument("--on", f"what to tell of, separated by commas; default {','.join(KINDS)}", "EVENTS"),
        Argument("--command", "a command to run: it gets JSON on its input, and HOLDFAST_TITLE, HOLDFAST_TEXT", "LINE"),
        Argument("--webhook", f"an address to post JSON to, signed with {SECRET_VARIABLE}", "URL", of=http_url),
        Argument("--desktop", "a note on the desktop"),
        Argument("--stalled-after", f"minutes without a word; default {MINUTES}", "MINUTES", of=positive_number),
        Argument("--once", "tell of what needs a person now, and end; for cron"),
    ),
    (
        Example("holdfast notify --all --desktop", "a note when an agent of any project needs you"),
        Example("holdfast notify --command 'mail -s \"$HOLDFAST_TITLE\" me' --on blocked", "by mail"),
        Example("holdfast notify --webhook https://hooks.example/plans", "to a server, signed"),
    ),
    uses=Uses.STORE,
)
