"""Text of a model or a person, made safe for display. It is stored as given, and each output cleans it for itself."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

ELLIPSIS = "…"
LONGEST_DESCRIPTION = 40

_SPACES = dict.fromkeys([*range(0x09, 0x0E), 0x1C, 0x1D, 0x1E, 0x1F, 0x85, 0x2028, 0x2029], " ")
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_HIDDEN = (
    range(0x80, 0xA0),  # the C1 control characters
    (0x061C, 0x200E, 0x200F),
    range(0x202A, 0x202F),
    range(0x2066, 0x206A),  # marks, embeddings, overrides and isolates that change the direction of text
    range(0xD800, 0xE000),  # lone surrogates, which cannot be encoded
    range(0xFFF9, 0xFFFC),
    range(0x13430, 0x13440),
)
_VARIANTS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_OBEYED = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb\U00013430-\U0001343f"
_JOINED = (
    "\u0600-\u109f\u1780-\u18af\u2190-\u2bff\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U00011000-\U00011fff\U0001f000-\U0001ffff"
)
_UNSEEN = (
    f"[{_INVISIBLE}]"  # spaces without width, fillers, and tags, which can carry a whole text
    # Selectors of a variant where there is none to select: a row of them spells any text. Joiners that join nothing.
    f"|(?<=[{_INVISIBLE}{_VARIANTS}{_OBEYED}\u200c\u200d])[{_VARIANTS}]"
    "|(?<![0-9#*\u00a9\u00ae\u0600-\U0010ffff])[\ufe0e\ufe0f]|(?<![\u0600-\U0010ffff])[\ufe00-\ufe0d]"
    "|(?<![\u1820-\u18aa])[\u180b-\u180d\u180f]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    f"|(?<![{_JOINED}])[\u200c\u200d]"
)
"""What Unicode lets no one see, but for what other characters need: as emoji, and the scripts of Asia."""

_SHOWN_FORMATS = "\u00ad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


def one_line(text: str) -> str:
    """The text on one line: breaks become spaces, and what would be obeyed or not be seen becomes visible."""
    text = text if text.isprintable() else text.translate(_one_line_table())
    return text if text.isascii() else spell_unseen(text, lambda _: "\ufffd")


@cache  # made when it is first used: most texts need no other character
def _one_line_table() -> dict[int, str]:
    return dict.fromkeys(chain(*_HIDDEN), "\ufffd") | _PICTURES | _SPACES


def is_plain(text: str) -> bool:
    """Whether every character of a text is seen, and none is obeyed."""
    return text.isprintable() and (text.isascii() or one_line(text) == text)


def spell_unseen(text: str, spell: Callable[[str], str]) -> str:
    """The text with everything in it that nobody sees spelled in another way."""
    if text.isascii() or pattern(f"[{_INVISIBLE}{_VARIANTS}\u200c\u200d]").search(text) is None:
        return text
    return pattern(_UNSEEN).sub(lambda found: spell(found[0]), text)


@cache
def pattern(of: str) -> "re.Pattern[str]":
    """A compiled pattern. It is compiled when it is first used: most programs need few of ours."""
    return re.compile(of)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters, with an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + ELLIPSIS


def brief(text: str, limit: int) -> str:
    """The text on one line, in at most `limit` characters. Its cost does not grow with the text."""
    return shorten(one_line(text[: limit + 1]), limit)


def width(text: str) -> int:
    """How many columns the text takes in a terminal."""
    return len(text) if text.isascii() else sum(columns for _, columns in clusters(text))


def fit(text: str, columns: int) -> str:
    """The text in at most `columns` columns, with an ellipsis where it was cut."""
    if len(text) <= columns and text.isascii():
        return text
    pieces: list[str] = []
    used = fits = 0
    for cluster, wide in clusters(text):
        if used + wide > columns:
            return "".join(pieces[:fits]) + ELLIPSIS if columns > 0 else ""
        pieces.append(cluster)
        used += wide
        if used < columns:
            fits = len(pieces)
    return "".join(pieces)


def pad(text: str, columns: int) -> str:
    """The text in exactly `columns` columns."""
    text = fit(text, columns)
    return text + " " * (columns - width(text))


def markdown(text: str) -> str:
    """The text on one line, escaped for Markdown."""
    line = one_line(text).strip()
    escaped = "".join(_escape(line, at) for at in range(len(line)))
    head = escaped[:1]
    if head in ("#", "+", "-", "=", ">"):
        return "\\" + escaped
    number = escaped[: len(escaped) - len(escaped.lstrip("0123456789"))]
    if number and escaped[len(number) : len(number) + 1] in (".", ")"):
        return number + "\\" + escaped[len(number) :]
    return escaped


def is_encodable(text: str, encoding: str = "utf-8") -> bool:
    """Whether an encoding has every character of a text. No encoding has a lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def is_whole_number(text: str, digits: int) -> bool:
    """Whether a text is a whole number in ASCII, with at most so many digits: `int` accepts more than that."""
    return text.isascii() and text.isdecimal() and len(text) <= digits


def counted(count: int, thing: str) -> str:
    """A number with its noun: `1 line`, `2 lines`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def describe(value: object) -> str:
    """A received value in a few words, for a message: `'done'`, `a list`, `null`."""
    if isinstance(value, str):
        return f"'{brief(value, LONGEST_DESCRIPTION)}'"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}" if -1e15 < value < 1e15 else "a number"
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if hasattr(value, "keys") else f"a {type(value).__name__}"


def _escape(line: str, at: int) -> str:
    char = line[at]
    if char == "_":
        inside = 0 < at < len(line) - 1 and line[at - 1].isalnum() and line[at + 1].isalnum()
        return char if inside else "\\_"
    if char == "<":
        return "&lt;"
    if char == "&":
        return "&amp;"
    return "\\" + char if char in "\\`*[]~|" else char


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """The text in pieces that a terminal keeps together, each with its columns.

    Marks and joiners belong to the piece before them, and so do a picture's skin tone, the picture joined to it, and
    the second half of a flag. A variation selector asks for the wide form.
    """
    cluster, columns = "", 0
    for char in text:
        if cluster and _belongs(char, cluster):
            columns = 2 if char == "\ufe0f" and _has_wide_form(cluster[0]) else columns
            cluster += char
            continue
        if cluster:
            yield cluster, columns
        cluster, columns = char, _columns(char)
    if cluster:
        yield cluster, columns


def _belongs(char: str, cluster: str) -> bool:
    """Whether a character is shown as a part of the piece before it."""
    if char.isascii():
        return False
    import unicodedata  # most texts need it never, and it takes a while to load

    if char == "\u200d" or "\ufe00" <= char <= "\ufe0f" or unicodedata.combining(char):
        return True
    if "🏻" <= char <= "🏿":
        return _is_picture(cluster[0])
    if _is_half_flag(char):
        return len(cluster) == 1 and _is_half_flag(cluster)
    return cluster[-1] == "\u200d" and _is_picture(cluster[0]) and _is_picture(char)


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    import unicodedata

    category = unicodedata.category(char)
    if category in ("Mn", "Me") or (category == "Cf" and char not in _SHOWN_FORMATS) or _is_inner_jamo(char):
        return 0
    if category == "Cn":  # newer than this Python's tables, which call all of them wide
        return 2 if "\U0001f300" <= char <= "\U0001faff" or "\U00020000" <= char <= "\U0003fffd" else 1
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") or _is_half_flag(char) else 1


def _is_picture(char: str) -> bool:
    import unicodedata

    return char > "\u2000" and unicodedata.category(char) in ("So", "Sm", "Cn")


def _is_half_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_inner_jamo(char: str) -> bool:
    """Whether it is a vowel or a final consonant of a Hangul syllable, displayed inside the first consonant."""
    return "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb"


def _has_wide_form(char: str) -> bool:
    return char in "#*0123456789©®‼⁉ℹ" or _is_picture(char)
