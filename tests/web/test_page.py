"""The page in a real browser: it shows what agents do as they do it, and lets a person correct it."""

import re
import subprocess
import sys
from pathlib import Path

from page_driving import STEPS, drag, open_plan, plan, todo
from patience import PATIENCE
from playwright.sync_api import Page, expect
from ports import free_port
from web_driving import Served, board, serving

from holdfast import Board, CheckResult
from holdfast.plan import Change, Details, Plan, Status, Todo
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore
from holdfast.web.ids import plan_id


def test_a_change_by_another_process_appears_by_itself(served: Served, page: Page, db: Path) -> None:
    """On the overview and in the plan, marked, without a click; focus and scroll stay where they are."""
    main = plan(served)
    page.goto(served.url)
    card = page.locator(".card", has_text="release")
    expect(card).to_contain_text("Read the code")
    page.get_by_role("searchbox").focus()
    command = [sys.executable, "-m", "holdfast", "done", "1", "--db", str(db), "--session", "release"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    expect(card).to_contain_text("1/3")
    expect(card).to_have_class(re.compile("(is|was)-fresh"))
    expect(page.get_by_role("searchbox")).to_be_focused()
    card.get_by_role("link").click()
    todo(page, "Fix the bug").get_by_role("checkbox").focus()
    main.write({"todos": [{"id": "2", "status": "in_progress"}, {"content": "Write it down"}]})
    expect(todo(page, "Write it down")).to_be_visible()
    expect(todo(page, "Fix the bug").get_by_role("checkbox")).to_have_attribute("aria-checked", "mixed")
    expect(todo(page, "Fix the bug").get_by_role("checkbox")).to_be_focused()
    expect(page.locator(".changes li").first).to_contain_text("added Write it down")


def test_a_new_session_appears_and_a_finished_one_is_folded(served: Served, page: Page) -> None:
    """What runs stands on top; what is finished is counted, and shown when it is asked for."""
    page.goto(served.url)
    expect(page.locator(".nothing")).to_contain_text("No plans yet")
    main = plan(served)
    expect(page.locator('[data-pace="running"] .card')).to_contain_text("release")
    main.write({"todos": [{"id": id, "status": "completed"} for id in "123"]})
    expect(page.locator('[data-pace="running"]')).to_be_hidden()
    expect(page.locator(".card")).to_be_hidden()
    page.locator("summary", has_text="Finished").click()
    expect(page.locator(".card")).to_contain_text("3 todos done in")


def test_sessions_are_filtered_and_found(served: Served, page: Page) -> None:
    """By pace, and by what is in them; a subagent stands under its session."""
    plan(served, "parser")
    plan(served, "parser", "explorer")
    plan(served, "stuck").edit("1", status=Status.BLOCKED)
    page.goto(served.url)
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".card", has_text="parser").locator(".agents")).to_contain_text("explorer")
    page.get_by_role("button", name="Waiting").click()
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".card")).to_contain_text("Blocked: Read the code")
    page.get_by_role("button", name="All").click()
    page.keyboard.press("/")
    page.keyboard.type("PARS")
    expect(page.locator(".card")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.locator(".nothing")).to_contain_text("nowhere")


def test_a_person_edits_and_takes_it_back(served: Served, page: Page) -> None:
    """Tick, reword, add, cancel, remove, undo; and the page says when the model has been told."""
    main = plan(served)
    open_plan(page, served, main)
    todo(page, "Read the code").get_by_role("checkbox").click()
    expect(todo(page, "Read the code")).to_have_attribute("data-status", "completed")
    expect(page.locator(".banner", has_text="will be told of 1 edit")).to_be_visible()
    expect(todo(page, "Read the code")).to_contain_text("model not told yet")
    todo(page, "Fix the bug").locator(".words").dblclick()
    page.get_by_label("New text").fill("Fix the bug for good")
    page.keyboard.press("Enter")
    expect(todo(page, "Fix the bug for good")).to_be_visible()
    page.get_by_label("A new todo").fill("Rest")
    page.keyboard.press("Enter")
    expect(todo(page, "Rest")).to_be_visible()
    todo(page, "Rest").get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Cancel").click()
    expect(todo(page, "Rest")).to_have_attribute("data-status", "cancelled")
    todo(page, "Rest").get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(todo(page, "Rest")).to_have_count(0)
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(todo(page, "Rest")).to_be_visible()
    expect(page.locator(".undo")).to_have_attribute("title", "Undo: cancelled Rest")
    page.locator(".undo").click()
    expect(todo(page, "Rest")).to_have_attribute("data-status", "pending")
    assert [each.content for each in main.plan.todos] == [
        "Read the code",
        "Fix the bug for good",
        "Run the tests",
        "Rest",
    ]
    main.mark_edits_told()
    expect(page.locator(".banner", has_text="has been told")).to_be_visible()
    expect(page.locator(".todo", has_text="not told yet")).to_have_count(0)


def test_a_todo_is_dragged_to_its_place(served: Served, page: Page) -> None:
    """By its grip, with the others making room."""
    main = plan(served)
    open_plan(page, served, main)
    drag(page, todo(page, "Run the tests"), todo(page, "Read the code"))
    page.mouse.up()
    expect(page.locator(".todo .words").first).to_have_text("Run the tests")
    assert [each.content for each in main.plan.todos] == ["Run the tests", "Read the code", "Fix the bug"]


def test_a_todo_is_dragged_past_the_edge_of_the_window(served: Served, page: Page) -> None:
    """The page scrolls along, to the end of the list and no further; there the todo is let go."""
    main = board(served.store, "long", "main")
    names = [f"Step {number}" for number in range(40)]
    assert main.write({"todos": [{"content": name} for name in names]}).ok
    open_plan(page, served, main)
    page.set_viewport_size({"width": 800, "height": 500})
    first = page.locator(".todo").first
    first.hover()
    grip = first.locator(".grip").bounding_box()
    assert grip is not None
    page.mouse.move(grip["x"] + 4, grip["y"] + 4)
    page.mouse.down()
    page.mouse.move(grip["x"] + 4, 490, steps=4)
    expect(page.locator(".todo").last).to_be_in_viewport(ratio=1)
    page.mouse.up()
    expect(page.locator(".todo .words").last).to_have_text("Step 0")
    assert [each.content for each in main.plan.todos] == [*names[1:], "Step 0"]


def test_the_later_of_two_sees_the_conflict(served: Served, page: Page) -> None:
    """What the plan is now, and what one wrote; it can still be made anyway."""
    main = plan(served)
    open_plan(page, served, main)
    page.route("**/api/events*", lambda route: route.abort())
    page.route(f"**/api/plans/{plan_id(main.key)}", lambda route: route.abort())
    main.edit("2", content="Fix it the other way")
    todo(page, "Fix").locator(".words").dblclick()
    page.get_by_label("New text").fill("Fix it my way")
    page.keyboard.press("Enter")
    banner = page.locator('.banner[data-kind="conflict"]')
    expect(banner).to_contain_text("Somebody changed this first")
    expect(banner).to_contain_text("Fix it my way")
    expect(todo(page, "Fix it the other way")).to_be_visible()
    banner.get_by_role("button", name="Make my change anyway").click()
    expect(todo(page, "Fix it my way")).to_be_visible()
    expect(banner).to_be_hidden()


def test_what_one_types_does_not_overwrite_what_others_write_meanwhile(served: Served, page: Page) -> None:
    """The page is up to date all the while: what counts is what one saw when one began to type."""
    main = plan(served)
    open_plan(page, served, main)
    todo(page, "Fix the bug").locator(".words").dblclick()
    page.keyboard.type("Fix it my way")
    main.edit("2", content="Fix it the other way")
    expect(page.locator(".changes li").first).to_contain_text("Fix it the other way")
    page.keyboard.press("Enter")
    banner = page.locator('.banner[data-kind="conflict"]')
    expect(banner).to_contain_text("You wrote: “Fix it my way”")
    expect(todo(page, "Fix it the other way")).to_be_visible()
    assert main.plan.todos[1].content == "Fix it the other way"
    todo(page, "Run the tests").get_by_role("checkbox").click()
    expect(todo(page, "Run the tests")).to_have_attribute("data-status", "completed")
    banner.get_by_role("button", name="Make my change anyway").click()
    expect(todo(page, "Fix it my way")).to_be_visible()


def test_a_status_that_changes_while_one_types_is_no_conflict(served: Served, page: Page) -> None:
    """The words are as one saw them: both changes stand."""
    main = plan(served)
    open_plan(page, served, main)
    todo(page, "Fix the bug").locator(".words").dblclick()
    page.keyboard.type("Fix it my way")
    main.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]})
    expect(page.locator(".changes li").first).to_contain_text("started Fix the bug")
    page.keyboard.press("Enter")
    expect(todo(page, "Fix it my way")).to_have_attribute("data-status", "in_progress")
    expect(page.locator('.banner[data-kind="conflict"]')).to_be_hidden()


def test_a_todo_is_not_dropped_into_an_order_that_nobody_saw(served: Served, page: Page) -> None:
    """If others change the order while one drags, nothing is moved until one has seen it."""
    main = plan(served)
    open_plan(page, served, main)
    drag(page, todo(page, "Run the tests"), todo(page, "Read the code"))
    main.move("2", 0)
    expect(page.locator(".changes li").first).to_contain_text("order")
    page.mouse.up()
    expect(page.locator('.banner[data-kind="conflict"]')).to_be_visible()
    assert [each.id for each in main.plan.todos] == ["2", "1", "3"]


def test_a_change_elsewhere_in_the_plan_is_no_conflict(served: Served, page: Page) -> None:
    """What one edits is as one saw it: it is edited, and both changes stand."""
    main = plan(served)
    open_plan(page, served, main)
    page.route(f"**/api/plans/{plan_id(main.key)}", lambda route: route.abort())
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    todo(page, "Run the tests").get_by_role("checkbox").click()
    expect(todo(page, "Run the tests")).to_have_attribute("data-status", "completed")
    assert [str(each.status) for each in main.plan.todos] == ["completed", "in_progress", "completed"]


def test_one_looks_back_in_time(served: Served, page: Page) -> None:
    """The slider shows the plan as it was, which cannot be changed, and leads back to now."""
    main = plan(served)
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    main.add("Rest")
    open_plan(page, served, main)
    slider = page.get_by_label("Look back in time")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator(".todo")).to_have_count(3)
    expect(todo(page, "Read the code")).to_have_attribute("data-status", "in_progress")
    expect(page.locator(".banner", has_text="at revision 1")).to_be_visible()
    assert "planned 3 todos" in (slider.get_attribute("aria-valuetext") or "")
    expect(page.get_by_label("A new todo")).to_be_hidden()
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".todo")).to_have_count(4)
    page.locator(".changes button", has_text="completed Read the code").click()
    expect(page.locator(".todo")).to_have_count(3)


def test_the_past_counts_as_it_was(served: Served, page: Page) -> None:
    """In the line below the name, at the agent's name, and in the title of the window."""
    main = plan(served)
    plan(served, agent="helper")
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    main.add("Rest")
    open_plan(page, served, main)
    pill = page.get_by_role("link", name="main agent")
    expect(pill).to_contain_text("1/4")
    page.locator(".changes button", has_text="completed Read the code").click()
    expect(page.locator(".head .progress")).to_contain_text("1 of 3 done")
    expect(pill).to_contain_text("1/3")
    expect(page).to_have_title(re.compile("^1/3 release"))
    page.keyboard.press("Escape")
    expect(pill).to_contain_text("1/4")


def test_an_unknown_plan_leads_back(served: Served, page: Page) -> None:
    """An old link says that the plan is not there, and shows the way to all others."""
    plan(served)
    page.goto(f"{served.url}#/plan/nonsense")
    expect(page.locator("main")).to_contain_text("There is no such plan.")
    page.locator("main").get_by_role("link", name="All sessions").click()
    expect(page.locator(".card")).to_be_visible()


def test_the_timeline_shows_how_long_each_took(served: Served, page: Page) -> None:
    """A bar from its start to its end, and what has not begun has none."""
    now = [1_767_348_000.0]
    main = Board(store=served.store, session="release", clock=lambda: now[0])
    main.write(
        {"todos": [{"content": STEPS[0], "status": "in_progress"}, {"content": STEPS[1]}, {"content": STEPS[2]}]}
    )
    now[0] += 90
    main.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]})
    now[0] += 30
    main.write({"todos": [{"id": "2", "status": "completed"}]})
    open_plan(page, served, main)
    bars = page.locator(".bars li")
    expect(bars.nth(0)).to_contain_text("1m 30s")
    expect(bars.nth(1)).to_contain_text("30s")
    widths = [bars.nth(at).locator("i").evaluate("bar => bar.getBoundingClientRect().width") for at in (0, 1)]
    assert 2.5 < widths[0] / widths[1] < 3.5


def test_the_page_comes_back_when_the_server_does(page: Page, db: Path) -> None:
    """It says that it is not connected, and then shows what was changed meanwhile."""
    store = SQLiteStore(db)
    port = free_port()
    with serving(store, port=port) as first:
        main = plan(first)
        open_plan(page, first, main)
    expect(page.locator(".live")).to_have_attribute("data-state", "broken")
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    main.add("Rest")
    with serving(store, port=port):
        expect(page.locator(".live")).to_have_attribute("data-state", "live")
        expect(todo(page, "Rest")).to_be_visible()
        expect(page.locator(".changes li")).to_have_count(3)
        expect(todo(page, "Read the code")).to_have_attribute("data-status", "completed")
    store.close()


def test_what_only_some_agents_say_is_shown(served: Served, page: Page) -> None:
    """A description, a priority, an owner, and what a todo waits for."""
    details = Details("Line one\nline two", "high", ("1",), "explorer", "")
    todos = (Todo("1", "First", created_at=1.0), Todo("2", "Second", created_at=1.0, details=details))
    key = Key("release", "main")
    served.store.commit(key, Change(Plan(), Plan(todos, revision=1, updated_at=1.0, next_id=3)))
    page.goto(f"{served.url}#/plan/{plan_id(key)}")
    row = todo(page, "Second")
    for words in ("high priority", "explorer", "waits for #1"):
        expect(row).to_contain_text(words)
    row.get_by_text("Description", exact=True).click()
    expect(row.locator(".more-text").first).to_have_text("Line one\nline two")


def test_a_proved_todo_looks_different_from_a_claimed_one(served: Served, page: Page) -> None:
    """The output is there on demand, and nothing in it is obeyed; a tick by hand is only a claim."""
    main = plan(served)
    main.verify_with(lambda check: CheckResult(True, "<img src=x onerror=alert(1)>\n3 passed"))
    for id in ("1", "2"):
        main.edit(id, check="make test")
    main.edit("1", status=Status.COMPLETED)
    open_plan(page, served, main)
    proved, other = todo(page, "Read the code"), todo(page, "Fix the bug")
    expect(proved.locator('.badge[data-kind="proved"]')).to_have_text("proved")
    expect(proved.locator(".more-text", has_text="3 passed")).to_be_hidden()
    proved.get_by_text("What it passed").click()
    expect(proved.locator(".more-text", has_text="3 passed")).to_contain_text("make test\n<img src=x onerror=alert(1)>")
    expect(page.locator(".todo img")).to_have_count(0)
    expect(other.locator(".badge")).to_contain_text(["must pass: make test"])
    other.get_by_role("checkbox").click()
    expect(other.locator('.badge[data-kind="claimed"]')).to_have_text("claimed, not checked: make test")
