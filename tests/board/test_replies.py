"""What a board answers when something goes wrong: it says so in few words, and never raises."""

import logging

import pytest
from strategies import LISTS, call

from holdfast import Board, Change, Plan
from holdfast.dialects import DialectName, Outcome, Reply
from holdfast.dialects.holdfast import Holdfast
from holdfast.errors import InDoubt, StoreError
from holdfast.plan.fault import IN_DOUBT
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

ABC = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}


class BrokenStore(MemoryStore):
    """A store on a bad day."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.is_broken = True

    def commit(self, key: Key, change: Change) -> None:
        """Fails, while it is broken."""
        if self.is_broken:
            raise self.error
        super().commit(key, change)


class UnreadableStore(MemoryStore):
    """A store that cannot be read."""

    def load(self, key: Key) -> Plan:
        """Fails."""
        raise StoreError("the file is gone")


class TestStoresThatFail:
    @pytest.mark.parametrize("name", LISTS)
    def test_a_store_that_cannot_keep_is_told(self, name: DialectName) -> None:
        """A write that cannot be kept is refused with the store's reason, and the next one may go well."""
        store = BrokenStore(StoreError("disk full"))
        board = Board(dialect=name, store=store)
        heard: list[Change] = []
        board.on_change(heard.append)
        payload = call(board.dialect, ("A", "pending"))
        reply = board.write(payload)
        assert not reply.ok and "disk full" in reply.text
        assert board.plan == Plan() and heard == []
        store.is_broken = False
        assert board.write(payload).ok

    def test_the_unexpected_is_logged_and_told(self, caplog: pytest.LogCaptureFixture) -> None:
        """An error that nobody foresaw becomes a fault, and its traceback is in the log."""
        board = Board(store=BrokenStore(OSError("boom")))
        with caplog.at_level(logging.ERROR, "holdfast"):
            reply = board.write(ABC)
        assert [fault.code for fault in reply.faults] == ["internal"]
        assert "boom" in reply.text and caplog.records[0].exc_info is not None

    def test_a_plan_that_cannot_be_read_is_told(self) -> None:
        """A write to a store that cannot be read is a fault; to look at the plan raises."""
        board = Board(store=UnreadableStore())
        assert [fault.code for fault in board.write(ABC).faults] == ["store"]
        with pytest.raises(StoreError, match="the file is gone"):
            board.plan  # noqa: B018 looking is what fails

    def test_a_write_whose_answer_was_lost_is_not_said_to_have_failed(self) -> None:
        """Nobody knows whether it was kept, and the model is told just that."""
        reply = Board(store=BrokenStore(InDoubt("the answer was lost"))).write(ABC)
        assert [fault.code for fault in reply.faults] == [IN_DOUBT]
        assert reply.text == "the answer was lost"

    def test_an_error_is_told_on_one_line_and_not_for_pages(self) -> None:
        """It may quote anything."""
        reply = Board(store=BrokenStore(StoreError("a\n\x1b[2J" + "x" * 10_000))).write(ABC)
        assert len(reply.text) < 600
        assert reply.text.isprintable()


class Speechless(Holdfast):
    """A dialect that finds no words, neither for what was written nor for what is wrong."""

    def reply(self, outcome: Outcome) -> Reply:
        """Fails."""
        raise RuntimeError("no words")


def test_a_reply_that_fails_neither_raises_nor_hides_what_was_written(caplog: pytest.LogCaptureFixture) -> None:
    """The model reads in plain words whether its plan is saved, and the error is in the log."""
    board = Board(dialect=Speechless())
    with caplog.at_level(logging.ERROR, "holdfast"):
        saved, refused = board.write(ABC), board.write({"todos": 1})
    assert (saved.ok, saved.text, saved.plan) == (True, "The plan is saved.", board.plan)
    assert saved.change is not None and saved.change.after == board.plan
    assert not refused.ok and refused.text == refused.faults[0].message and refused.change is None
    assert ["no words" in str(record.exc_info) for record in caplog.records] == [True, True]
