"""The report in a real browser: it stands alone, leads to every run, and is for everyone, whatever a model wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import chromium
from playwright.sync_api import Browser, Page

from holdfast.evaluation.arms import USUAL
from holdfast.evaluation.records import RunRecord
from holdfast.evaluation.report import page
from holdfast.evaluation.results import compute_results

PHONE = {"width": 390, "height": 844}
HOSTILE = (
    "<script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\">"
    "</pre></div></details></main><h1>Owned</h1><style>body{display:none}</style>\x1b[2J\u202egnp.exe & \"'"
)
KINDS = ("user", "model", "call", "result", "failed", "reminder", "summary", "end")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all of these tests."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def report(tmp_path: Path) -> str:
    """The address of a report of four arms on seven tasks, with hostile text wherever a text can be."""
    runs = [_run(arm, seed, 1 + (seed + at) % 6) for at, arm in enumerate(USUAL) for seed in range(7)]
    runs.append(_run(HOSTILE, 1, 2, task=HOSTILE, reason=HOSTILE))
    file = tmp_path / "report.html"
    file.write_text(page({"model": HOSTILE, "turns": 30}, compute_results(runs)), encoding="utf-8")
    return file.as_uri()


def _run(arm: str, seed: int, done: int, **more: Any) -> RunRecord:
    made = RunRecord(f"files-6-{seed}", "files", arm, done, 6, 1, 0, False, 10, 1000 + 9 * seed, 100, 2.5, 1, "done")
    said = tuple({"kind": kind, "text": f"first\n{HOSTILE}"} for kind in (*KINDS, HOSTILE))
    jobs = tuple((f"job {at} {HOSTILE}", at < done) for at in range(6))
    todos = ((HOSTILE, "completed"), (HOSTILE, "pending"))
    return made._replace(verdicts=jobs, todos=todos, transcript=said, **more)


def opened(browser: Browser, url: str, asked: list[str], **how: Any) -> Page:
    """The page, with all that it asks for and complains of."""
    tab = browser.new_context(**how).new_page()
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda said: asked.append(said.text))
    tab.on("dialog", lambda dialog: asked.append(dialog.message))
    tab.goto(url)
    return tab


def test_it_loads_nothing_and_obeys_nothing(browser: Browser, report: str) -> None:
    """What a model wrote is shown as it is, in every run, and nothing of it is done or fetched."""
    asked: list[str] = []
    tab = opened(browser, report, asked)
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert asked == [report]
    assert tab.title().startswith("holdfast eval: <script>")
    assert tab.locator("h1").count() == 1 and tab.locator("script, img, main style").count() == 0
    shown = tab.locator(".entry.call pre").first.inner_text()
    assert shown.startswith("first\n<script>document.title='owned'</script><img src=")
    assert shown.endswith("␛[2J\ufffdgnp.exe & \"'")


def test_a_number_leads_to_its_run(browser: Browser, report: str) -> None:
    """From the table of all runs one gets to a transcript, which opens without a script."""
    tab = opened(browser, report, [])
    place = tab.locator(".runs tbody tr", has_text="files-6-4").locator("a").nth(3)
    assert place.inner_text() == "2 of 6"
    place.click()
    run = tab.locator("details[open]")
    assert run.count() == 1
    assert "files-6-4 2 of 6 done" in run.locator("summary").inner_text()
    assert tab.locator("h3", has_text="rail").first.is_visible()
    assert run.locator(".both li.is-done b").first.inner_text() == "done"
    assert run.locator(".both li.is-open b").first.inner_text() == "not done"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_for_everyone(browser: Browser, report: str, scheme: str) -> None:
    """Light or dark as the system is, nobody is kept out: axe finds nothing, plots included."""
    tab = opened(browser, report, [], color_scheme=scheme, bypass_csp=True)  # axe is a script of the test's own
    tab.locator("summary").first.click()
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    paper = tab.evaluate("getComputedStyle(document.querySelector('.paper')).fill")
    assert (ground, paper) == {
        "light": ("rgb(245, 244, 241)", "rgb(255, 255, 255)"),
        "dark": ("rgb(18, 20, 23)", "rgb(26, 29, 34)"),
    }[scheme]
    found = Axe().run(tab).response["violations"]
    assert [f"{one['id']}: {[node['html'][:120] for node in one['nodes']][:3]}" for one in found] == []


@pytest.mark.parametrize("font", ["system-ui", "serif", "monospace", "24px sans-serif"])
def test_it_fits_a_phone(browser: Browser, report: str, font: str) -> None:
    """Only the tables move sideways, each by itself, and their first column stays, whatever font a machine has."""
    tab = opened(browser, report, [], viewport=PHONE)
    tab.locator("summary").first.click()
    tab.evaluate("font => { document.body.style.font = font }", font if " " in font else f"15px {font}")
    assert tab.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    table = tab.locator(".wide").first
    assert table.evaluate("one => { one.scrollLeft = 300; return one.scrollLeft }") == 300
    first = table.locator("tbody th").first.bounding_box()
    assert first is not None and 0 <= first["x"] <= 32
