"""The names in a todo's text: files, numbers, quoted words, and words that are said to be literal.

Whoever does "create maple.txt with the word river" has to mention `maple.txt` and `river` somewhere. So a todo whose
names no call has mentioned is probably not done, whatever the model says. Ordinary words are no names: a call for
"fix the parser" need not say "fix".
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from ..text import pattern

MOST_NAMES = 12
"""How many names of one todo are looked for."""

_QUOTED = r"[\"“`]([^\"”`]{2,60})[\"”`]"
_PATH = r"(?<![\w./])(\w+(?:[./]\w+)+)"
_NUMBER = r"(?<![\w.])(\d{2,})(?![\w.])"
_GOES_AWAY = r"(?<!replace the )(?<!remove the )(?<!delete the )"
_LITERAL = _GOES_AWAY + r"\b(?:words?|texts?|line|named|called|titled)\b:?\s+['‘]?([^\W\d_][\w-]+(?:[./]\w+)*)"
"""A word after one that announces it: `the word river`, `a folder named attic`, `a file called b.txt`."""

_FOLDER = r"\b(?:folder|directory)\s+([^\W\d_][\w-]+)(?=\s*(?:$|[.,;:]))"
_NAME = "|".join((_QUOTED, _PATH, _NUMBER, _LITERAL, _FOLDER))
_NO_NAMES = frozenset(
    (
        *("and", "are", "as", "at", "by", "count", "e.g", "for", "from", "i.e", "in", "is", "must", "of", "on", "or"),
        *("should", "that", "the", "this", "to", "with"),
    )
)
"""What may stand where a name is expected."""


@lru_cache(maxsize=1024)  # all todos of a plan, asked for each of them
def named_in(text: str) -> tuple[str, ...]:
    """The names in a text, each once, in lower case."""
    found = (next(group for group in match.groups() if group) for match in pattern(_NAME).finditer(text))
    names = dict.fromkeys(name.strip().lower() for name in found)
    return tuple([name for name in names if name not in _NO_NAMES][:MOST_NAMES])


@lru_cache(maxsize=256)
def names_of(text: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a todo's text. If none of them is its own, also the words that set it apart from similar todos.

    In a list like "write the desk of anvil to all.txt", "write the desk of marble to all.txt", "write the room of
    cabin to all.txt", `anvil` is what the first is about: a call with nothing but `all.txt` may be about any of them.
    """
    names = named_in(text)
    siblings = [other for other in others if other != text]
    if any(sum(name in named_in(other) for other in siblings) < 2 for name in names):
        return names
    words = dict.fromkeys(_words(text))
    shared = {word for word in words if sum(word in _words(other) for other in siblings) > 1}
    own = [word for word in words if word not in shared]
    has_form = len(shared) * 2 >= len(words) and all(len(word) > 2 and word.isalpha() for word in own)
    return (*names, *own)[:MOST_NAMES] if has_form else names


def mentioned(names: Iterable[str], call: str) -> tuple[str, ...]:
    """Which names stand in a call."""
    lowered = call.lower()
    return tuple([name for name in names if name in lowered])


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.lower()))
