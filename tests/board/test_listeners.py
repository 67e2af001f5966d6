"""Who is called with a change: each listener with all of them, in their order, and no listener can undo one."""

import logging

import pytest

from holdfast import Board, Change, Notice, Plan, Reply

ABC = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}


class TestListeners:
    def test_they_hear_every_change_in_order(self) -> None:
        """Writes, edits and updates reach a listener one after the other, each from where the last one ended."""
        board, heard = Board(), list[Change]()
        board.on_change(heard.append)
        board.write(ABC)
        board.edit("1", status="in_progress")
        board.update([{"id": "2", "content": "B2"}])
        board.clear()
        assert [(change.by, change.action) for change in heard] == [
            ("model", "write"),
            ("person", "edit"),
            ("host", "update"),
            ("person", "clear"),
        ]
        assert [change.before for change in heard[1:]] == [change.after for change in heard[:-1]]

    def test_one_that_raises_is_logged_and_the_write_stands(self, caplog: pytest.LogCaptureFixture) -> None:
        """A listener's error is in the log with its traceback; the write is safe, and other listeners get it."""
        board, heard = Board(), list[Change]()

        def broken(change: Change) -> None:
            raise RuntimeError("no")

        board.on_change(broken)
        board.on_change(heard.append)
        with caplog.at_level(logging.ERROR, "holdfast"):
            reply = board.write(ABC)
        assert reply.ok and len(board.plan.todos) == 3 and len(heard) == 1
        [record] = caplog.records
        assert record.name == "holdfast"
        assert record.getMessage().startswith("holdfast: the listener '<function")
        assert record.getMessage().endswith("' failed; the change stands")
        assert record.exc_info is not None and isinstance(record.exc_info[1], RuntimeError)

    def test_unsubscribing_ends_it(self) -> None:
        """After it unsubscribed, a listener is not called any more; doing it twice does no harm."""
        board, heard, others = Board(), list[Change](), list[Change]()
        unsubscribe = board.on_change(heard.append)
        board.on_change(others.append)
        board.write(ABC)
        unsubscribe()
        unsubscribe()
        board.clear()
        assert (len(heard), len(others)) == (1, 2)

    def test_the_change_is_safe_before_they_hear(self) -> None:
        """When a listener is called, the board already holds the new plan."""
        board = Board()
        seen: list[Plan] = []
        board.on_change(lambda change: seen.append(board.plan))
        board.write(ABC)
        assert seen == [board.plan]

    def test_a_notice_reaches_the_reply(self) -> None:
        """What a listener wants said stands in the envelope: a line for the user, fields in the data."""
        board = Board(dialect="envelope")
        board.on_change(lambda change: Notice("(Saved to x.md)", {"persisted_to": "x.md"}))
        reply = board.write({"summary": "S", "todos": [{"content": "A", "status": "completed"}]})
        assert reply.data is not None
        assert str(reply.data["text"]).endswith("\n(Saved to x.md)")
        assert reply.data["data"]["persisted_to"] == "x.md"


def test_a_listener_that_writes_is_told_of_its_own_change_next() -> None:
    """Every listener gets the changes in their order, even when one of them makes another."""
    board = Board()
    heard: list[int] = []

    def finishes(change: Change) -> None:
        if change.action == "write":
            board.edit("1", status="completed")

    board.on_change(finishes)
    board.on_change(lambda change: heard.append(change.after.revision))
    board.write({"todos": [{"content": "A"}]})
    assert heard == [1, 2]


def test_a_listener_that_writes_gets_a_reply_before_others_know() -> None:
    """What they want said of its change comes too late for that reply, and is no part of it."""
    board, replies = Board(dialect="envelope"), list[Reply]()

    def writes(change: Change) -> None:
        if not replies:
            replies.append(board.write({"summary": "S", "todos": [{"content": "B", "status": "completed"}]}))

    board.on_change(writes)
    board.on_change(lambda change: Notice("(Saved to x.md)", {"persisted_to": "x.md"}))
    outer = board.write({"summary": "S", "todos": [{"content": "A", "status": "completed"}]})
    assert replies[0].ok and "x.md" not in replies[0].text and "x.md" in outer.text


def test_one_that_is_broken_off_does_not_silence_the_rest() -> None:
    """Ctrl-C in the middle of a listener reaches the host; the next change is delivered as usual."""
    board, heard = Board(), list[int]()

    def interrupted_once(change: Change) -> None:
        heard.append(change.after.revision)
        if len(heard) == 1:
            raise KeyboardInterrupt

    board.on_change(interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        board.write(ABC)
    board.clear()
    assert heard == [1, 2]
