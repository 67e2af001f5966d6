"""`docs/benchmarks.md` and its pictures, made from the last run of `make bench`.

python -m dev.bench.report
"""

import json
import time
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from dev import ROOT
from dev.bench.__main__ import PARTS
from dev.bench.measurement import Measurement
from dev.bench.plots import bars, format_value, lines
from dev.bench.results import RESULTS
from dev.bench.tokens import tokens_by_update
from holdfast.dialects import DialectName

PAGE = ROOT / "docs" / "benchmarks.md"
IMAGES = ROOT / "docs" / "images"
COURSES: tuple[DialectName, ...] = ("holdfast", "claude-tasks", "codex", "claude-code", "opencode")

HEAD = """# Benchmarks

Made by `make bench`. Each part is one run, in which the sides of each comparison take turns.
{about}

A ratio compares with the first line of its table, the floor, unless the table says otherwise. Absolute times are those
of this machine. Look at the ratios.
"""

NOTES = {
    "writes": "The floor is a copy of ten dicts, in the same process. Each row names what its payload has, and where it"
    " comes from: recorded in the real client, or made by the published schema of a client that cannot be run here"
    " (`dev/bench/recorder.py`). Most writes restate the plan, and change a status or two. New texts are read, checked"
    " and numbered one by one. They have no budget, nor has a long reply, which takes time for its text.",
    "stages": "Where the time of an update by id goes. Each stage is measured alone, in copies of ten dicts. Without"
    " the comparison with the plan, the commit, the reply and the rest would still be needed.",
    "durable": "Both sides run in WAL mode with `synchronous = FULL`. The floor is one connection in autocommit, with"
    " everything else as SQLite has it: it writes the list as JSON into one row, checks nothing and keeps no history."
    " For a sync of 0.1 ms, the files are in memory, and a library waits in each sync (`dev/slow_sync.py`)."
    " The values are medians.",
    "listings": "The sessions of the large store came and went, fifty at a time, with a hundred changes each. Every"
    " command is a new process, by turns in both stores, and the best of eleven counts. `watch` and the page are"
    " measured until they show something. Their memory is measured when they have read everything that they keep.",
    "listings-postgres": "The same in time on the clock, because client and server share the work.",
    "peers-writes": "Every peer writes the lists that were recorded in Claude Code, with those of their fields that its"
    " schema has. The ratio is to Holdfast on the same fields; both are measured in processor time.",
}
"""What a reader must know of a part, above its table."""


def report() -> str:
    """The page; its pictures are written, too."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    kept = found["results"]
    parts = {part: [Measurement(**row) for row in kept[part]] for part in PARTS if part in kept}
    sections = [_section(part, rows) for part, rows in parts.items()]
    budgets = _budgets([row for rows in parts.values() for row in rows])
    about = fill(f"The newest run: {_about(found)}.", 140)
    return "\n".join([HEAD.format(about=about), budgets, *sections, _token_course()])


def _about(found: Mapping[str, Any]) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(found["at"]))
    versions = ", ".join(f"{name} {version}" for name, version in found.get("versions", {}).items())
    return f"{day}, Python {found['python']}, {found['machine']}, {found['cores']} cores, {versions}".rstrip(", ")


def _budgets(rows: Sequence[Measurement]) -> str:
    lines = [
        f"| {row.what.strip()} | {_ratio(row) or _value(row)} | {row.budget} | {'yes' if row.is_met else '**no**'} |"
        for row in rows
        if row.is_met is not None
    ]
    return "\n".join(["## Budgets", "", "| what | found | budget | met |", "| --- | ---: | --- | --- |", *lines, ""])


def _section(part: str, rows: Sequence[Measurement]) -> str:
    lines = [
        f"## {part.capitalize()}",
        "",
        *([fill(NOTES[part], 140), ""] if part in NOTES else []),
        "| what | value | ratio | budget |",
        "| --- | ---: | ---: | --- |",
        *(f"| {row.what.strip()} | {_value(row)} | {_ratio(row)} | {row.budget} |" for row in rows),
        "",
    ]
    measured = [row for row in rows if row.unit and row.unit == rows[0].unit and row.value > 0]
    if len(measured) > 1:
        name = f"bench-{part}.svg"
        (IMAGES / name).write_text(bars(f"{part.capitalize()}, in {rows[0].unit}", measured), encoding="utf-8")
        lines += [f"![{part}](images/{name})", ""]
    return "\n".join(lines)


def _value(row: Measurement) -> str:
    return format_value(row) if row.unit else "not run"


def _ratio(row: Measurement) -> str:
    return "" if row.ratio is None else f"{row.ratio:.2f} ×"


def _token_course() -> str:
    spent: dict[str, list[int]] = {name: [tokens.total for tokens in tokens_by_update(name)] for name in COURSES}
    picture = lines("Tokens over the course of a plan of ten steps", spent, "updates")
    (IMAGES / "bench-course.svg").write_text(picture, encoding="utf-8")
    return "\n".join(
        [
            "## Tokens over the course of a plan",
            "",
            "Definition, prompt, calls, replies and reminders, added up after each update (o200k).",
            "",
            "![tokens over the course of a plan](images/bench-course.svg)",
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(report(), encoding="utf-8")
