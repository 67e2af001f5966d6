"""What a user asks for in plain sentences, request by request.

"Create a.txt. Then rename b.txt to c.txt, and I need a folder called d. Thanks!" is a plan as it stands, though it is
no list. Small models do not see that: they plan one todo for all of it, or one for each name. A text that says more
than that is left to the model: one that asks a question, tells something of a file, forbids something, asks for
something without a name, or has code in it. So is every language but English.
"""

from typing import NamedTuple

from ..plan.names import named_in
from ..text import pattern

MOST_CHARACTERS = 2000
"""How long a text of requests may be: a longer one is mostly material."""

_QUOTED = r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)‘[^’\n]*’(?!\w)"
_NEVER_CUT = _QUOTED + r"|\([^()]*\)"
_BETWEEN_SENTENCES = r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+|\n+"
_BETWEEN_REQUESTS = r",? and (?:then |also )?|[,;] (?:then |also )?"
_LEADING_WORDS = (
    r"(?i)(?:(?:and|then|also|first|next|finally|lastly|after that|please|just|(?:could|can|would) you)\b,?\s*)+"
)
_POLITE = r"(?i)(?:(?:and|then|also|please)\b,?\s*)*(?:could|can|would) you\b"
_VERB = (
    r"(?i)(?:add|append|apply|build|call|change|clean|clear|commit|compile|convert|copy|correct|count|create|delete"
    r"|download|drop|edit|empty|extend|extract|fill|fix|format|generate|get|give|implement|insert|install|join|link|list"
    r"|make|mend|merge|move|open|prepend|print|put|read|refactor|remove|rename|repair|replace|rewrite|run|save|set|sort"
    r"|split|store|swap|switch|test|translate|turn|update|upgrade|use|write)(?=[\s:]|$)"
)
_OTHER_VERB = (
    r"(?i)(?:analy[sz]e|answer|ask|check|choose|compare|confirm|decide|deploy|describe|discuss|do not|don['’]t|document"
    r"|ensure|explain|find|ignore|inspect|investigate|keep|leave|look|never(?! mind)|plan|publish|push|reply|report"
    r"|restart|restore|review|revert|search|send|show|start|stop|submit|summari[sz]e|tell|try|undo|upload|verify|wait)\b"
)
"""How a sentence begins that asks for something else than a change of a file, or forbids something."""

_NOT_TO_BE_DONE = r"(?i)(?:do not|don['’]t|never|avoid)\b(?! forget\b)"
_ABOUT_MATERIAL = (
    r"(?i)\b(?:reproduce|repro|expected|actual|happens|observed|symptoms?|options?|alternatives|examples?|errors?|output"
    r"|logs?|background|context|environment|versions?)\b[^.!?]*:$"
)
"""How the words before a list end that is no work: the steps to an error, what came out, what there is to choose."""

_ASKING = r"(?i)\b(?:(?:I|we) (?:need|want|would like)|should|must|needs|has to|have to|can go(?! to\b)|is to be)\b"
_FORBIDDING = r"(?i)\b(?:not|never|nothing|unless|except|instead)\b|n['’]t\b"
_REFERRING_BACK = (
    r"(?i)\b(?:it|them|this|those|that (?!says|has|is|prints|contains)\w+)\b(?! (?:should|must|can|says?)\b)"
)
"""What only the request before it explains: `call it b.txt`, `write that number to c.txt`."""

_ONE = r"(?i)\b(?:its?|(?:this|that) (?:file|folder|directory|number|name|text|line|word|one))\b"
_SEVERAL = r"(?i)\b(?:they|them|their|these|those)\b|^(?:both|each|all)\b"
_SAID = _QUOTED + r"|(?i:\b(?:words?|texts?|lines?):?\s+\S+)"
"""What goes into a file: no later word is about it."""

_MATERIAL = r"(?m)```|~~~|^(?: {4}|\t)\s*\S|[;{}]\s*$|^>"
"""Signs of code, of what a program has printed, and of what somebody else has written."""

_NUMBERED = r"(?s)(?<![^\s(])1[.)]\s.*\s\(?2[.)]\s"
"""A list within a line: its numbers would be taken for the ends of sentences."""


class Requests(NamedTuple):
    """What a text asks for, one by one and in its own words, and what it says beside that."""

    points: tuple[str, ...] = ()
    beside: str = ""


def requests_in(text: str) -> Requests:
    """The requests that a text is made of, each with the name of what it is about, such as a file.

    None if there is only one, or if it is not plain what the text asks for. A request that is about something in the
    one before it is a part of that one.
    """
    if _is_material(text) or pattern(_NUMBERED).search(text):
        return Requests()
    points: list[str] = []
    beside: list[str] = []
    follows_request = False
    for sentence in sentences_of(text):
        found = _requests_of(sentence)
        if found and _refers_back(found[0], _ONE):
            if not follows_request:
                return Requests()
            found[0] = f"{points.pop()}. {found[0]}"
        if not found and _says_more(sentence):
            return Requests()
        points += found
        beside += [] if found else [sentence]
        follows_request = bool(found)
    return Requests(tuple(points), " ".join(beside)) if 1 < len(points) == len({*points}) else Requests()


def named_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text that name something, and ask nothing: what it may want, if nobody can tell better."""
    if _is_material(text):
        return ()
    named = [_plain(each) for each in sentences_of(text) if not each.endswith("?") and named_in(each)]
    return tuple(dict.fromkeys(named)) if len(named) > 1 else ()


def introduces_no_plan(text: str) -> bool:
    """Whether the words around a list ask a question about it, forbid what is in it, or say that it is no work."""
    return any(_is_question(each) or (each.endswith(":") and _introduces_no_work(each)) for each in sentences_of(text))


def _introduces_no_work(words: str) -> bool:
    """Whether the words before a list forbid it, or name material; `fix these errors:` asks for work."""
    plain = _plain(words)
    if pattern(_NOT_TO_BE_DONE).match(plain):
        return True
    return pattern(_ABOUT_MATERIAL).search(words) is not None and not _asks(plain)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text. What is quoted in one is not cut."""
    sentences, start = [], 0
    for begin, end in [*_cuts(text, _BETWEEN_SENTENCES), (len(text), len(text))]:
        sentences.append(text[start:begin].strip())
        start = end
    return [sentence for sentence in sentences if sentence]


def _is_material(text: str) -> bool:
    """Whether a text is too long, or has code or the like in it, or a quotation without an end."""
    if len(text) > MOST_CHARACTERS or pattern(_MATERIAL).search(text):
        return True
    return pattern('["“`]').search(pattern(_QUOTED).sub("", text)) is not None


def _cuts(text: str, between: str) -> list[tuple[int, int]]:
    """Where a text can be cut at what matches a pattern: outside of quotation marks and brackets."""
    found = pattern(f"(?i){_NEVER_CUT}|({between})").finditer(text)
    return [cut.span() for cut in found if cut[1] is not None]


def _requests_of(sentence: str) -> list[str]:
    """The requests in a sentence; none if it is not plainly made of them."""
    if _is_question(sentence) or pattern(_FORBIDDING).search(sentence) or _refers_back(sentence, _SEVERAL):
        return []
    parts = _split(_plain(sentence))
    return parts if all(map(_is_request, parts)) else []


def _is_question(sentence: str) -> bool:
    """Whether a sentence wants an answer; `could you delete a.txt?` does not."""
    return sentence.endswith("?") and not pattern(_POLITE).match(sentence)


def _says_more(sentence: str) -> bool:
    """Whether a sentence that is no request says more than how the requests are meant."""
    plain = _plain(sentence)
    asks_otherwise = pattern(_OTHER_VERB).match(plain) is not None
    return asks_otherwise or _is_question(sentence) or bool(named_in(sentence)) or _asks(plain)


def _refers_back(words: str, about: str) -> bool:
    """Whether some words are about what was named before them: `put "x" into it`."""
    own = pattern(_SAID).sub("", words)
    found = pattern(about).search(own)
    return found is not None and not named_in(own[: found.start()])


def _plain(sentence: str) -> str:
    """A sentence without the words that only link it to others, and without its end."""
    leading = pattern(_LEADING_WORDS).match(sentence)
    return sentence[leading.end() if leading is not None else 0 :].rstrip(" .!?,;").removesuffix(", please")


def _split(sentence: str) -> list[str]:
    """The requests that a sentence joins, where each can stand by itself; otherwise the sentence."""
    parts, start = [], 0
    links = _cuts(sentence, _BETWEEN_REQUESTS)
    ends = [begin for begin, _ in links[1:]] + [len(sentence)]
    for (begin, end), next_begin in zip(links, ends, strict=False):
        words = sentence[end:next_begin]
        if _is_request(sentence[start:begin]) and _is_request(words) and not pattern(_REFERRING_BACK).search(words):
            parts.append(sentence[start:begin])
            start = end
    return [*parts, sentence[start:]]


def _is_request(words: str) -> bool:
    """Whether some words ask for something, and name it: a number or a time is no name."""
    return _asks(words) and any(any(map(str.isalpha, name)) for name in named_in(words))


def _asks(words: str) -> bool:
    return pattern(_VERB).match(words) is not None or pattern(_ASKING).search(words) is not None
