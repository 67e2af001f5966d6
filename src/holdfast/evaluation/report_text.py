"""Text of a model or a person in the report."""

from html import escape

from ..text import one_line


def safe(text: str) -> str:
    """A text as HTML, on one line: its tags are shown, and so is what would turn a line around."""
    return escape(one_line(text))
