"""The figures for a document: plots, tables and comparisons in Markdown, put between the marks of a page.

python -m holdfast.evaluation.markdown DOCUMENT.md FOLDER

A document says what it wants, as often as it wants:

    <!-- eval: NAME -->                                                        all arms of FOLDER/NAME.jsonl
    <!-- eval: NAME arms=none,rail against=none plot=images/eval.svg -->       some of them, and a plot
    <!-- /eval -->                                                             where it ends

What stands between is written anew. Arms come in the order in which they are named, and are held against the first one,
or `against`. A plot of the work done is written beside the document.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import HoldfastError, UsageError
from ..text import markdown
from .comparison import Compared, by_arm, conclusion
from .plots import plot
from .records import Run, read
from .results import Results, results

START, END = "<!-- eval: ", "<!-- /eval -->"
PLACE = re.compile(f"{START}(.*?) -->.*?{re.escape(END)}", re.DOTALL)
TITLE = "Work done: mean, 95 % interval, every run"


class Wish(NamedTuple):
    """What a mark asks for: the name of a file of runs, its arms (all if none is named), and where a plot goes."""

    name: str
    arms: tuple[str, ...] = ()
    against: str | None = None
    plot: str | None = None


def wish(words: str) -> Wish:
    """What a mark says. Raises UsageError if that makes no sense."""
    name, *options = words.split()
    given = {option: value for option, _, value in (option.partition("=") for option in options)}
    if unknown := [option for option in given if option not in ("arms", "against", "plot") or not given[option]]:
        raise UsageError(f"eval: {words}: there is arms=A,B, against=ARM and plot=FILE, no {', '.join(unknown)}")
    arms = tuple(given["arms"].split(",")) if "arms" in given else ()
    return Wish(name, arms, given.get("against"), given.get("plot"))


def found(wished: Wish, runs: Sequence[Run]) -> Results:
    """What the runs say of the arms that a mark names. Raises UsageError for an arm that has none."""
    there = list(dict.fromkeys(run.arm for run in runs))
    arms = wished.arms or tuple(there)
    if missing := [arm for arm in arms if arm not in there]:
        raise UsageError(f"eval: {wished.name}: no runs of {', '.join(missing)}: there are {', '.join(there)}")
    if wished.against is not None and wished.against not in arms:
        raise UsageError(f"eval: {wished.name}: against={wished.against} is none of the arms {', '.join(arms)}")
    return results([run for arm in arms for run in runs if run.arm == arm], wished.against)


def written(document: Path, folder: Path) -> dict[Path, str]:
    """The document and its plots as they should be. Raises UsageError if it has no mark, or one that is wrong."""
    files: dict[Path, str] = {}

    def fill(place: re.Match[str]) -> str:
        wished = wish(place[1])
        its = found(wished, read(folder / f"{wished.name}.jsonl").runs)
        parts = [place[0].partition("-->")[0] + "-->", *tables(its), END]
        if wished.plot is not None:
            files[document.parent / wished.plot] = plot(its, its.figures[0], TITLE)
            parts.insert(1, f"![{TITLE}]({wished.plot})")
        return "\n\n".join(parts)

    before = document.read_text(encoding="utf-8")
    if not before.count(START) == before.count(END) == len(PLACE.findall(before)) > 0:
        raise UsageError(f"no place in {document}: it needs {START}NAME --> and an {END} for each")
    return {document: PLACE.sub(fill, before), **files}


def tables(found: Results) -> Iterator[str]:
    """A row an arm; then a row an arm that is held against another, and what may be said of that."""
    heads = ["arm", "runs", *(figure.title for figure in found.figures)]
    yield _table(heads, {arm: [str(len(runs)), *_figures(found, arm)] for arm, runs in found.arms.items()})
    rows = by_arm(found.compared)
    if rows:
        titles = [one.figure.title for one in next(iter(rows.values()))]
        cells = {arm: [str(row[0].difference.pairs), *map(_difference, row)] for arm, row in rows.items()}
        yield _table([f"against `{markdown(found.against)}`", "tasks", *titles], cells)
        yield " ".join(markdown(sentence) for sentence in conclusion(found.compared))


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([f"`{markdown(arm)}`", *cells] for arm, cells in rows.items())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _figures(found: Results, arm: str) -> Iterator[str]:
    for figure in found.figures:
        value, interval = found.written(arm, figure)
        yield f"{value} ({interval})" if interval and figure.key == "share" else value


def _difference(one: Compared) -> str:
    said = f"{one.value} ({one.interval}), p {_equals(one.chance)}"
    return f"**{said}, {one.word}**" if one.word else said


def _equals(chance: str) -> str:
    return chance.replace("<", "< ") if chance.startswith("<") else f"= {chance}"


def main(document: Path, folder: Path) -> None:
    """Write a document and its plots anew. Ends with a line that says why if that cannot be."""
    try:
        files = written(document, folder)
    except HoldfastError as error:
        sys.exit(str(error))
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
