"""The figures for a document: a table and the comparisons in Markdown, put between two marks of a page.

python -m holdfast.evaluation.markdown RUNS.jsonl DOCUMENT.md PLOT.svg [AGAINST]

A document says where with `<!-- eval: NAME -->` and `<!-- /eval -->`, NAME being the file's without its ending.
"""

import re
import sys
from pathlib import Path

from ..errors import UsageError
from ..text import markdown
from .figures import Results, results, verdict
from .plots import plot
from .records import read

END = "<!-- /eval -->"


def table(found: Results) -> str:
    """A row an arm, then a line a comparison."""
    heads = ["arm", "runs", *(figure.title for figure in found.figures)]
    lines = [_row(heads), _row(["---"] * len(heads))]
    for arm, runs in found.arms.items():
        cells = []
        for figure in found.figures:
            value, low, high = (figure.form(part) for part in found.means[arm, figure.key])
            cells.append(f"{value} ({low} to {high})" if figure.key == "share" else value)
        lines.append(_row([f"`{markdown(arm)}`", str(len(runs)), *cells]))
    said = [f"- {markdown(verdict(one))}" for one in found.compared]
    return "\n".join([*lines, *(["", *said] if said else [])])


def put(document: str, name: str, text: str) -> str:
    """A document with a text between its marks of a name. Raises UsageError if it has none."""
    start = f"<!-- eval: {name} -->"
    place = re.compile(f"{re.escape(start)}.*?{re.escape(END)}", re.DOTALL)
    if not place.search(document):
        raise UsageError(f"no place for {name}: the document needs {start} and {END}")
    return place.sub(lambda _: f"{start}\n\n{text}\n\n{END}", document, count=1)


def written(runs: Path, document: Path, image: Path, against: str | None = None) -> tuple[str, str]:
    """The document and the image as they should be for these runs."""
    found = results(read(runs).runs, against)
    share = next(figure for figure in found.figures if figure.key == "share")
    text = put(document.read_text(encoding="utf-8"), runs.stem, table(found))
    return text, plot(found, share, "Work done: mean, 95 % interval, every run")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    runs, document, image, *against = sys.argv[1:]
    text, drawn = written(Path(runs), Path(document), Path(image), *against)
    Path(document).write_text(text, encoding="utf-8")
    Path(image).write_text(drawn, encoding="utf-8")
