"""What people read: the tables, the plots, and the page that stands alone."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from holdfast.evaluation.arms import ARMS
from holdfast.evaluation.figures import FIGURES, Prices
from holdfast.evaluation.markdown import tables
from holdfast.evaluation.plots import plot, round_up
from holdfast.evaluation.records import RunRecord
from holdfast.evaluation.report import page
from holdfast.evaluation.results import Results, compute_results
from holdfast.evaluation.summary import summary_lines
from holdfast.terminal.lines import plain_text
from holdfast.terminal.screen import NO_LIMIT

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202egnp.exe & \"'</pre></details><img src=x onerror=y>"
SHARE = FIGURES[0]


def run(arm: str, seed: int, done: int, **more: Any) -> RunRecord:
    """A run of six jobs."""
    made = RunRecord(f"files-6-{seed}", "files", arm, done, 6, 0, 0, False, 10, 1000 + seed, 100, 2.5, 1, "done")
    return made._replace(**more)


def found(prices: Prices | None = None) -> Results:
    """Eight tasks under three arms: one clearly better, one no different."""
    runs = [run("none", seed, 1 + seed % 2) for seed in range(8)]
    runs += [run("plain", seed, 1 + (seed + 1) % 2, hollow=1) for seed in range(8)]
    runs += [run("rail", seed, 5 + seed % 2, tokens_in=3000 + seed, hollow=1) for seed in range(8)]
    return compute_results(runs, prices=prices)


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.attributes |= dict(attrs)


def lines(results: Results, columns: int = NO_LIMIT) -> list[str]:
    """What a terminal of so many columns shows."""
    return [plain_text(line) for line in summary_lines(results, columns)]


def test_the_tables_and_what_they_come_to(snapshot: Callable[[str, str], None]) -> None:
    """A row an arm with the interval of what counts, a row a comparison with what is larger than chance marked."""
    snapshot("eval-table.txt", "\n".join(lines(found(Prices(3.0, 15.0)))))


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_every_arm_at_once_fits_the_screen(columns: int) -> None:
    """With all arms there are, no line is wider than the screen, no sentence is cut, and what counts stays."""
    runs = [run(arm, seed, 1 + at // 5, tokens_in=9000 * (at + 1)) for at, arm in enumerate(ARMS) for seed in range(20)]
    shown = lines(compute_results(runs), columns)
    assert all(len(line) <= columns for line in shown)
    heads = [line for line in shown if line.startswith("ARM")]
    assert all("WORK DONE" in head for head in heads)
    assert [len(re.findall(rf"^{arm} ", "\n".join(shown), re.MULTILINE)) for arm in list(ARMS)[1:]] == [2] * (
        len(ARMS) - 1
    )
    assert " ".join(shown).endswith("quiet-no-stale, quiet-no-loops, quiet-no-rails. No other difference is.")
    assert all("TOKENS IN" in head for head in heads) == (columns >= 80)
    assert ("DONE TWICE" in heads[0]) == (columns >= 120)


def test_one_run_has_no_interval() -> None:
    """What was run once is not shown as if it were certain."""
    shown = lines(compute_results([run("none", 1, 3)]))
    assert shown[1].split()[:4] == ["none", "1", "50", "%"]
    assert " to " not in "".join([*shown, *tables(compute_results([run("none", 1, 3)]))])


def test_a_plot_is_an_image_on_its_own() -> None:
    """It is well-formed, has every arm and a dot a run, and nothing in it is loaded from elsewhere."""
    drawn = plot(found(), SHARE, "work <done>")
    tree = ElementTree.fromstring(drawn)
    names = [element.tag.rpartition("}")[2] for element in tree.iter()]
    assert names.count("circle") == 24
    assert {"none", "plain", "rail"} <= {element.text for element in tree.iter()}
    assert "script" not in names and "image" not in names
    assert re.findall(r"(?:href|src|url)\W", drawn) == []


@pytest.mark.parametrize(("most", "end"), [(0, 1), (1, 1), (3, 5), (11, 20), (140, 200), (0.0021, 0.0025), (99, 100)])
def test_an_axis_ends_at_a_round_number(most: float, end: float) -> None:
    """Not below the greatest value, and readable."""
    assert round_up(most) == pytest.approx(end)


def test_the_page_stands_alone_and_shows_every_run() -> None:
    """It loads nothing, needs no script, and has a transcript a run that opens without one."""
    html = page({"model": "m"}, found())
    tags = Tags()
    tags.feed(html)
    assert "script" not in tags.tags and "link" not in tags.tags and "img" not in tags.tags
    assert tags.tags.count("details") == 24
    assert tags.tags.count("svg") == 3
    assert "Content-Security-Policy\" content=\"default-src 'none'" in html
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", html) == []


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    """What a model wrote stays text: no tag of it is one, and what would turn a line around is visible."""
    evil = run(
        HOSTILE,
        1,
        2,
        task=HOSTILE,
        reason=HOSTILE,
        verdicts=((HOSTILE, True),),
        todos=((HOSTILE, "completed"),),
        transcript=({"kind": "call", "text": HOSTILE}, {"kind": HOSTILE, "text": f"a\n{HOSTILE}"}),
    )
    html = page({"model": HOSTILE}, compute_results([run("none", 1, 1), evil]))
    tags = Tags()
    tags.feed(html)
    assert "script" not in tags.tags and "img" not in tags.tags
    assert "onerror" not in tags.attributes
    assert "&lt;script&gt;" in html
    assert "\x1b" not in html and "\u202e" not in html


def test_the_table_for_documents(snapshot: Callable[[str, str], None]) -> None:
    """The figures as Markdown, for a page of documentation."""
    snapshot("eval-table.md", "\n\n".join(tables(found())))


def test_no_runs_at_all() -> None:
    """Before the first run there is a page, and a line."""
    assert lines(compute_results([])) == ["No runs yet."]
    assert "Does a plan help" in page({"model": "m"}, compute_results([]))
