"""What people read: the table, the sentences, the plots, and the page that stands alone."""

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from holdfast.cli.screen import Screen
from holdfast.evaluation.figures import FIGURES, Prices, Results, results, verdict
from holdfast.evaluation.markdown import table
from holdfast.evaluation.plots import nice, plot
from holdfast.evaluation.printing import lines
from holdfast.evaluation.records import Run
from holdfast.evaluation.report import page

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202egnp.exe & \"'</pre></details><img src=x onerror=y>"
SHARE = FIGURES[0]


def run(arm: str, seed: int, done: int, **more: Any) -> Run:
    """A run of six jobs."""
    made = Run(f"files-6-{seed}", "files", arm, done, 6, 0, 0, False, 10, 1000 + seed, 100, 2.5, 1, "done")
    return made._replace(**more)


def found(prices: Prices | None = None) -> Results:
    """Eight tasks under three arms: one clearly better, one no different."""
    runs = [run("none", seed, 1 + seed % 2) for seed in range(8)]
    runs += [run("plain", seed, 1 + (seed + 1) % 2, hollow=1) for seed in range(8)]
    runs += [run("rail", seed, 5 + seed % 2, tokens_in=3000 + seed, hollow=1) for seed in range(8)]
    return results(runs, prices=prices)


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


def test_the_table_and_the_sentences(snapshot: Callable[[str, str], None]) -> None:
    """A row an arm with the interval of what counts, and a plain sentence a comparison, chance or not."""
    snapshot("eval-table.txt", "\n".join(lines(Screen(io.StringIO()), found(Prices(3.0, 15.0)))))


def test_a_narrow_screen_does_without_some_columns() -> None:
    """What counts stays; no line is wider than the screen."""
    shown = lines(Screen(io.StringIO(), columns=60), found())
    assert all(len(line) <= 60 for line in shown)
    assert "WORK DONE" in shown[0] and "SECONDS" not in shown[0]


def test_a_difference_is_called_one_only_if_chance_does_not_explain_it() -> None:
    """Better, worse and no different are told apart, and dearer is worse."""
    said = {(one.arm, one.figure.key): verdict(one) for one in found().compared}
    assert said["rail", "share"].endswith(": better, larger than chance")
    assert said["plain", "share"].endswith(": not larger than chance")
    assert said["rail", "tokens_in"].endswith(": worse, larger than chance")
    assert said["rail", "hollow"].endswith(": worse, larger than chance")


def test_only_tasks_that_both_arms_have_run_are_compared() -> None:
    """A run without its counterpart is in the means, and in no comparison."""
    runs = [run("none", 1, 1), run("none", 2, 1), run("rail", 2, 3), run("rail", 3, 6)]
    (share,) = [one for one in results(runs).compared if one.figure.key == "share"]
    assert share.difference.pairs == 1
    assert share.difference.mean.value == pytest.approx(2 / 6)


def test_what_arms_are_held_against_can_be_chosen() -> None:
    """Ablations are held against the arm that they are taken from."""
    runs = [run(arm, seed, 3) for arm in ("none", "rail", "rail-no-tail") for seed in range(2)]
    assert {(one.arm, one.against) for one in results(runs, "rail").compared} == {
        ("none", "rail"),
        ("rail-no-tail", "rail"),
    }


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
    assert nice(most) == pytest.approx(end)


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
    html = page({"model": HOSTILE}, results([run("none", 1, 1), evil]))
    tags = Tags()
    tags.feed(html)
    assert "script" not in tags.tags and "img" not in tags.tags
    assert "onerror" not in tags.attributes
    assert "&lt;script&gt;" in html
    assert "\x1b" not in html and "\u202e" not in html


def test_the_table_for_documents(snapshot: Callable[[str, str], None]) -> None:
    """The figures as Markdown, for a page of documentation."""
    snapshot("eval-table.md", table(found()))


def test_no_runs_at_all() -> None:
    """Before the first run there is a page, and a line."""
    assert lines(Screen(io.StringIO()), results([])) == ["No runs yet."]
    assert "Does a plan help" in page({"model": "m"}, results([]))
