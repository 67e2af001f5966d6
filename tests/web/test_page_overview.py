"""The overview in a real browser: cards or a dense list, in any order, with what happened last beside it."""

import time
from collections.abc import Callable

import pytest
from page_driving import STEPS, plan
from playwright.sync_api import Page, expect
from web_driving import Served, board

from holdfast import Board
from holdfast.plan import Status
from holdfast.web import overview

DAY = 86_400.0


def at(seconds: float) -> Callable[[], float]:
    """A clock that stands still."""
    return lambda: seconds


def names(page: Page) -> list[str]:
    """The sessions as they stand on the page."""
    return page.locator(".card h3").all_text_contents()


def test_a_dense_list_shows_each_session_in_a_line(served: Served, page: Page) -> None:
    """More of them fit, their parts stand below each other, and the choice is kept."""
    for number in range(6):
        plan(served, f"session-{number}" + "x" * number)
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(6)
    high = page.locator(".card").first.bounding_box()
    page.get_by_role("button", name="List").click()
    page.reload()
    expect(page.locator(".card")).to_have_count(6)
    boxes = [page.locator(".card").nth(place).bounding_box() for place in range(6)]
    assert high is not None and all(box is not None and box["height"] < high["height"] / 2 for box in boxes)
    signs = page.locator(".card .strip").evaluate_all("all => all.map(strip => strip.getBoundingClientRect().left)")
    assert len(set(signs)) == 1
    page.get_by_role("link", name="session-3xxx", exact=True).click()
    expect(page.locator("h1")).to_have_text("session-3xxx")


def test_sessions_stand_in_the_order_that_is_asked_for(served: Served, page: Page) -> None:
    """By state, by the day of the last change, by name; a filter works in each, and the order is kept."""
    now = time.time()
    for name, days, status in (("delta", 0, "pending"), ("alpha", 20, "completed"), ("beta", 3, "pending")):
        writer = Board(store=served.store, session=name, clock=at(now - days * DAY))
        assert writer.write({"todos": [{"content": "One", "status": status}, {"content": "Two", "status": status}]}).ok
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_label("Order of the sessions").select_option("changed")
    expect(page.locator(".card")).to_have_count(3)
    assert names(page) == ["delta", "beta", "alpha"]
    shown = page.locator(".pace:visible h2").all_text_contents()
    assert [heading.strip() for heading in shown] == ["Today", "In the last seven days", "Earlier"]
    page.get_by_label("Order of the sessions").select_option("name")
    expect(page.locator(".pace:visible h2")).to_have_count(1)
    assert names(page) == ["alpha", "beta", "delta"]
    page.reload()
    expect(page.locator(".card")).to_have_count(3)
    assert names(page) == ["alpha", "beta", "delta"]
    page.get_by_role("button", name="Finished").click()
    expect(page.locator(".card")).to_have_count(1)
    plan(served, "carbon")
    page.get_by_role("button", name="All").click()
    expect(page.locator(".card")).to_have_count(4)
    assert names(page) == ["alpha", "beta", "carbon", "delta"]


def test_the_activity_says_what_happened_last(served: Served, page: Page) -> None:
    """In all plans, before the page was opened and after, each with a way to its plan."""
    main = plan(served, "parser")
    board(served.store, "parser").mark_edits_told()
    page.goto(served.url)
    feed = page.locator(".activity li")
    expect(feed).to_have_count(1)
    expect(feed.first).to_contain_text("model planned 3 todos")
    main.edit("2", status=Status.CANCELLED)
    plan(served, "other", "helper")
    expect(feed).to_have_count(3)
    expect(feed.nth(0)).to_contain_text("other / helper")
    expect(feed.nth(1)).to_contain_text("person cancelled Fix the bug")
    feed.nth(1).get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("parser")


def test_a_finished_card_says_what_was_done(served: Served, page: Page) -> None:
    """How many todos in how long, which ones, and what was left."""
    start = time.time() - 1000
    writer = Board(store=served.store, session="docs", clock=at(start))
    assert writer.write({"todos": [{"content": f"Step {number}", "status": "pending"} for number in range(7)]}).ok
    done = Board(store=served.store, session="docs", clock=at(start + 720))
    statuses = ["completed"] * 6 + ["cancelled"]
    done.update([{"id": str(place + 1), "status": status} for place, status in enumerate(statuses)])
    page.goto(served.url)
    page.locator("summary", has_text="Finished").click()
    card = page.locator(".card", has_text="docs")
    expect(card).to_contain_text("6 todos done in 12m, 1 cancelled")
    expect(card).to_contain_text("Step 0 · Step 1 · Step 2 · Step 3 · 2 more")


def test_an_empty_page_says_how_to_begin(served: Served, page: Page) -> None:
    """With commands that exist; they go when there is a plan."""
    page.goto(served.url)
    expect(page.locator(".nothing")).to_contain_text("No plans yet")
    expect(page.locator(".nothing code").first).to_have_text("holdfast install claude-code")
    expect(page.locator(".activity")).to_be_hidden()
    plan(served)
    expect(page.locator(".nothing")).to_be_hidden()
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.locator(".nothing")).to_contain_text("nowhere")
    expect(page.locator(".nothing code")).to_have_count(0)


def test_what_is_worked_on_is_said_once(served: Served, page: Page) -> None:
    """In a plan: its list says it, and nothing above the list repeats it."""
    main = plan(served)
    main.edit("1", active_form="Reading the code")
    page.goto(served.url)
    expect(page.get_by_text("Reading the code")).to_have_count(1)
    page.locator(".card").get_by_role("link").click()
    expect(page.get_by_text("Reading the code")).to_have_count(1)
    assert STEPS[0] not in page.locator(".head").inner_text()


def test_a_wide_screen_is_used(served: Served, page: Page) -> None:
    """The cards reach as far as the window; a plan, its times and its history stand beside each other."""
    page.set_viewport_size({"width": 1900, "height": 1000})
    for number in range(5):
        plan(served, f"session-{number}")
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(5)
    tops = page.locator(".card").evaluate_all("all => all.map(card => card.getBoundingClientRect().top)")
    assert tops.count(tops[0]) >= 4
    page.locator(".card").first.get_by_role("link").click()
    expect(page.locator(".todo")).to_have_count(3)
    lefts = page.locator(".sheet").evaluate_all("all => all.map(sheet => sheet.getBoundingClientRect().left)")
    assert lefts == sorted(set(lefts))


def test_cards_of_a_row_have_one_height_and_the_columns_of_lists_are_the_same_in_every_group(
    served: Served, page: Page
) -> None:
    """A card with subagents leaves no hole beside the others, and what waits for approval is a line above them."""
    for name in ("one", "two", "three"):
        plan(served, name)
    for number in range(6):
        plan(served, "two", f"helper-{number}")
    waits = plan(served, "waits")
    waits.request_review()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(4)
    boxes = [box for card in page.locator("[data-pace=running] .card").all() if (box := card.bounding_box())]
    first_row = [box for box in boxes if box["y"] == boxes[0]["y"]]
    assert len(first_row) == 2 and len({box["height"] for box in first_row}) == 1
    expect(page.locator(".card", has_text="two").locator(".agents li")).to_have_count(5)
    expect(page.locator(".card", has_text="two")).to_contain_text("2 more")
    line = page.locator("[data-pace=approval] .card").bounding_box()
    assert line is not None and line["width"] > 2 * first_row[0]["width"] and line["height"] < 60
    page.get_by_role("button", name="List").click()
    bars = [box["x"] for strip in page.locator(".strip").all() if (box := strip.bounding_box())]
    assert len(bars) == 4 and len(set(bars)) == 1


def test_a_very_wide_screen_has_five_cards_in_a_row(served: Served, page: Page) -> None:
    """On 2560 pixels there are five cards in a row, and no more than a tenth of the width is empty at the sides."""
    for number in range(8):
        plan(served, f"session {number}")
    page.set_viewport_size({"width": 2560, "height": 1300})
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(8)
    boxes = [box for card in page.locator(".card").all() if (box := card.bounding_box())]
    assert sum(box["y"] == boxes[0]["y"] for box in boxes) >= 5
    assert boxes[0]["x"] < 256


def test_older_sessions_are_told_of_and_found(served: Served, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many sessions the page lists those changed last; a search finds any other, and its plan opens."""
    monkeypatch.setattr(overview, "MOST_KNOWN", 3)
    for number in range(5):
        plan(served, f"session-{number}")
    served.sessions()
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(3)
    assert "session-0" not in names(page)
    expect(page.locator(".older")).to_have_text("There are older sessions. The search finds them.")
    page.get_by_role("searchbox").fill("SESSION-0")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".older")).to_be_hidden()
    page.get_by_role("link", name="session-0", exact=True).click()
    expect(page.locator("h1")).to_have_text("session-0")


def test_a_page_that_knows_everything_says_nothing_of_older_sessions(served: Served, page: Page) -> None:
    """Most stores are small."""
    plan(served, "session-0")
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".older")).to_be_hidden()
