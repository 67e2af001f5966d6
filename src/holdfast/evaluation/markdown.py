"""The figures for a document: plots, tables and comparisons in Markdown, put between the marks of a page.

python -m holdfast.evaluation.markdown DOCUMENT.md FOLDER

A document says what it wants, as often as it wants:

    <!-- eval: NAME -->                                                        all arms of FOLDER/NAME.jsonl
    <!-- eval: NAME arms=none,rail against=none plot=images/eval.svg -->       some of them, and a plot
    <!-- /eval -->                                                             where it ends

What is between the marks is replaced. Arms come in the order in which they are named, and are compared with the first
one, or with `against`. A plot of the work done is written to a path relative to the document.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import HoldfastError, UsageError
from ..text import markdown
from .comparison import Comparison, by_arm, conclusion
from .plots import plot
from .records import RunRecord, read_runs
from .results import Results, compute_results

START, END = "<!-- eval: ", "<!-- /eval -->"
MARKED_PART = re.compile(f"{START}(.*?) -->.*?{re.escape(END)}", re.DOTALL)
TITLE = "Work done: mean, 95 % interval, every run"


class EvalMark(NamedTuple):
    """What a mark asks for: the name of a file of runs, the arms (empty for all), and where a plot goes."""

    name: str
    arms: tuple[str, ...] = ()
    against: str | None = None
    plot: str | None = None


def read_mark(words: str) -> EvalMark:
    """Read a mark. Raises UsageError for unknown options."""
    name, *options = words.split()
    given = {option: value for option, _, value in (option.partition("=") for option in options)}
    if unknown := [option for option in given if option not in ("arms", "against", "plot") or not given[option]]:
        raise UsageError(f"eval: {words}: there is arms=A,B, against=ARM and plot=FILE, no {', '.join(unknown)}")
    arms = tuple(given["arms"].split(",")) if "arms" in given else ()
    return EvalMark(name, arms, given.get("against"), given.get("plot"))


def marked_results(mark: EvalMark, runs: Sequence[RunRecord]) -> Results:
    """The results of the arms that a mark names. Raises UsageError for an arm without runs."""
    there = list(dict.fromkeys(run.arm for run in runs))
    arms = mark.arms or tuple(there)
    if missing := [arm for arm in arms if arm not in there]:
        raise UsageError(f"eval: {mark.name}: no runs of {', '.join(missing)}: there are {', '.join(there)}")
    if mark.against is not None and mark.against not in arms:
        raise UsageError(f"eval: {mark.name}: against={mark.against} is not one of the arms {', '.join(arms)}")
    return compute_results([run for arm in arms for run in runs if run.arm == arm], mark.against)


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
    yield _table(heads, {arm: [str(len(runs)), *_figures(results, arm)] for arm, runs in results.arms.items()})
    rows = by_arm(results.comparisons)
    if rows:
        titles = [one.figure.title for one in next(iter(rows.values()))]
        cells = {arm: [str(row[0].difference.pairs), *map(_difference, row)] for arm, row in rows.items()}
        yield _table([f"against `{markdown(results.against)}`", "tasks", *titles], cells)
        yield " ".join(markdown(sentence) for sentence in conclusion(results.comparisons))


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([f"`{markdown(arm)}`", *cells] for arm, cells in rows.items())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _figures(results: Results, arm: str) -> Iterator[str]:
    for figure in results.figures:
        value, interval = results.format_figure(arm, figure)
        yield f"{value} ({interval})" if interval and figure.key == "share" else value


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
