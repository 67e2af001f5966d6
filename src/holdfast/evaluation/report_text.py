"""Text of a model or a person, safe for the report."""

from html import escape

from ..text import one_line


def html_line(text: str) -> str:
    """A text as HTML, on one line: tags and control characters are shown, not obeyed."""
    return escape(one_line(text))
