"""The page for everyone: by keyboard alone, for screen readers, light and dark, on a phone, in English and Chinese."""

import re
import unicodedata
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import MILLISECONDS
from patience import wait_until
from playwright.sync_api import Browser, Page, expect
from web_driving import Served, board, serving

from holdfast import Board, web
from holdfast.plan import Status
from holdfast.stores import MemoryStore
from holdfast.text import one_line
from holdfast.web.access import PageAccess
from holdfast.web.ids import plan_id

LANGUAGES = Path(web.__file__).parent / "page" / "scripts" / "languages"
SERIOUS = ("serious", "critical")
PHONE = {"width": 390, "height": 844}
HOSTILE = [
    "<img src=x onerror=\"document.title='owned'\">",
    "<script>document.title='owned'</script>",
    "[click](javascript:document.title='owned')",
    "javascript:document.title='owned'",
    "</li></ol><h1>Owned</h1>",
    "\x1b[2J \u202egnp.exe \u2066x\x00",
    "{{constructor.constructor('document.title=1')()}} ${document.title=1}",
    "W" * 200,
]


@pytest.fixture
def main(served: Served) -> Board:
    """A plan with every status, an edit that is not told, and a subagent."""
    agent = board(served.store)
    agent.write(
        {"summary": "Release 1.0", "todos": [{"content": text} for text in ("One", "Two", "Three", "Four", "Five")]}
    )
    agent.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "in_progress"}]})
    agent.edit("3", status=Status.BLOCKED)
    agent.edit("4", status=Status.CANCELLED)
    board(served.store, agent="helper").write({"todos": [{"content": "Look", "status": "in_progress"}]})
    board(served.store, "finished").write({"todos": [{"content": "Done", "status": "completed"}]})
    return agent


def findings(page: Page) -> list[str]:
    """What axe finds that keeps people out: the rule and the place."""
    violations = Axe().run(page).response["violations"]
    return [f"{v['id']}: {[node['html'][:120] for node in v['nodes']]}" for v in violations if v["impact"] in SERIOUS]


def opened(browser: Browser, url: str, **how: object) -> Page:
    """A page of another kind."""
    context = browser.new_context(**how)  # type: ignore[arg-type]  # the many options of a context
    context.set_default_timeout(MILLISECONDS)
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_audit_finds_nothing_serious(browser: Browser, served: Served, main: Board, scheme: str) -> None:
    """In both themes, on the overview and in a plan with a menu open: contrast, names, roles."""
    page = opened(browser, served.url, color_scheme=scheme, reduced_motion="reduce")
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(18, 20, 23)") == (scheme == "dark")
    page.locator("summary", has_text="Finished").click()
    expect(page.locator(".card")).to_have_count(2)
    assert findings(page) == []
    page.get_by_role("button", name="List").click()
    assert findings(page) == []
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    expect(page.locator(".todo")).to_have_count(5)
    page.locator(".menu-button").first.click()
    assert findings(page) == []
    page.context.close()


def test_an_audit_finds_nothing_serious_in_what_opens(served: Served, main: Board, page: Page) -> None:
    """The help, and the plan as it was."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    page.locator(".changes button").last.click()
    expect(page.locator(".is-past")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert findings(page) == []


def test_everything_is_done_by_keyboard(served: Served, main: Board, page: Page) -> None:
    """From the overview into a plan, through its todos, and back, without a pointer."""
    page.goto(served.url)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    for _ in range(8):  # the four filters, the order, the two views, then the first card
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("release")
    page.locator(".tick").first.focus()
    page.keyboard.press("ArrowDown")
    focused = page.locator(".todo:focus-within")
    expect(focused).to_have_attribute("data-id", "2")
    page.keyboard.press("Space")
    expect(focused).to_have_attribute("data-status", "completed")
    page.keyboard.press("End")
    page.keyboard.press("s")
    expect(page.locator('.todo[data-id="5"]')).to_have_attribute("data-status", "in_progress")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".todo").nth(3)).to_have_attribute("data-id", "5")
    expect(focused).to_have_attribute("data-id", "5")
    page.keyboard.press("e")
    page.keyboard.type("Five, reworded")
    page.keyboard.press("Enter")
    expect(focused).to_contain_text("Five, reworded")
    page.keyboard.press("Delete")
    expect(page.locator('.todo[data-id="5"]')).to_have_count(0)
    expect(focused).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator('.todo[data-id="5"]')).to_have_count(1)
    page.keyboard.press("n")
    page.keyboard.type("Six")
    page.keyboard.press("Enter")
    expect(page.locator(".todo", has_text="Six")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_be_visible()


def test_a_menu_is_used_by_keyboard(served: Served, main: Board, page: Page) -> None:
    """Arrows go through it, Enter acts, Escape gives the focus back."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    button = page.locator(".todo", has_text="Five").locator(".menu-button")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Mark as done")).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="Block")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".todo", has_text="Five")).to_have_attribute("data-status", "blocked")


@pytest.mark.parametrize("way", ["address", "card"])
def test_keys_work_on_a_plan_that_was_just_opened(served: Served, main: Board, page: Page, way: str) -> None:
    """Without a Tab: they act on the todo that is marked, which is the one that is worked on."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}" if way == "address" else served.url)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    if way == "card":
        page.locator(".card h3 a").first.focus()
        page.keyboard.press("Enter")
    expect(page.locator(".todo.is-active")).to_have_attribute("data-id", "2")
    assert page.evaluate("getComputedStyle(document.querySelector('main')).outlineStyle") == "none"
    page.keyboard.press("b")
    expect(page.locator('.todo[data-id="2"]')).to_have_attribute("data-status", "blocked")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".todo:focus-within")).to_have_attribute("data-id", "1")


def test_keys_leave_other_parts_of_the_page_alone(served: Served, main: Board, page: Page) -> None:
    """An arrow at the slider moves through time, not through the todos."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    slider = page.get_by_label("Look back in time")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".is-past")).to_be_visible()
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".is-past")).to_be_hidden()
    for key in ("Delete", "b", "ArrowDown"):
        page.keyboard.press(key)
    expect(slider).to_be_focused()
    assert main.plan.revision == 4


def test_changes_are_said_to_screen_readers(served: Served, main: Board, page: Page) -> None:
    """Who cannot see the page hears what an agent did, and how each todo stands."""
    page.goto(f"{served.url}#/plan/{plan_id(main.key)}")
    expect(page.get_by_role("checkbox", name="Three: blocked")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Two: in progress")).to_have_attribute("aria-checked", "mixed")
    main.write({"todos": [{"id": "2", "status": "completed"}]})
    expect(page.locator("#said")).to_contain_text("model completed Two")


def test_a_phone_shows_everything_in_its_width(browser: Browser, served: Served, main: Board) -> None:
    """Nothing sticks out to the side, and what is to be touched is large enough."""
    page = opened(browser, served.url, viewport=PHONE, has_touch=True, is_mobile=True)
    sticks_out = "document.documentElement.scrollWidth > innerWidth"
    assert page.evaluate(sticks_out) is False
    page.locator(".card h3 a").first.tap()
    expect(page.locator(".todo")).to_have_count(5)
    assert page.evaluate(sticks_out) is False
    page.locator(".todo", has_text="Five").get_by_role("checkbox").tap()
    expect(page.locator(".todo", has_text="Five")).to_have_attribute("data-status", "completed")
    small = page.locator("button:visible").evaluate_all(
        "all => all.filter(b => b.getBoundingClientRect().height < 24 || b.getBoundingClientRect().width < 24).length"
    )
    assert small == 0
    page.context.close()


FITS = "document.documentElement.scrollWidth <= innerWidth"
APART = """labels => {
    const boxes = labels.map(label => label.getBoundingClientRect());
    return boxes.length > 1 && boxes.every((box, at) => at === 0 || boxes[at - 1].right <= box.left);
}"""
FONTS = ["DejaVu Sans", "Liberation Sans Narrow", "monospace", "300 20px DejaVu Serif"]


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("font", FONTS)
def test_a_phone_shows_everything_in_any_font(browser: Browser, served: Served, font: str, locale: str) -> None:
    """Nothing sticks out or is printed over something else, on the axis of time, too."""
    now = [1_767_348_000.0]
    main = Board(store=served.store, session="release", clock=lambda: now[0])
    for _ in range(3):
        main.write({"todos": [{"content": f"Step {n}", "status": "pending" if n else "in_progress"} for n in range(4)]})
        now[0] += 3000
    main.write({"todos": [{"id": "1", "status": "completed"}]})
    page = opened(browser, f"{served.url}#/plan/{plan_id(main.key)}", viewport=PHONE, locale=locale)
    expect(page.locator(".todo")).to_have_count(4)
    page.evaluate("font => { document.body.style.font = font }", font if "px" in font else f"17px {font}")
    page.set_viewport_size({"width": PHONE["width"] - 30, "height": PHONE["height"]})
    wait_until(lambda: page.evaluate("innerWidth") == PHONE["width"] - 30)
    wait_until(lambda: page.evaluate(FITS), "the plan fits")
    wait_until(lambda: page.locator(".axis span").evaluate_all(APART), "no label is printed over another one")
    page.goto(served.url)
    for view in (0, 1):
        page.locator(".views button").nth(view).click()
        expect(page.locator(".card").first).to_be_visible()
        wait_until(lambda: page.evaluate(FITS), "the overview fits")
    page.context.close()


def test_the_page_speaks_chinese(browser: Browser, served: Served, main: Board) -> None:
    """To who reads it; and changes its language, and its colours, on demand and for good."""
    page = opened(browser, served.url, locale="zh-CN", color_scheme="light")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.get_by_role("button", name="进行中")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("button", name="Running")).to_be_visible()
    page.locator("#theme").click()
    page.locator("#theme").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.context.close()


def test_both_languages_say_the_same() -> None:
    """Every word is there in both, with the same places for values."""
    english, chinese = (_words(LANGUAGES / f"{name}.js") for name in ("en", "zh"))
    assert english.keys() == chinese.keys()
    for key, places in english.items():
        assert chinese[key] <= places | {"n"}, key
    used = {
        key
        for script in LANGUAGES.parent.glob("*.js")
        for key in re.findall(r'\bt\("(\w+)"', script.read_text(encoding="utf-8"))
    }
    assert used <= english.keys()


def _words(path: Path) -> dict[str, set[str]]:
    """The keys of a dictionary, each with the places in its words."""
    text = path.read_text(encoding="utf-8")
    entries = re.findall(r"^  (\w+): (\[[^\]]*\]|\".*?\"),?$", text, re.MULTILINE)
    return {key: set(re.findall(r"\{(\w+)\}", words)) for key, words in entries}


def test_hostile_text_is_text(served: Served, page: Page) -> None:
    """HTML, scripts, links, escape codes and turned directions are shown, and nothing of them is done."""
    name = HOSTILE[0]
    agent = Board(store=served.store, session=name, agent="</a><b>main</b>")
    todos = [{"content": text, "activeForm": text, "status": "pending"} for text in HOSTILE]
    assert agent.write({"summary": HOSTILE[1], "todos": todos}).ok
    page.goto(served.url)
    expect(page.locator(".card h3")).to_have_text(name)
    page.locator(".card h3 a").click()
    expect(page.locator(".todo")).to_have_count(len(HOSTILE))
    shown = page.locator(".todo .words").all_text_contents()
    assert shown[:5] == HOSTILE[:5]
    assert shown[5] == "␛[2J \ufffdgnp.exe \ufffdx␀"
    agent.edit("1", content=HOSTILE[4])
    expect(page.locator(".changes li").first).to_contain_text(HOSTILE[4])
    assert page.locator("h1").count() == 1
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("[...document.links].every(link => link.origin === location.origin)") is True
    assert "owned" not in page.title().lower().replace("document.title='owned'", "")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") is True


def test_the_page_shows_what_nobody_would_see(served: Served, page: Page) -> None:
    """The same characters as in a terminal: every one, alone, in a row, and after each kind of character."""
    page.goto(served.url)
    kinds = ["a", "1", "é", "中", "م", "क", "❤", "👩", "\u1820", "\u200d", "\ufe0f", "\U000e0100"]
    marks = [chr(code) for code in (*range(0xA0, 0x3400), *range(0xFB50, 0x10000), *range(0xE0000, 0xE1000))]
    unseen = [mark for mark in marks if unicodedata.category(mark) in ("Cf", "Mn", "Lo", "Cn") or mark < "\u0100"]
    texts = [kind + mark for kind in kinds for mark in unseen]
    shown = page.evaluate(
        "async (texts) => { const { visible } = await import('/page/scripts/text.js'); return texts.map(visible); }",
        texts,
    )
    newer = {text for text in texts if unicodedata.category(text[-1]) == "Cn"}
    differ = [
        (text, one_line(text), other) for text, other in zip(texts, shown, strict=True) if one_line(text) != other
    ]
    assert [ascii(one) for one in differ if one[0] not in newer] == []


def test_a_visitor_enters_the_token(browser: Browser) -> None:
    """The page that asks for it works without a script, says when it is wrong, and leads on when it is right."""
    with serving(MemoryStore(), PageAccess(token="a token of good length")) as guarded:
        context = browser.new_context()
        page = context.new_page()
        page.goto(guarded.url)
        assert findings(page) == []
        page.locator("#token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("not the token")
        page.locator("#token").fill("a token of good length")
        page.keyboard.press("Enter")
        expect(page.locator(".live")).to_have_attribute("data-state", "live")
        context.close()
