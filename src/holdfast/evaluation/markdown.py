"""The figures for a document: plots, tables and comparisons in Markdown, put between the marks of a page.

python -m holdfast.evaluation.markdown DOCUMENT.md FOLDER

A document says what it wants, as often as it wants:

    <!-- eval: NAME -->                                                        all runs of FOLDER/NAME.jsonl
    <!-- eval: NAME arms=none,rail against=none plot=images/eval.svg -->       some of them, and a plot
    <!-- eval: NAME models=large hosts=bare kinds=files,code -->               some of them
    <!-- /eval -->                                                             where it ends

What is between the marks is replaced. Models, hosts and arms come in the order in which they are named. Arms are
compared with the first one, or with `against`. A plot of the work done is written to a path relative to the document.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import HoldfastError, UsageError
from ..text import markdown, one_line
from .comparison import Comparison, by_arm, conclusion
from .figures import BY_KIND
from .plots import plot
from .records import RunRecord, read_runs
from .results import Results, compute_results, kind_tables

START, END = "<!-- eval: ", "<!-- /eval -->"
MARKED_PART = re.compile(f"{START}(.*?) -->.*?{re.escape(END)}", re.DOTALL)
TITLE = "Work done: mean, 95 % interval, every run"


CHOICES = {"models": "model", "hosts": "host", "arms": "arm", "kinds": "kind"}
"""What a mark may choose from, the first in the order of the rows, each with the field of a run."""


class EvalMark(NamedTuple):
    """What a mark asks for: the name of a file of runs, which of them (all where nothing is said), and a plot."""

    name: str
    chosen: Mapping[str, Sequence[str]] = {}
    against: str | None = None
    plot: str | None = None


def read_mark(words: str) -> EvalMark:
    """Read a mark. Raises UsageError for unknown options."""
    name, *options = words.split()
    given = {option: value for option, _, value in (option.partition("=") for option in options)}
    if unknown := [option for option in given if option not in (*CHOICES, "against", "plot") or not given[option]]:
        there = f"{', '.join(f'{option}=A,B' for option in CHOICES)}, against=ARM and plot=FILE"
        raise UsageError(f"eval: {words}: there is {there}, no {', '.join(unknown)}")
    chosen = {option: given[option].split(",") for option in CHOICES if option in given}
    return EvalMark(name, chosen, given.get("against"), given.get("plot"))


def marked_results(mark: EvalMark, runs: Sequence[RunRecord]) -> Results:
    """The results of the runs that a mark names. Raises UsageError for a name without runs."""
    order: dict[str, Sequence[str]] = {}
    for option, field in CHOICES.items():
        there = list(dict.fromkeys(str(getattr(run, field)) for run in runs))
        order[field] = mark.chosen.get(option, there)
        if missing := [name for name in order[field] if name not in there]:
            raise UsageError(f"eval: {mark.name}: no runs of {', '.join(missing)}: there are {', '.join(there)}")
    if mark.against is not None and mark.against not in order["arm"]:
        raise UsageError(f"eval: {mark.name}: against={mark.against} is not one of the arms {', '.join(order['arm'])}")

    def place(run: RunRecord) -> tuple[int, ...]:
        return tuple(names.index(getattr(run, field)) for field, names in order.items())

    chosen = [run for run in runs if all(getattr(run, field) in names for field, names in order.items())]
    return compute_results(sorted(chosen, key=place), mark.against)


def render_document(document: Path, folder: Path) -> dict[Path, str]:
    """The document and its plots as they should be. Raises UsageError if a mark is missing or wrong."""
    files: dict[Path, str] = {}

    def fill(place: re.Match[str]) -> str:
        mark = read_mark(place[1])
        its = marked_results(mark, read_runs(folder / f"{mark.name}.jsonl").runs)
        parts = [place[0].partition("-->")[0] + "-->", *tables(its), END]
        if mark.plot is not None:
            files[document.parent / mark.plot] = plot(its, its.figures[0], TITLE)
            parts.insert(1, f"![{TITLE}]({mark.plot})")
        return "\n\n".join(parts)

    before = document.read_text(encoding="utf-8")
    if not before.count(START) == before.count(END) == len(MARKED_PART.findall(before)) > 0:
        raise UsageError(f"no marks in {document}: it needs {START}NAME --> and an {END} for each")
    return {document: MARKED_PART.sub(fill, before), **files}


def tables(results: Results) -> Iterator[str]:
    """A table of the arms, a table of their comparisons, and the conclusion."""
    heads = ["arm", "runs", *(figure.title for figure in results.figures)]
    yield _table(heads, {row: [str(len(runs)), *_figures(results, row)] for row, runs in results.rows.items()})
    for figure, kinds, kind_rows in kind_tables(results):
        cells = {row: [_with_interval(*cell) for cell in its] for row, its in kind_rows.items()}
        yield _table([f"{figure.title}, by kind", *kinds], cells)
    rows = by_arm(results.comparisons)
    if rows:
        titles = [one.figure.title for one in next(iter(rows.values()))]
        cells = {arm: [str(row[0].difference.pairs), *map(_difference, row)] for arm, row in rows.items()}
        yield _table([f"against {_code(results.against)}", "tasks", *titles], cells)
        yield " ".join(markdown(sentence) for sentence in conclusion(results.comparisons))


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([_code(arm), *cells] for arm, cells in rows.items())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(name: str) -> str:
    """A name as code in a table. There, nothing but a backtick and a bar has a meaning."""
    plain = one_line(name).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`"


def _figures(results: Results, row: str) -> Iterator[str]:
    for figure in results.figures:
        value, interval = results.format_figure(row, figure)
        yield _with_interval(value, interval if figure.key in BY_KIND else "")


def _with_interval(value: str, interval: str) -> str:
    return f"{value} ({interval})" if interval else value


def _difference(one: Comparison) -> str:
    words = f"{one.value} ({one.interval}), p {_equals(one.chance)}"
    return f"**{words}, {one.word}**" if one.word else words


def _equals(chance: str) -> str:
    return chance.replace("<", "< ") if chance.startswith("<") else f"= {chance}"


def main(document: Path, folder: Path) -> None:
    """Rewrite a document and its plots. Exits with a line that says why if that fails."""
    try:
        files = render_document(document, folder)
    except HoldfastError as error:
        sys.exit(str(error))
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
