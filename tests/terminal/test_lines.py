"""Lines as values: the same on every surface, cut, padded, and encoded for what can show them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style
from strategies import hostile_texts, obeyed

from holdfast.terminal.lines import (
    ASCII_FALLBACKS,
    STATUS_STYLES,
    SUBDUED,
    Span,
    ansi_text,
    cut_line,
    cut_text,
    line_width,
    pad_line,
    plain_text,
    text_line,
    trim_line,
    with_fallbacks,
)
from holdfast.text import width

STYLES = [*STATUS_STYLES.values(), SUBDUED, "bold", "dim", "green", "magenta", "cyan", "yellow bold", "", " bold bold"]

texts = hostile_texts.map(lambda text: text_line(text)[0].text)
lines = st.lists(st.builds(Span, texts, st.sampled_from(STYLES)), max_size=4).map(tuple)


@pytest.mark.parametrize("style", STYLES)
def test_our_escape_codes_are_those_of_rich(style: str) -> None:
    """A line looks the same whether a command prints it or rich does."""
    expected = Style.parse(style).render("text", color_system=ColorSystem.STANDARD)
    assert ansi_text((Span("text", style), Span("", style))) == expected


@pytest.mark.parametrize("sign", ASCII_FALLBACKS)
def test_a_plain_sign_takes_the_same_columns(sign: str) -> None:
    """So nothing moves where an encoding lacks our signs."""
    assert with_fallbacks(sign, "utf-8") == sign
    assert width(with_fallbacks(sign, "ascii")) == width(sign) == 1


@given(lines, st.integers(1, 40))
def test_a_line_fits_where_it_is_put(line: tuple[Span, ...], columns: int) -> None:
    """Cut to at most so many columns, padded to exactly as many, in any encoding."""
    assert line_width(cut_line(line, columns)) <= columns
    for is_right in (False, True):
        padded = pad_line(line, columns, is_right)
        assert line_width(padded) == width(plain_text(padded, "ascii")) == columns


@given(hostile_texts, st.integers(0, 40))
def test_anybodys_text_is_safe_in_its_columns(text: str, columns: int) -> None:
    """Cut or whole, it has nothing that a terminal would obey."""
    assert width(cut_text(text, columns)) <= columns
    assert not obeyed(cut_text(text, columns) + plain_text(text_line(text)))


@given(lines)
def test_trimming_takes_blanks_at_the_end_only(line: tuple[Span, ...]) -> None:
    """The text before them stays, with its styles."""
    trimmed = trim_line((*line, Span("  ", "dim"), Span("")))
    assert plain_text(trimmed) == plain_text(line).rstrip()
