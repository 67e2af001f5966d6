"""Text that a model or a person wrote, made safe to show. It is stored as given; every output cleans it for itself."""

import unicodedata

ELLIPSIS = "…"

_SPACES = dict.fromkeys([*range(0x09, 0x0E), 0x1C, 0x1D, 0x1E, 0x1F, 0x85, 0x2028, 0x2029], " ")
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_HIDDEN = dict.fromkeys(
    [
        *range(0x80, 0xA0),  # the second set of control characters
        0x061C,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),  # marks, embeddings, overrides and isolates that turn the direction of text
        *range(0xD800, 0xE000),  # halves of a pair, which cannot be encoded
        0xFEFF,
    ],
    "\ufffd",
)
_ONE_LINE = _HIDDEN | _PICTURES | _SPACES


def one_line(text: str) -> str:
    """The text on one line: breaks become spaces, control characters and direction overrides become visible."""
    return text if text.isprintable() else text.translate(_ONE_LINE)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters, with an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + ELLIPSIS


def width(text: str) -> int:
    """How many columns the text takes in a terminal."""
    return len(text) if text.isascii() else sum(columns for _, columns in _clusters(text))


def fit(text: str, columns: int) -> str:
    """The text in at most `columns` columns, with an ellipsis where it was cut."""
    if len(text) <= columns and text.isascii():
        return text
    kept: list[str] = []
    used = fits = 0
    for cluster, wide in _clusters(text):
        if used + wide > columns:
            return "".join(kept[:fits]) + ELLIPSIS if columns > 0 else ""
        kept.append(cluster)
        used += wide
        if used < columns:
            fits = len(kept)
    return "".join(kept)


def pad(text: str, columns: int) -> str:
    """The text in exactly `columns` columns."""
    text = fit(text, columns)
    return text + " " * (columns - width(text))


def markdown(text: str) -> str:
    """The text on one line, for Markdown: shown as it is, with no mark in it obeyed."""
    line = one_line(text).strip()
    escaped = "".join(_escaped(line, at) for at in range(len(line)))
    head = escaped[:1]
    if head in ("#", "+", "-", "=", ">"):
        return "\\" + escaped
    number = escaped[: len(escaped) - len(escaped.lstrip("0123456789"))]
    if number and escaped[len(number) : len(number) + 1] in (".", ")"):
        return number + "\\" + escaped[len(number) :]
    return escaped


def describe(value: object) -> str:
    """What was received, in a few words fit for a message: `'done'`, `a list`, `null`."""
    if isinstance(value, str):
        return f"'{shorten(one_line(value), 40)}'"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}" if -1e15 < value < 1e15 else "a number"
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if hasattr(value, "keys") else f"a {type(value).__name__}"


def _escaped(line: str, at: int) -> str:
    char = line[at]
    if char == "_":
        inside = 0 < at < len(line) - 1 and line[at - 1].isalnum() and line[at + 1].isalnum()
        return char if inside else "\\_"
    if char == "<":
        return "&lt;"
    if char == "&":
        return "&amp;"
    return "\\" + char if char in "\\`*[]~|" else char


def _clusters(text: str) -> list[tuple[str, int]]:
    """The text in pieces that a terminal keeps together, each with its columns.

    Marks, joiners and what is joined belong to the piece before them; a variation selector asks for the wide form.
    """
    clusters: list[tuple[str, int]] = []
    joined = False
    for char in text:
        if clusters and (joined or _extends(char)):
            before, columns = clusters[-1]
            wide = 2 if char == "\ufe0f" and columns == 1 and not before.isascii() else columns
            clusters[-1] = (before + char, wide)
        else:
            clusters.append((char, _columns(char)))
        joined = char == "\u200d"
    return clusters


def _extends(char: str) -> bool:
    return char == "\u200d" or "\ufe00" <= char <= "\ufe0f" or "🏻" <= char <= "🏿" or bool(unicodedata.combining(char))


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
