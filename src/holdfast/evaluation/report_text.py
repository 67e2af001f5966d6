"""Text of a model or a person, safe for the report, and tables of it."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..text import one_line


def html_line(text: str) -> str:
    """A text as HTML, on one line: tags and control characters are shown, not obeyed."""
    return escape(one_line(text))


def html_table(heads: Sequence[str], rows: Mapping[str, Sequence[str]], kind: str = "") -> Iterable[str]:
    """A table. Its cells are HTML already."""
    table = f'<table class="{kind}">' if kind else "<table>"
    yield f'<div class="wide" tabindex="0">{table}<thead><tr>'
    yield "".join(f'<th scope="col">{html_line(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for name, cells in rows.items():
        yield f'<tr><th scope="row">{html_line(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    yield "</tbody></table></div>"
