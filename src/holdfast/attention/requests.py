"""What a user asks for in plain sentences, request by request.

"Create a.txt. Then rename b.txt to c.txt, and I need a folder called d. Thanks!" is a plan as it stands, though it is
no list. Small models do not see that: they plan one todo for all of it, or one for each name. A text that tells or asks
something of a file, forbids something, or asks for something without a name is left to the model. So is every language
but English.
"""

from typing import NamedTuple

from ..plan.names import named_in
from ..text import pattern

MOST_CHARACTERS = 2000
"""How long a text of requests may be: a longer one is mostly material."""

_BETWEEN_SENTENCES = r"(?<=[.!?])\s+|\n+"
_BETWEEN_REQUESTS = r"(?i),? and (?:then |also )?|[,;] (?:then |also )?"
_LEADING_WORDS = (
    r"(?i)(?:(?:and|then|also|first|next|finally|lastly|after that|please|just|(?:could|can|would) you)\b,?\s*)+"
)
_POLITE = r"(?i)(?:could|can|would) you\b"
_VERB = (
    r"(?i)(?:add|append|apply|build|call|change|clean|clear|commit|compile|convert|copy|correct|count|create|delete"
    r"|download|drop|edit|empty|extend|extract|fill|fix|format|generate|get|give|implement|insert|install|join|link|list"
    r"|make|mend|merge|move|open|prepend|print|put|read|refactor|remove|rename|repair|replace|rewrite|run|save|set|sort"
    r"|split|store|swap|switch|test|translate|turn|update|upgrade|use|write)\b"
)
_ASKING = r"(?i)\b(?:(?:I|we) (?:need|want|would like)|should|must|needs|has to|have to|can go|is to be)\b"
_FORBIDDING = r"(?i)\b(?:not|never|nothing|unless|except|instead)\b|n['’]t\b"
_REFERRING_BACK = (
    r"(?i)\b(?:it|them|this|those|that (?!says|has|is|prints|contains)\w+)\b(?! (?:should|must|can|says?)\b)"
)
"""What only the request before it explains: `call it b.txt`, `write that number to c.txt`."""


class Requests(NamedTuple):
    """What a text asks for, one by one and in its own words, and what it says beside that."""

    points: tuple[str, ...] = ()
    beside: str = ""


def requests_in(text: str) -> Requests:
    """The requests that a text is made of, each with the name of what it is about, such as a file.

    None if there is only one, or if it is not plain what the text asks for.
    """
    if len(text) > MOST_CHARACTERS or "```" in text:
        return Requests()
    points: list[str] = []
    beside: list[str] = []
    for sentence in sentences_of(text):
        found = _requests_of(sentence)
        if not found and (named_in(sentence) or _asks(_plain(sentence))):
            return Requests()
        points += found
        beside += [] if found else [sentence]
    return Requests(tuple(points), " ".join(beside)) if 1 < len(points) == len({*points}) else Requests()


def named_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text that name something, and ask nothing: what it may want, if nobody can tell better."""
    if len(text) > MOST_CHARACTERS or "```" in text:
        return ()
    named = [_plain(each) for each in sentences_of(text) if not each.endswith("?") and named_in(each)]
    return tuple(dict.fromkeys(named)) if len(named) > 1 else ()


def sentences_of(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence.strip() for sentence in pattern(_BETWEEN_SENTENCES).split(text) if sentence.strip()]


def _requests_of(sentence: str) -> list[str]:
    """The requests in a sentence; none if it is not plainly made of them."""
    is_question = sentence.endswith("?") and not pattern(_POLITE).match(sentence)
    if is_question or pattern(_FORBIDDING).search(sentence):
        return []
    parts = _split(_plain(sentence))
    return parts if all(map(_is_request, parts)) else []


def _plain(sentence: str) -> str:
    """A sentence without the words that only link it to others, and without its end."""
    leading = pattern(_LEADING_WORDS).match(sentence)
    return sentence[leading.end() if leading is not None else 0 :].rstrip(" .!?").removesuffix(", please")


def _split(sentence: str) -> list[str]:
    """The requests that a sentence joins, where each can stand by itself; otherwise the sentence."""
    parts, start = [], 0
    links = [link.span() for link in pattern(_BETWEEN_REQUESTS).finditer(sentence)]
    ends = [begin for begin, _ in links[1:]] + [len(sentence)]
    for (begin, end), next_begin in zip(links, ends, strict=False):
        words = sentence[end:next_begin]
        if _is_request(sentence[start:begin]) and _is_request(words) and not pattern(_REFERRING_BACK).search(words):
            parts.append(sentence[start:begin])
            start = end
    return [*parts, sentence[start:]]


def _is_request(words: str) -> bool:
    """Whether some words ask for something, and name it."""
    return _asks(words) and any(not name.isdecimal() for name in named_in(words))


def _asks(words: str) -> bool:
    return pattern(_VERB).match(words) is not None or pattern(_ASKING).search(words) is not None
