"""Make docs/images/watch-moving.svg: the real `holdfast watch` while an agent works and a person types, frame by frame.

.venv/bin/python -m dev.pictures.moving_picture
"""

import os
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from pyte.screens import Char

from dev import ROOT
from dev.pictures.terminal_picture import (
    COLUMNS,
    LINES,
    board,
    finish,
    screen_lines,
    svg,
    update,
    watching,
    write_plans,
)

PICTURE = ROOT / "docs" / "images" / "watch-moving.svg"
WISH = "Tell the mobile team"


class Frame(NamedTuple):
    """What the screen shows, and for how many seconds."""

    cells: list[list[Char]]
    seconds: float


def frames() -> Iterator[Frame]:
    """An agent works, a person adds a todo and looks at one, the agent takes it in and goes on."""
    with tempfile.TemporaryDirectory() as folder:
        db = f"{folder}/.holdfast/plans.db"
        write_plans(db)
        with watching(folder) as terminal:

            def seen(seconds: float, *texts: str) -> Frame:
                terminal.wait_for(*texts)
                return Frame([[terminal.screen.buffer[y][x] for x in range(COLUMNS)] for y in range(LINES)], seconds)

            yield seen(2.5, "q quit", "Moving the refresh", "Recent")
            finish(db, "token-refresh", 0, ["3"])
            update(db, "token-refresh", "main", 0, [{"id": "4", "status": "in_progress"}])
            yield seen(2.0, "Run the whole suite...")
            terminal.type("j")
            yield seen(1.0, "❯")
            terminal.type("a")
            yield seen(0.6, "add to token-refresh: ▏")
            for end in (4, 9, 16, len(WISH)):
                terminal.type(WISH[{4: 0, 9: 4, 16: 9}.get(end, 16) : end])
                yield seen(0.4, f"add to token-refresh: {WISH[:end].rstrip()}")
            terminal.type("\r")
            yield seen(2.5, f"6  {WISH}", f"added {WISH}")
            update(db, "token-refresh", "main", 0, [{"id": "4", "status": "completed"}])
            update(db, "token-refresh", "main", 0, [{"id": "6", "status": "in_progress"}])
            yield seen(2.5, f"{WISH}...")
            finish(db, "token-refresh", 0, ["6"])
            board(db, "token-refresh", 0, "explorer").edit("2", status="completed")
            yield seen(3.0, "2 finished")
            terminal.type("q")
            terminal.ended()


def moving_svg(shown: list[Frame]) -> str:
    """The frames one after the other, without end. Who wants no motion sees the last one."""
    total = sum(frame.seconds for frame in shown)
    styles, lines, at = [], [], 0.0
    for number, (cells, seconds) in enumerate(shown):
        begin, at = at, at + seconds
        steps = f"0%{{visibility:{'visible' if number == 0 else 'hidden'}}}"
        steps += f"{begin / total:.2%}{{visibility:visible}}" if number else ""
        steps += f"{at / total:.2%}{{visibility:hidden}}" if number < len(shown) - 1 else ""
        styles.append(
            f"@keyframes f{number}{{{steps}}}.f{number}{{animation:f{number} {total:.1f}s step-end infinite}}"
        )
        lines += [f'<g class="frame f{number}">', *screen_lines(cells), "</g>"]
    still = f"@media(prefers-reduced-motion:reduce){{.frame{{animation:none}}.f{len(shown) - 1}{{visibility:visible}}}}"
    return svg([f"<style>.frame{{visibility:hidden}}{''.join(styles)}{still}</style>", *lines])


if __name__ == "__main__":
    os.makedirs(PICTURE.parent, exist_ok=True)
    PICTURE.write_text(moving_svg(list(frames())), encoding="utf-8")
    print(PICTURE.relative_to(ROOT), f"{PICTURE.stat().st_size} bytes")
