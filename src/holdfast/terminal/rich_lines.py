"""Our lines for rich to print. Only what draws with rich imports this."""

from collections.abc import Iterable, Iterator

from rich.segment import Segment
from rich.style import Style

from .lines import Line, with_fallbacks


def rich_segments(lines: Iterable[Line], encoding: str) -> Iterator[Segment]:
    """The lines as rich wants them, each with its end."""
    for line in lines:
        for span in line:
            yield Segment(with_fallbacks(span.text, encoding), Style.parse(span.style))
        yield Segment.line()
