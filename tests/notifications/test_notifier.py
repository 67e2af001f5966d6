"""The notifier: each event is sent once, and what goes wrong is reported."""

import shutil
from pathlib import Path

from holdfast import Board, Status
from holdfast.notifications.channels import NotSent
from holdfast.notifications.events import KINDS, PlanEvent
from holdfast.notifications.ledger import Ledger
from holdfast.notifications.notifier import Notifier, NotifierSettings
from holdfast.stores.memory import MemoryStore


class Recorder:
    """A channel that records what it is to send, or refuses it."""

    name = "recorder"

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.is_broken = False

    def send(self, event: PlanEvent) -> None:
        """Record it."""
        if self.is_broken:
            raise NotSent("broken")
        self.sent.append(event.title)


def notifier(channel: Recorder, folder: Path, complaints: list[str]) -> Notifier:
    """A notifier of a store with a blocked todo."""
    store = MemoryStore()
    board = Board.for_person(store, "api", "main")
    board.add("Ask for the key")
    board.edit("1", status=Status.BLOCKED)
    settings = NotifierSettings([channel], Ledger(str(folder)), KINDS, 600.0)
    return Notifier(store, None, settings, complaints.append, "here")


def test_an_event_is_sent_once(tmp_path: Path) -> None:
    """Also by two notifiers; what could not be sent is tried again."""
    channel, complaints = Recorder(), list[str]()
    channel.is_broken = True
    notifier(channel, tmp_path, complaints).send_due()
    assert complaints == ["not sent: api is blocked: broken"]
    channel.is_broken = False
    for _ in range(2):
        notifier(channel, tmp_path, complaints).send_due()
    assert channel.sent == ["api is blocked"] and len(complaints) == 1


def test_what_cannot_be_recorded_is_not_sent_but_reported(tmp_path: Path) -> None:
    """It would be sent again and again; and the notifier goes on."""
    channel, complaints = Recorder(), list[str]()
    broken = notifier(channel, tmp_path / "told", complaints)
    shutil.rmtree(tmp_path / "told")
    broken.send_due()
    assert channel.sent == []
    (complaint,) = complaints
    assert complaint.startswith("not sent: api is blocked: it cannot be recorded (No such file or directory): ")
