"""Calls that no board can take, and what holds of every reply to one, in every dialect."""

import json
from typing import Any

import pytest
from strategies import LISTS, call

from holdfast import Board, Change, Reply
from holdfast.dialects import DialectName

every_dialect = pytest.mark.parametrize("name", LISTS)

MEGABYTE = 1_000_000
HUGE = 10 * MEGABYTE
DEEP = 100_000
LONGEST_REPLY = {"envelope": 200_000}


def new_board(name: DialectName) -> Board:
    """A board with one todo on it."""
    board = Board(dialect=name, clock=lambda: 1.0)
    assert board.write(call(board.dialect, ("Old", "pending"))).ok
    return board


def check_reply(board: Board, payload: object) -> Reply:
    """The reply to any payload at all, after a check of what always holds."""
    before, heard = board.plan, list[Change]()
    unsubscribe = board.on_change(heard.append)
    reply = board.write(payload)
    unsubscribe()
    assert reply.text
    assert len(reply.text.encode()) < LONGEST_REPLY.get(board.dialect.name, 100_000)
    assert reply.ok == (not reply.faults)
    assert reply.plan == board.plan
    if not reply.ok:
        assert board.plan is before and heard == []
        assert all(fault.message for fault in reply.faults)
    if board.dialect.name == "envelope":
        assert json.loads(reply.text) == json.loads(json.dumps(reply.data))
    return reply


def refused(board: Board, payload: object) -> Reply:
    """The reply to a payload that cannot be accepted."""
    reply = check_reply(board, payload)
    assert not reply.ok, reply.text[:200]
    return reply


def unwritten(board: Board, payload: object) -> Reply:
    """The reply to a payload that has no list: it is refused, or it asks for the plan, and never writes."""
    before, reply = board.plan, check_reply(board, payload)
    assert reply.ok == board.dialect.form.absent_reads, reply.text[:200]
    assert board.plan is before
    return reply


def nested(depth: int, inside: object = "A") -> Any:
    """A value in so many lists."""
    for _ in range(depth):
        inside = [inside]
    return inside


def with_list(board: Board, value: object) -> dict[str, Any]:
    """A call with this value where its list belongs."""
    return {**call(board.dialect), board.dialect.form.list_field: value}


def in_list(board: Board, *items: object) -> dict[str, Any]:
    """A call with these items."""
    return with_list(board, list(items))


def good_item(board: Board) -> dict[Any, Any]:
    """An item that the board takes."""
    item: dict[Any, Any] = call(board.dialect, ("A", "pending"))[board.dialect.form.list_field][0]
    return item
