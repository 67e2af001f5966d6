"""Undo, redo and restore in a real browser: what is taken away can be brought back, and no single key takes all."""

import re
import time

from page_driving import open_plan, plan, todo
from playwright.sync_api import Page, Route, expect
from web_driving import Served

from holdfast import Board


def test_an_undo_that_would_empty_a_plan_asks_first(served: Served, page: Page) -> None:
    """By keyboard: Enter and Escape keep the plan, and only the other button empties it."""
    main = plan(served)
    open_plan(page, served, main)
    question = page.get_by_role("alertdialog")
    for no in ("Enter", "Escape"):
        page.keyboard.press("u")
        expect(question).to_contain_text("all 3 todos")
        page.keyboard.press(no)
        expect(question).to_have_count(0)
        expect(page.locator(".todo")).to_have_count(3)
    assert main.plan.revision == 1
    page.keyboard.press("u")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".todo")).to_have_count(0)
    assert not main.plan.todos


def test_an_emptied_plan_is_found_and_brought_back(served: Served, page: Page) -> None:
    """Its card is with the finished ones, the search finds it, and one button brings its todos back."""
    main = plan(served)
    open_plan(page, served, main)
    assert main.undo().ok
    expect(page.locator(".list")).to_contain_text("This plan is empty")
    page.goto(served.url)
    page.locator("summary", has_text="Finished").click()
    expect(page.locator(".card", has_text="release")).to_contain_text("Emptied")
    page.get_by_role("searchbox").fill("relea")
    page.locator(".card", has_text="release").get_by_role("link").click()
    page.get_by_role("button", name="Bring it back").click()
    expect(page.locator(".todo")).to_have_count(3)
    main.clear()
    expect(page.locator(".todo")).to_have_count(0)
    page.get_by_role("button", name="Bring it back").click()
    expect(page.locator(".todo")).to_have_count(3)


def test_an_undo_is_taken_back(served: Served, page: Page) -> None:
    """By a button that is there only after an undo, and by a key; the next undo is again of the change itself."""
    main = plan(served)
    open_plan(page, served, main)
    redo = page.locator(".redo")
    expect(redo).to_be_hidden()
    todo(page, "Fix the bug").get_by_role("checkbox").click()
    expect(todo(page, "Fix the bug")).to_have_attribute("data-status", "completed")
    for way in ("button", "key"):
        page.keyboard.press("u")
        expect(todo(page, "Fix the bug")).to_have_attribute("data-status", "pending")
        expect(redo).to_be_visible()
        redo.click() if way == "button" else page.keyboard.press("r")
        expect(todo(page, "Fix the bug")).to_have_attribute("data-status", "completed")
        expect(redo).to_be_hidden()
        expect(page.locator(".undo")).to_have_attribute("title", "Undo: completed Fix the bug")


def test_a_plan_is_restored_from_its_past(served: Served, page: Page) -> None:
    """What the plan was then is what it is now, and the model will be told."""
    main = plan(served)
    main.write({"todos": [{"content": "Something else entirely"}]})
    open_plan(page, served, main)
    page.locator(".changes button", has_text="planned 3 todos").click()
    page.get_by_role("button", name="Restore this plan").click()
    expect(page.get_by_label("A new todo")).to_be_visible()
    expect(page.locator(".todo")).to_have_count(3)
    expect(page.locator(".banner", has_text="will be told of")).to_be_visible()
    expect(page.locator(".changes li").first).to_contain_text("restored an older plan")
    assert [each.content for each in main.plan.todos] == ["Read the code", "Fix the bug", "Run the tests"]
    page.keyboard.press("u")
    expect(todo(page, "Something else entirely")).to_be_visible()


def test_a_removal_is_undone_and_nothing_else(served: Served, page: Page) -> None:
    """If somebody has changed the plan since, the button of the notice does not take that back instead."""
    main = plan(served)
    open_plan(page, served, main)
    todo(page, "Fix the bug").get_by_role("checkbox").focus()
    page.keyboard.press("Delete")
    undo = page.locator(".notice").get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    expect(todo(page, "Read the code")).to_have_attribute("data-status", "completed")
    undo.click()
    expect(page.locator('.banner[data-kind="conflict"]')).to_be_visible()
    assert [str(each.status) for each in main.plan.todos] == ["completed", "in_progress"]


def test_the_last_todo_is_not_removed_by_one_key(served: Served, page: Page) -> None:
    """To remove it empties the plan, so the person is asked."""
    main = plan(served)
    assert main.remove("2").ok and main.remove("3").ok
    open_plan(page, served, main)
    page.keyboard.press("Delete")
    expect(page.get_by_role("alertdialog")).to_contain_text("the only todo")
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    expect(page.locator(".todo")).to_have_count(1)
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Empty the plan").click()
    expect(page.locator(".todo")).to_have_count(0)


def test_a_plan_that_is_deleted_says_so_and_is_gone(served: Served, page: Page) -> None:
    """Whoever looks at it is told, no card, feed or search has it, and a plan written later appears by itself."""
    main, other = plan(served), plan(served, "other")
    open_plan(page, served, main)
    assert Board.for_person(served.store, *main.key).delete().ok
    expect(page.locator("#main")).to_contain_text("This plan was deleted")
    expect(page.locator(".todo")).to_have_count(0)
    page.reload()
    expect(page.locator("#main")).to_contain_text("This plan was deleted")
    page.get_by_role("link", name="All sessions").click()
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".activity")).to_contain_text("deleted the plan")
    page.get_by_label("Order of the sessions").select_option("project")
    assert Board.for_person(served.store, *other.key).delete().ok
    expect(page.locator(".card")).to_have_count(0)
    page.go_back()
    plan(served)
    expect(page.locator(".todo")).to_have_count(3)


def test_a_change_that_comes_while_a_plan_is_fetched_is_seen(served: Served, page: Page) -> None:
    """The answer on its way may be older than the change: the plan is fetched once more."""
    main = plan(served)

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        assert main.edit("1", content="Changed meanwhile").ok
        time.sleep(1)  # the page hears of the change first
        route.fulfill(response=answer)

    page.goto(served.url)
    page.route(re.compile(r"/plans/[^/?]+$"), answer_late, times=1)
    page.locator(".card", has_text="release").get_by_role("link").click()
    expect(page.locator(".todo").first).to_contain_text("Changed meanwhile")
    assert main.plan.revision == 2
