"""Plans for the page in a browser, and where they are on it."""

from playwright.sync_api import Locator, Page, expect
from web_driving import Served, board

from holdfast import Board
from holdfast.web.ids import plan_id

STEPS = ("Read the code", "Fix the bug", "Run the tests")


def plan(served: Served, session: str = "release", agent: str = "main") -> Board:
    """An agent plans, and starts with the first."""
    main = board(served.store, session, agent)
    todos = [{"content": text, "status": "pending" if at else "in_progress"} for at, text in enumerate(STEPS)]
    assert main.write({"todos": todos}).ok
    return main


def open_plan(page: Page, served: Served, main: Board) -> None:
    """Open the page at a plan, live."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    expect(page.locator(".todo")).not_to_have_count(0)


def todo(page: Page, text: str) -> Locator:
    """The row of a todo."""
    return page.locator(".todo", has_text=text)


def drag(page: Page, row: Locator, target: Locator) -> None:
    """Take a todo by its grip and hold it over another one, without letting go."""
    row.hover()
    start, end = row.locator(".grip").bounding_box(), target.bounding_box()
    assert start is not None and end is not None
    page.mouse.move(start["x"] + 4, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + 4, end["y"] + 4, steps=8)
