"""Ids for the address bar: a board's key, or a position in a list, as one word that any address can carry."""

import base64
import binascii
import json

from ..plan.pace import Rank
from ..stores import Key

LONGEST_ID = 4_096
"""How much of a word is read: names are shorter."""


def plan_id(key: Key) -> str:
    """The id of a board's plan."""
    return _word([key.session, key.agent])


def key_of(id: str) -> Key | None:
    """The board that an id names; None if it is not an id."""
    match _value(id):
        case [str(session), str(agent)]:
            return Key(session, agent)
    return None


def cursor(rank: Rank) -> str:
    """A position in the list of sessions, to go on from."""
    return _word(list(rank))


def rank_of(cursor: str) -> Rank | None:
    """The position that a cursor names; None if it is not a cursor."""
    match _value(cursor):
        case [int(pace), int(time) | float(time), str(session)]:
            return Rank(pace, time, session)
    return None


def _word(value: list[object] | list[str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


def _value(word: str) -> object:
    try:
        padded = word[:LONGEST_ID].encode("ascii") + b"=" * (-len(word) % 4)
        return json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        return None
