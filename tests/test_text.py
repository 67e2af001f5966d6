"""Text made safe to show: one line, so many columns, no mark obeyed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import wcswidth, wcwidth

from holdfast.text import (
    brief,
    counted,
    describe,
    fit,
    is_encodable,
    is_whole_number,
    markdown,
    one_line,
    pad,
    shorten,
    width,
)

BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
DIRECTION_MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

DISPUTED = {
    *map(chr, [*range(0x2630, 0x2638), *range(0x268A, 0x2690), *range(0x4DC0, 0x4E00), *range(0x1D300, 0x1D380)]),
    "\u3164",
    "\uffa0",
}
"""The symbols of the I Ching and counting rods, wide only since Unicode 16, and the fillers of Hangul."""

any_text = st.text(st.characters(exclude_categories=()))
"""Any string at all, halves of surrogate pairs included."""

shown_text = st.lists(
    st.sampled_from([*"az 09-~", "é", "ñ", "e\u0301", "中", "文", "한", "\u1112\u1161\u11ab", "ｱ", "カ", "日本", "　"])
    | st.sampled_from(["🙂", "👍🏽", "❤️", "👩‍👩‍👧‍👦", "🏴‍☠️", "🇩🇪", "1️⃣", "☃", "✅", "नमस्ते", "ไทย", "עברית", "\u200b"])
).map("".join)
"""Text in many scripts and pictures, whole as people type them."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Fix the bug", "Fix the bug", id="plain text stays"),
        pytest.param("修复 🙂 e\u0301 👩‍👧", "修复 🙂 e\u0301 👩‍👧", id="other scripts, pictures and joiners stay"),
        pytest.param("a\nb\r\nc\td", "a b  c d", id="breaks and tabs become spaces"),
        pytest.param("a\u2028b\u2029c\x85d", "a b c d", id="Unicode's own breaks become spaces"),
        pytest.param("\x1b[31mred\x07", "␛[31mred␇", id="an escape sequence is shown, not obeyed"),
        pytest.param("\x9b2J\x90q", "\ufffd2J\ufffdq", id="an escape sequence of one byte is not obeyed"),
        pytest.param("gpj.\u202eexe", "gpj.\ufffdexe", id="a direction override is shown"),
        pytest.param("\x00\x08\x0e\x7f", "␀␈␎␡", id="control characters are shown"),
        pytest.param("a\x1cb\x1dc\x1ed\x1fe", "a b c d e", id="separators of files and records become spaces"),
        pytest.param("a\xa0b\u202fc\u3000d\ue000", "a\xa0b\u202fc\u3000d\ue000", id="other blanks stay"),
        pytest.param("\ufeffa", "\ufffda", id="a byte order mark is shown"),
        pytest.param("half \ud83d pair", "half \ufffd pair", id="half of a surrogate pair is replaced"),
    ],
)
def test_one_line_shows_what_must_not_be_obeyed(text: str, shown: str) -> None:
    """Line breaks become spaces; control characters and direction marks become visible."""
    assert one_line(text) == shown


@given(any_text)
def test_one_line_lets_nothing_through(text: str) -> None:
    """No control character, break, direction mark or surrogate is left, and every character keeps its place."""
    line = one_line(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in DIRECTION_MARKS for char in line)
    assert len(line.splitlines()) <= 1
    assert len(line) == len(text)


@given(any_text)
def test_one_line_of_one_line_is_the_same(text: str) -> None:
    """What was made safe once is not changed again."""
    assert one_line(one_line(text)) == one_line(text)


@pytest.mark.parametrize("char", [*BREAKS, *DIRECTION_MARKS, *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))])
def test_one_line_knows_every_dangerous_character(char: str) -> None:
    """Each single one of them is replaced."""
    assert char not in one_line(f"a{char}b")


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        pytest.param("abcdef", 6, "abcdef", id="what fits stays whole"),
        pytest.param("abcdef", 5, "abcd…", id="the ellipsis counts"),
        pytest.param("abcdef", 1, "…", id="one character is the ellipsis"),
    ],
)
def test_shorten_cuts_at_a_number_of_characters(text: str, limit: int, short: str) -> None:
    """A text that is too long ends in an ellipsis, within the limit."""
    assert shorten(text, limit) == short


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("plain", 5, id="ascii"),
        pytest.param("修复", 4, id="CJK is two columns wide"),
        pytest.param("ｱｶﾞ", 3, id="half-width kana is one column wide"),
        pytest.param("e\u0301", 1, id="a combining mark takes no column"),
        pytest.param("\u1112\u1161\u11ab", 2, id="a Hangul syllable in pieces is one syllable"),
        pytest.param("🙂", 2, id="emoji"),
        pytest.param("👍🏽", 2, id="an emoji and its skin tone"),
        pytest.param("👩‍👩‍👧‍👦", 2, id="a joined family"),
        pytest.param("👍🏻👍🏿", 4, id="the lightest and the darkest skin tone"),
        pytest.param("🙂‍↔️", 2, id="an emoji joined with an arrow"),
        pytest.param("\U0001fae8\u200d\U0001f525", 2, id="a young emoji joined"),
        pytest.param("❤️", 2, id="a text symbol asked for as emoji"),
        pytest.param("©️®️‼️⁉️ℹ️™️", 12, id="letters and signs asked for as emoji"),
        pytest.param("0️⃣9️⃣#️⃣*️⃣", 8, id="keycaps"),
        pytest.param("a\ufe0f", 1, id="a letter asked for as emoji"),
        pytest.param("☃\u0301", 1, id="a symbol with a mark"),
        pytest.param("🇩🇪🇦🇿", 4, id="two flags"),
        pytest.param("🇩x", 3, id="half a flag"),
        pytest.param("a🏽", 3, id="a skin tone with nobody to wear it"),
        pytest.param("\U0001fae8", 2, id="an emoji younger than Python 3.11"),
        pytest.param("\u0378", 1, id="a code point that is nothing yet"),
        pytest.param("\xad", 1, id="a soft hyphen, which terminals show"),
    ],
)
def test_width_counts_columns(text: str, columns: int) -> None:
    """The width is what a terminal takes, as wcwidth says too."""
    assert width(text) == columns == wcswidth(text)


def test_every_character_is_as_wide_as_wcwidth_says() -> None:
    """One by one, all that this Python knows, but for those on which terminals themselves disagree."""
    wrong = [
        char
        for char in map(chr, range(0xA0, 0x20000))
        if unicodedata.category(char) not in ("Cc", "Cn", "Cs", "Co", "Mc", "Zl", "Zp")
        and char not in DISPUTED
        and width(char) != wcwidth(char)
    ]
    assert wrong == []


@pytest.mark.parametrize("text", ["a\u200db", "中\u200d文", "👩\u200da", "👩\u200d+"])
def test_letters_are_not_joined(text: str) -> None:
    """A joiner between letters hides nothing: a row of them cannot grow out of its box."""
    assert width(text) == sum(width(char) for char in text if char != "\u200d")


@given(shown_text)
def test_width_agrees_with_wcwidth(text: str) -> None:
    """For text as people write it, the width is that of wcwidth."""
    assert width(text) == wcswidth(text)


@given(shown_text, st.integers(0, 30))
def test_fit_never_takes_more_columns(text: str, columns: int) -> None:
    """A fitted text has at most the columns asked for, and is cut only where it must be."""
    fitted = fit(text, columns)
    assert wcswidth(fitted) <= columns
    assert fitted == text or (wcswidth(text) > columns and fitted.endswith("…" if columns else ""))


@given(shown_text, st.integers(0, 30))
def test_pad_takes_exactly_the_columns(text: str, columns: int) -> None:
    """A padded text has exactly the columns asked for."""
    assert wcswidth(pad(text, columns)) == columns


@pytest.mark.parametrize(
    ("text", "columns", "fitted"),
    [
        pytest.param("abc", 3, "abc", id="what fits stays whole"),
        pytest.param("abcd", 3, "ab…", id="the ellipsis counts"),
        pytest.param("修复文档", 8, "修复文档", id="wide text that fits stays whole"),
        pytest.param("修复文档", 7, "修复文…", id="wide text is cut at a whole character"),
        pytest.param("修复文档", 6, "修复…", id="a column that a wide character cannot use stays free"),
        pytest.param("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…", id="a joined emoji is not taken apart"),
        pytest.param("中", 1, "…", id="no room for one wide character"),
        pytest.param("abc", 0, "", id="no room at all"),
        pytest.param("", 5, "", id="nothing to fit"),
    ],
)
def test_fit_cuts_at_a_column(text: str, columns: int, fitted: str) -> None:
    """A text that is too wide is cut between characters, with an ellipsis."""
    assert fit(text, columns) == fitted


def test_fit_reads_no_more_than_it_shows() -> None:
    """A text of ten million characters is cut at once."""
    assert fit("中" * 10_000_000, 5) == "中中…"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        pytest.param("修复 multi_edit 重叠检测", "修复 multi_edit 重叠检测", id="underscores inside a word stay"),
        pytest.param("# title", r"\# title", id="heading"),
        pytest.param("- item", r"\- item", id="list"),
        pytest.param("1. first", r"1\. first", id="numbered list"),
        pytest.param("2) second", r"2\) second", id="numbered list with a bracket"),
        pytest.param("3.5 times", r"3\.5 times", id="a number at the start"),
        pytest.param("> quote", r"\> quote", id="quote"),
        pytest.param("+ item", r"\+ item", id="list with a plus"),
        pytest.param("=== under", r"\=== under", id="underline of a heading"),
        pytest.param("_init and exit_", r"\_init and exit\_", id="underscores at the edges"),
        pytest.param("**bold** _it_ `code`", r"\*\*bold\*\* \_it\_ \`code\`", id="emphasis and code"),
        pytest.param("~~gone~~", r"\~\~gone\~\~", id="strikethrough"),
        pytest.param("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))", id="link"),
        pytest.param("<script>&lt;", "&lt;script>&amp;lt;", id="HTML and entities"),
        pytest.param("a | b", r"a \| b", id="table"),
        pytest.param("end \\", r"end \\", id="a backslash at the end"),
        pytest.param("a\n# task9-20250102-174233", "a # task9-20250102-174233", id="a forged heading on a new line"),
        pytest.param("    code", "code", id="an indent makes no code block"),
    ],
)
def test_markdown_escapes_every_mark(text: str, escaped: str) -> None:
    """No mark of Markdown in a text is obeyed, and ordinary text is left alone."""
    assert markdown(text) == escaped


@given(any_text | st.text("#-+*_~`<>&[]()!|\\=:.1 2a\n\t", max_size=12))
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    """In a list, a Markdown reader finds one item, and in it the text as it was, on one line."""
    line = markdown(text)
    assert len(line.splitlines()) <= 1
    assert _shown_in(f"- {line}\n") == one_line(text).strip()


@given(st.text("#-+*_~`<>&[]()!|\\=:.1 2a", min_size=1, max_size=12).filter(str.strip))
def test_markdown_can_be_struck_out(text: str) -> None:
    """Between two tildes the text is struck out, all of it, and still reads as it was."""
    line = f"- ~~{markdown(text)}~~\n"
    assert _shown_in(line, allowed=("s_open", "s_close")) == text.strip()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param("done", "'done'", id="text is quoted"),
        pytest.param("a\nb\x1b", "'a b␛'", id="text is made safe"),
        pytest.param("x" * 41, f"'{'x' * 39}…'", id="long text is cut"),
        pytest.param(None, "null", id="null, never None"),
        pytest.param(True, "true", id="true is no number"),
        pytest.param(False, "false", id="false is no number"),
        pytest.param(5, "the number 5", id="whole number"),
        pytest.param(1.5, "the number 1.5", id="fraction"),
        pytest.param(10**400, "a number", id="a number that fills the screen"),
        pytest.param(float("nan"), "a number", id="not a number"),
        pytest.param([1, 2], "a list", id="list"),
        pytest.param({"a": 1}, "an object", id="object"),
        pytest.param(b"x", "a bytes", id="what JSON does not know"),
    ],
)
def test_describe_names_what_was_received(value: object, words: str) -> None:
    """Any value is described in a few words fit for a message."""
    assert describe(value) == words


def _shown_in(source: str, allowed: tuple[str, ...] = ()) -> str:
    """What a Markdown reader shows of a list with one item. Anything but plain text in it fails."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = [token for token in parser.parse(source) if token.type not in _LIST_OF_ONE]
    assert [token.type for token in tokens] in ([], ["inline"]), tokens
    children: list[Token] = [child for token in tokens for child in token.children or []]
    assert {child.type for child in children} <= {"text", *allowed}, children
    return "".join(child.content for child in children)


_LIST_OF_ONE = (
    "bullet_list_open",
    "list_item_open",
    "paragraph_open",
    "paragraph_close",
    "list_item_close",
    "bullet_list_close",
)


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("", "ascii", True),
        ("plan", "ascii", True),
        ("plån", "ascii", False),
        ("plån", "latin-1", True),
        ("✓", "latin-1", False),
        ("✓", "utf-8", True),
        ("\ud83d", "utf-8", False),
    ],
)
def test_what_an_encoding_has(text: str, encoding: str, expected: bool) -> None:
    """A character that the encoding lacks is noticed, and half of a surrogate pair in any of them."""
    assert is_encodable(text, encoding) is expected


@given(any_text, st.integers(0, 50))
def test_brief_is_one_line_cut_short(text: str, limit: int) -> None:
    """A brief text is the whole line, shortened; what is beyond the limit is never looked at."""
    assert brief(text, limit) == shorten(one_line(text), limit)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("0", True), ("007", True), ("1234", False), ("", False), ("-1", False), ("1.", False), ("٣", False)],
)
def test_a_whole_number_is_in_ascii_and_within_bounds(text: str, is_one: bool) -> None:
    """A whole number has ASCII digits alone, and no more of them than are asked for."""
    assert is_whole_number(text, 3) is is_one


def test_things_are_counted_as_people_say_it() -> None:
    """One of a thing has no plural; none and many have."""
    assert [counted(count, "line") for count in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]
