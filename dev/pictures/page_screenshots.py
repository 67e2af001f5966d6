"""Make docs/images/page-*.png: the real `holdfast serve`, in a real Chromium, over a store that agents have written to.

.venv/bin/python -m dev.pictures.page_screenshots
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from dev import ROOT
from holdfast import Board
from holdfast.plan import About, DetailsWish
from holdfast.stores import Key
from holdfast.web.ids import plan_id

IMAGES = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
WIDE = {"width": 1180, "height": 800}
PHONE = {"width": 390, "height": 780}
SHOWN = Key("token-refresh", "main")


ORIGINS = {
    "token-refresh": ("claude-code", "tokens"),
    "invoice-pdf": ("codex", "main"),
    "drop-v1": ("claude-code", "drop-v1"),
    "nightly-import": ("opencode", "main"),
}
"""The client of a session, and its branch."""


class Shot(NamedTuple):
    """One picture: its name, the view, how the browser is set, and what is clicked first."""

    name: str
    view: str = "#/"
    settings: Mapping[str, Any] = {}
    click: str = ""


SHOTS = (
    Shot("page-overview"),
    Shot("page-list", click=".views button:last-child"),
    Shot("page-plan", f"#/plan/{plan_id(SHOWN)}"),
    Shot("page-plan-dark", f"#/plan/{plan_id(SHOWN)}", {"color_scheme": "dark"}),
    Shot("page-overview-chinese", settings={"locale": "zh-CN"}),
    Shot("page-phone", f"#/plan/{plan_id(SHOWN)}", {"viewport": PHONE}),
)


def board(db: Path, seconds_ago: float, session: str, agent: str = "main") -> Board:
    """A board whose clock is so many seconds behind."""
    at = time.time() - seconds_ago
    board = Board(store=db, session=session, agent=agent, clock=lambda: at)
    client, branch = ORIGINS.get(session, ("", ""))
    if client and agent == "main":
        board.introduce(About(client=client, folder="~/shop", branch=branch))
    return board


def complete_todo(db: Path, seconds_ago: float, session: str, id: str, agent: str = "main") -> None:
    """Complete a todo."""
    assert board(db, seconds_ago, session, agent).write({"todos": [{"id": id, "status": "completed"}]}).ok


def write_plan(
    db: Path, seconds_ago: float, session: str, steps: list[str], agent: str = "main", summary: str = ""
) -> None:
    """Write a plan, its first todo in progress. A step may have an active form after a `|`."""
    todos = [dict(zip(("content", "activeForm"), step.split(" | "), strict=False)) for step in steps]
    payload: dict[str, object] = {"todos": [{**todos[0], "status": "in_progress"}, *todos[1:]]}
    assert board(db, seconds_ago, session, agent).write(payload | ({"summary": summary} if summary else {})).ok


def write_plans(db: Path) -> None:
    """What a few agents wrote in the last hours."""
    for number, name in enumerate(["docs", "icons", "release-1.4", "flaky-tests", "typing"]):
        write_plan(db, 20_000 + number * 3_000, name, ["Outline it", "Write it", "Check every link"])
        for at, id in enumerate("123"):
            complete_todo(db, 19_000 - at * 300 + number * 3_000, name, id)
    write_plan(db, 9_000, "nightly-import", ["Fetch the dump", "Load it into staging", "Compare the counts"])
    complete_todo(db, 8_900, "nightly-import", "1")
    board(db, 8_800, "nightly-import").edit("2", status="blocked")
    steps = ["Measure the old one", "Build the new one beside it | Building the new one beside it", "Switch over"]
    write_plan(db, 9_500, "search-index", steps, summary="Rebuild the search index without downtime")
    complete_todo(db, 9_000, "search-index", "1")
    write_plan(
        db,
        1_300,
        "翻译手册",
        ["阅读英文原稿", "翻译第一章 | 正在翻译第一章", "校对术语", "发布"],
        summary="把手册翻译成中文",
    )
    complete_todo(db, 640, "翻译手册", "1")
    write_plan(db, 380, "invoice-pdf", ["Find a free font", "Lay out the page | Laying out the page", "Compare by eye"])
    complete_todo(db, 75, "invoice-pdf", "1")
    write_plan(db, 30, "drop-v1", ["Count who still calls it", "Drop the routes", "Drop the tables"])
    board(db, 25, "drop-v1").request_review()
    write_shown_plan(db)


def write_shown_plan(db: Path) -> None:
    """The plan that is shown whole, with two subagents, and two edits by a person."""
    steps = [
        "Read the session code",
        "Write a failing test for expired tokens",
        "Move the refresh into the middleware | Moving the refresh into the middleware",
        "Run the whole suite",
        "Update the changelog",
        "Remove the old helper",
    ]
    summary = "Refresh tokens in the middleware, not in every caller"
    write_plan(db, 940, SHOWN.session, steps, summary=summary)
    complete_todo(db, 700, SHOWN.session, "1")
    complete_todo(db, 310, SHOWN.session, "2")
    write_plan(
        db, 300, SHOWN.session, ["Find every caller", "Note which ones retry | Noting which ones retry"], "explorer"
    )
    complete_todo(db, 120, SHOWN.session, "1", "explorer")
    write_plan(db, 80, SHOWN.session, ["Read client/retry.py | Reading client/retry.py", "Sum up"], "explorer/reader")
    board(db, 60, SHOWN.session).edit("5", status="cancelled")
    board(db, 40, SHOWN.session).add("Tell the mobile team")
    for id in ("6", "7"):
        board(db, 40, SHOWN.session).edit(id, details=DetailsWish(section="After the release"))
    board(db, 39, SHOWN.session).edit("7", details=DetailsWish(owner="ann", blocked_by=("4",)))


@contextmanager
def page_address(home: Path, db: Path) -> Iterator[str]:
    """The real command, and its address."""
    command = [sys.executable, "-m", "holdfast", "serve", "--port", "0", "--db", str(db)]
    environ = {**os.environ, "HOME": str(home), "HOLDFAST_TRUST": "*"}  # the plans were written with another home
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.terminate()
        process.communicate()


def take_screenshot(browser: Browser, address: str, shot: Shot) -> Path:
    """Take one picture."""
    settings: dict[str, Any] = {"viewport": WIDE, "locale": "en-US", "reduced_motion": "reduce", **shot.settings}
    context = browser.new_context(device_scale_factor=1.5, **settings)
    page: Page = context.new_page()
    page.goto(address + shot.view)
    page.locator('.live[data-state="live"]').wait_for()
    page.locator(".card, .todo").first.wait_for()
    page.locator(".activity li, .changes li").first.wait_for(state="attached")
    if shot.click:
        page.locator(shot.click).click()
    path = IMAGES / f"{shot.name}.png"
    page.screenshot(path=path)
    context.close()
    return path


def main() -> None:
    """Take every picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = Path(folder, "shop", ".holdfast", "plans.db")
        write_plans(db)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with page_address(Path(folder), db) as address:
            for shot in SHOTS:
                print(take_screenshot(browser, address, shot).relative_to(ROOT))
        browser.close()


if __name__ == "__main__":
    main()
