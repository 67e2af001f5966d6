"""What people can say and see of a todo on the page, in a real browser: details, sections, ids, work, approval."""

from page_driving import open_plan, plan, todo
from patience import wait_until
from playwright.sync_api import Page, expect
from web_driving import Served, board

from holdfast.plan import About, DetailsWish


def test_details_by_keyboard(served: Served, page: Page) -> None:
    """`i` opens what else can be said of a todo; Enter saves only what was changed; Escape changes nothing."""
    main = plan(served)
    open_plan(page, served, main)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("i")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Fix the bug")
    dialog.get_by_label("Comes after").fill("1")
    dialog.get_by_label("Priority").select_option("high")
    dialog.get_by_label("Who does it").fill("ann")
    dialog.get_by_label("Section").fill("Build")
    dialog.get_by_label("Note").fill("Two lines\nof <b>text</b>")
    dialog.get_by_label("Section").press("Enter")
    expect(dialog).to_have_count(0)
    row = todo(page, "Fix the bug")
    for badge in ("high priority", "waits for #1", "ann"):
        expect(row).to_contain_text(badge)
    details = main.plan.todos[1].details
    assert details.blocked_by == ("1",) and details.section == "Build" and details.description.endswith("<b>text</b>")
    revision = main.plan.revision
    page.keyboard.press("i")
    dialog.get_by_label("Who does it").fill("bob")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert main.plan.revision == revision


def test_details_that_somebody_else_changed_meanwhile(served: Served, page: Page) -> None:
    """The second is told, and the first stays."""
    main = plan(served)
    open_plan(page, served, main)
    page.keyboard.press("i")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Who does it").fill("ann")
    main.edit("1", details=DetailsWish(owner="bob"))
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="Somebody changed this first")).to_be_visible()
    assert main.plan.todos[0].details.owner == "bob"


def test_a_wrong_detail_is_refused_with_its_reason(served: Served, page: Page) -> None:
    """A todo that does not exist cannot come first; nothing is changed."""
    main = plan(served)
    open_plan(page, served, main)
    page.keyboard.press("i")
    page.get_by_role("dialog").get_by_label("Comes after").fill("9")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.locator(".notice")).to_contain_text("9")
    assert main.plan.revision == 1


def test_ids_sections_reasons_and_work_are_shown(served: Served, page: Page) -> None:
    """What a command may name, what groups the todos, why one is blocked, and what was done for one."""
    main = plan(served)
    main.record_tool_use("bash", {"command": "pytest -q"})
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    main.edit("2", details=DetailsWish(section="Build"))
    main.edit("3", status="blocked", details=DetailsWish(section="Build", reason="no licence"))
    open_plan(page, served, main)
    assert page.locator(".todo .id").all_inner_texts() == ["1", "2", "3"]
    expect(page.locator('.todo[data-section="Build"]')).to_have_count(1)
    expect(todo(page, "Run the tests")).to_contain_text("because: no licence")
    done = todo(page, "Read the code")
    done.get_by_text("What was done for it").click()
    expect(done).to_contain_text("ran pytest -q")


def test_a_plan_that_waits_for_approval_is_the_first_thing_to_see(served: Served, page: Page) -> None:
    """On top of the overview, and with one button on the plan; what was approved is in the history."""
    plan(served, "running")
    main = board(served.store, "review-me")
    main.write({"todos": [{"content": "Drop the old table"}]})
    main.request_review()
    page.goto(served.url)
    expect(page.locator(".pace").first).to_contain_text("Waits for you")
    first = page.locator(".card").first
    expect(first).to_contain_text("Waits for your approval")
    first.get_by_role("link").first.click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_hidden()
    wait_until(lambda: not main.plan.awaits_approval)
    expect(page.locator(".changes")).to_contain_text("approved the plan")
    page.goto(served.url)
    expect(page.locator(".card").first).to_contain_text("running")


def test_sessions_by_project_and_by_client(served: Served, page: Page) -> None:
    """Titles, client, folder and branch are on the cards; they group the sessions, and the search finds them."""
    for session, client, folder in (("a1", "codex", "/srv/shop"), ("b2", "claude-code", "/srv/api")):
        main = board(served.store, session)
        main.introduce(About(title=f"Title of {session}", client=client, folder=folder, branch="main"))
        main.write({"todos": [{"content": "Begin"}]})
    page.goto(served.url)
    card = page.locator(".card", has_text="Title of a1")
    expect(card).to_contain_text("a1 · codex · /srv/shop · main")
    page.get_by_label("Order of the sessions").select_option("project")
    headings = page.locator(".pace h2")
    expect(headings).to_have_count(2)
    assert [text.strip() for text in headings.all_inner_texts()] == ["/srv/api", "/srv/shop"]
    page.get_by_label("Order of the sessions").select_option("client")
    expect(headings.first).to_contain_text("claude-code")
    page.get_by_role("searchbox").fill("codex")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".card")).to_contain_text("Title of a1")


def test_a_session_is_renamed_on_the_page(served: Served, page: Page) -> None:
    """By keyboard alone: Enter keeps the new name, Escape leaves the old one, an empty one takes it away."""
    main = plan(served)
    open_plan(page, served, main)
    rename, title = page.get_by_role("button", name="Rename"), page.get_by_role("heading", level=1)
    for typed, key, name in (
        ("Parser, second try", "Enter", "Parser, second try"),
        ("no", "Escape", "Parser, second try"),
        ("", "Enter", "release"),
    ):
        rename.focus()
        page.keyboard.press("Enter")
        page.get_by_label("Name of the session").fill(typed)
        page.keyboard.press(key)
        expect(title).to_have_text(name)
        expect(rename).to_be_focused()
    assert main.plan.about.name == ""


def test_the_history_says_what_was_changed_besides_the_text(served: Served, page: Page) -> None:
    """An owner or a heading is named, so that two such changes are told from each other."""
    main = plan(served)
    open_plan(page, served, main)
    main.edit("2", details=DetailsWish(owner="ann", section="Later"))
    expect(page.locator(".changes")).to_contain_text("changed the owner, the heading of Fix the bug")
