"""Lines that stay at the bottom of a terminal, redrawn in their place, while others scroll by above them."""

import atexit
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live

from ..text import width
from .lines import FRAMES_PER_SECOND, Line, cut_line, text_line, wrap_text
from .rich_lines import rich_segments

Draw = Callable[[int, int], Sequence[Line]]


class Panel:
    """The lines that `draw` gives for a size in columns and rows, while it is up."""

    def __init__(self, draw: Draw) -> None:
        self._console = Console(highlight=False)
        self._draw = draw
        self._live: Live | None = None

    @property
    def columns(self) -> int:
        """How wide the terminal is now."""
        return self._console.width

    @property
    def rows(self) -> int:
        """How high the terminal is now."""
        return self._console.height

    def up(self) -> None:
        """Show the lines, and keep showing them."""
        if self._live is None:
            self._live = Live(
                get_renderable=lambda: _Drawing(self._cut_lines),
                console=self._console,
                refresh_per_second=FRAMES_PER_SECOND,
                transient=True,
                vertical_overflow="crop",
            )
            self._live.start()
            self._console.show_cursor(True)  # a process that is killed must not leave a terminal without one
            atexit.register(self.down)

    def down(self) -> None:
        """Take the lines away."""
        if self._live is not None:
            live, self._live = self._live, None
            atexit.unregister(self.down)
            live.stop()

    def print(self, lines: Iterable[Line]) -> None:
        """Let lines scroll by above."""
        printed = list(lines)
        if printed:
            self._console.print(_Drawing(lambda columns, rows: [cut_line(line, columns) for line in printed]), end="")

    def take_back(self, count: int, asked: str) -> None:
        """Take so many lines off the screen that were printed above a question. It stays, with its answer."""
        if count:
            wrapped = -(-max(width(asked), 1) // max(self.columns, 1))
            self._console.file.write(f"\x1b[{count + wrapped}A\r\x1b[J")
            self.print(text_line(row) for row in wrap_text(asked, self.columns))

    def _cut_lines(self, columns: int, rows: int) -> list[Line]:
        return [cut_line(line, columns) for line in self._draw(columns, rows)][-max(rows - 1, 1) :]


class _Drawing:
    """Lines for rich to print, made for the current size."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from rich_segments(self._draw(options.max_width, console.height), options.encoding)
