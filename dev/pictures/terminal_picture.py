"""Make docs/images/watch.svg: the real `holdfast watch`, in a real terminal, over a store that agents have written to.

.venv/bin/python -m dev.pictures.terminal_picture
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

from pyte.screens import Char

from dev import ROOT
from holdfast import Board

sys.path.insert(0, str(ROOT / "tests"))

from pseudo_terminal import PseudoTerminal as PseudoTerminal  # the moving picture takes it from here

PICTURE = ROOT / "docs" / "images" / "watch.svg"
COLUMNS, LINES = 100, 24
WATCH = """
import sys
from holdfast.stores import open_store
from holdfast.terminal.watch import watch

path = ".holdfast/plans.db"  # shown as it is, so that no folder of this machine is in the picture
sys.exit(watch(open_store(path), path))
"""

CELL, LINE, SIZE = 8.4, 19, 14
MARGIN, BAR = 18, 40
GROUND, FRAME, TEXT = "#1b1f27", "#343b47", "#d7dce5"
COLOURS = {
    "default": TEXT,
    "red": "#f07178",
    "green": "#8fce6f",
    "brown": "#f2c063",  # pyte's word for yellow
    "magenta": "#d699f0",
    "cyan": "#6fd0dd",
    "brightblack": "#7d8799",
}
DIM = "#9aa4b5"
BLANKS = "\u00a0\u00a0"
"""What two blanks are in the picture: browsers draw several blanks as one."""

FONTS = "'JetBrains Mono','Cascadia Code','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"


class TextRun(NamedTuple):
    """Neighbouring cells of one style: where they begin, how many they are, and their text."""

    column: int
    columns: int
    text: str
    look: Char


def write_plans(db: str) -> None:
    """What a few agents wrote in the last minutes."""
    write(db, "docs", "main", 1500, ["Outline the guide", "Write the guide", "Check every link"])
    finish(db, "docs", 900, ["1", "2", "3"])
    write(db, "nightly-import", "main", 700, ["Fetch the dump", "Load it into staging", "Compare the counts"])
    finish(db, "nightly-import", 640, ["1"])
    update(db, "nightly-import", "main", 610, [{"id": "2", "status": "blocked"}])
    write(
        db,
        "token-refresh",
        "main",
        412,
        [
            "Read the session code",
            "Write a failing test for expired tokens",
            "Move the refresh into the middleware",
            "Run the whole suite",
            "Update the changelog",
        ],
        {"3": "Moving the refresh into the middleware"},
    )
    finish(db, "token-refresh", 300, ["1"])
    finish(db, "token-refresh", 134, ["2"])
    update(db, "token-refresh", "main", 134, [{"id": "3", "status": "in_progress"}])
    write(db, "token-refresh", "explorer", 95, ["Find every caller of refresh()", "Note which ones retry"])
    next_step = {"id": "2", "status": "in_progress", "activeForm": "Noting which ones retry"}
    update(db, "token-refresh", "explorer", 41, [{"id": "1", "status": "completed"}, next_step])
    board(db, "token-refresh", 12).edit("5", status="cancelled")


def board(db: str, session: str, before_now: float, agent: str = "main") -> Board:
    """A board whose clock is so many seconds behind."""
    return Board(store=db, session=session, agent=agent, clock=lambda: time.time() - before_now)


def write(
    db: str, session: str, agent: str, before_now: float, steps: list[str], active: dict[str, str] | None = None
) -> None:
    """A model's plan."""
    todos = [
        {"content": step, "activeForm": (active or {}).get(str(number), "")} for number, step in enumerate(steps, 1)
    ]
    update(db, session, agent, before_now, todos)


def update(db: str, session: str, agent: str, before_now: float, todos: list[dict[str, str]]) -> None:
    """A model's write."""
    reply = board(db, session, before_now, agent).write({"todos": todos})
    assert reply.ok, reply.text


def finish(db: str, session: str, before_now: float, ids: list[str]) -> None:
    """A model completes todos."""
    update(db, session, "main", before_now, [{"id": id, "status": "completed"} for id in ids])


def watching(folder: str) -> PseudoTerminal:
    """The real command in a terminal, over the plans of a folder."""
    return PseudoTerminal(f"import os; os.chdir({folder!r}); {WATCH}", COLUMNS, LINES)


def screen() -> list[list[Char]]:
    """The screen of the real command, once all of it is drawn and a todo is chosen."""
    with tempfile.TemporaryDirectory() as folder:
        write_plans(f"{folder}/.holdfast/plans.db")
        with watching(folder) as terminal:
            terminal.wait_for("q quit")
            terminal.type("j")
            terminal.wait_for("❯", "nightly-import", "Recent")
            terminal.type("q")
            cells_by_line = [[terminal.screen.buffer[y][x] for x in range(COLUMNS)] for y in range(LINES)]
            terminal.ended()
            return cells_by_line


def text_runs(cells: list[Char]) -> Iterator[TextRun]:
    """A line of the screen in pieces: text of one style, and single characters that differ between fonts."""

    def kind(place: tuple[int, Char]) -> object:
        at, cell = place
        look = cell._replace(data="")
        return (look, cell.data) if cell.data in "━─" else (look, "text") if cell.data.isascii() else (look, at)

    for _, found in groupby(enumerate(cells), kind):
        run = list(found)
        text = "".join(cell.data for _, cell in run)
        if text.strip():
            start = run[0][0] + len(text) - len(text.lstrip())
            yield TextRun(start, len(text.strip()), text.strip(), run[0][1])


def draw_run(run: TextRun, y: float) -> str:
    """A piece of a line in SVG. Rules and bars are drawn, so that no font leaves gaps in them."""
    x, wide = MARGIN + run.column * CELL, run.columns * CELL
    colour = COLOURS.get(run.look.fg, TEXT)
    if run.text[0] in "━─":
        height = 3.5 if run.text[0] == "━" else 1
        top = y - SIZE * 0.33 - height / 2
        return f'<rect x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{height}" fill="{colour}"/>'
    marks = ' font-weight="700"' if run.look.bold else ""
    marks += ' text-decoration="line-through"' if run.look.strikethrough else ""
    marks += ' opacity="0.72"' if run.look.blink else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs" fill="{colour}"{marks}>'
        f"{escape(run.text.replace('  ', BLANKS))}</text>"
    )


def screen_lines(cells_by_line: list[list[Char]]) -> list[str]:
    """The text on the screen in SVG."""
    return [draw_run(run, BAR + 16 + at * LINE) for at, cells in enumerate(cells_by_line) for run in text_runs(cells)]


def svg(lines: list[str]) -> str:
    """A picture of a window with these lines of SVG in it."""
    wide, high = COLUMNS * CELL + 2 * MARGIN, LINES * LINE + BAR + MARGIN
    dots = "".join(
        f'<circle cx="{MARGIN + 6 + at * 20}" cy="{BAR / 2}" r="6" fill="{colour}"/>'
        for at, colour in enumerate(("#ec6a5e", "#f4bf4f", "#61c554"))
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}"'
            f' role="img" aria-label="holdfast watch in a terminal">',
            f'<rect x="0.5" y="0.5" width="{wide - 1:.0f}" height="{high - 1:.0f}" rx="10" fill="{GROUND}"'
            f' stroke="{FRAME}"/>',
            dots,
            f'<text x="{wide / 2:.0f}" y="{BAR / 2 + 5:.0f}" text-anchor="middle" fill="{DIM}"'
            f' font-family="system-ui,sans-serif" font-size="13">holdfast watch</text>',
            f'<g font-family="{FONTS}" font-size="{SIZE}">',
            *lines,
            "</g>",
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(svg(screen_lines(screen())), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
