"""The plan in plain text: the box of the `shell` dialect, with straight columns for any text."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from holdfast import Plan, Status, Todo
from holdfast.plan.change import Difference
from holdfast.plan.checklist import BOX_WIDTH, box, difference_lines, line

SEED = """┌─ Tasks ─────────────────────────────────────────────┐
│ ✓ Analyze requirements                              │
│ ● Writing implementation...                         │
│ ○ Run tests                                         │
│ ○ Update documentation                              │
└─────────────────────────────────────────────────────┘"""

WORDS = st.text(st.characters(max_codepoint=0x2FF)) | st.sampled_from(
    ["修复重叠检测", "한글", "カタカナ", "ｱｶﾞ", "🙂", "👍🏽", "👩‍👩‍👧‍👦", "❤️", "🇩🇪", "1️⃣", "e\u0301", "\u202eabc", "a\nb"]
)


def plan(*todos: tuple[str, str], active_form: str = "") -> Plan:
    """A plan of contents and statuses."""
    return Plan(
        tuple(
            Todo(str(number), content, Status(status), active_form) for number, (content, status) in enumerate(todos, 1)
        )
    )


def test_the_box_is_that_of_the_contract() -> None:
    """Corners, title, glyphs and width, to the character."""
    todos = (
        Todo("1", "Analyze requirements", Status.COMPLETED, "Analyzing requirements"),
        Todo("2", "Write implementation", Status.IN_PROGRESS, "Writing implementation"),
        Todo("3", "Run tests", Status.PENDING, "Running tests"),
        Todo("4", "Update documentation", Status.PENDING, "Updating documentation"),
    )
    assert box(Plan(todos)) == SEED


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        pytest.param("pending", "○ Fix", id="pending shows the content"),
        pytest.param("in_progress", "● Fixing...", id="in progress shows the active form and dots"),
        pytest.param("completed", "✓ Fix", id="completed shows the content"),
        pytest.param("cancelled", "✗ Fix", id="cancelled has a glyph of its own"),
        pytest.param("blocked", "! Fix", id="blocked has a glyph of its own"),
    ],
)
def test_a_line_shows_glyph_and_text(status: str, shown: str) -> None:
    """Each status is recognizable without colour."""
    assert line(Todo("1", "Fix", Status(status), "Fixing")) == shown


def test_each_difference_is_a_line() -> None:
    """A todo as it is now, or that it was removed; hostile text is shown, not obeyed."""
    old, new = Todo("1", "A"), Todo("1", "A", Status.COMPLETED)
    gone = Todo("2", "B\x1b[2J")
    pairs = [Difference(old, new), Difference(None, old), Difference(gone, None)]
    assert [*difference_lines(pairs)] == ["✓ A", "○ A", "removed: B␛[2J"]


def test_without_an_active_form_the_content_stands_in() -> None:
    """A todo in progress that has no active form shows what it is."""
    assert line(Todo("1", "Fix", Status.IN_PROGRESS)) == "● Fix..."


@pytest.mark.parametrize(
    "content",
    [
        "修复重叠检测",
        "🙂 smile",
        "👩‍👩‍👧‍👦 family",
        "🇩🇪 flag",
        "❤️ heart",
        "1️⃣ key",
        "e\u0301",
        "한글",
        "ｱｶﾞ",
        "नमस्ते",
        "x" * 200,
    ],
)
def test_every_row_is_exactly_as_wide_as_the_box(content: str) -> None:
    """CJK, emoji and combining marks keep the right edge straight."""
    rows = box(plan((content, "pending"), (content, "in_progress"))).splitlines()
    assert {wcswidth(row) for row in rows} == {BOX_WIDTH}


@pytest.mark.parametrize(
    ("content", "row"),
    [
        pytest.param("x" * 200_000, f"│ ○ {'x' * 14}… │", id="a line of 200,000 characters"),
        pytest.param("修复" * 100, f"│ ○ {'修复' * 3}修… │", id="wide text is cut at a whole character"),
        pytest.param("👩‍👩‍👧‍👦" * 20, f"│ ○ {'👩‍👩‍👧‍👦' * 7}… │", id="an emoji is not taken apart"),
    ],
)
def test_long_text_is_cut(content: str, row: str) -> None:
    """A text that does not fit ends in an ellipsis inside the box."""
    assert box(plan((content, "pending")), columns=21).splitlines()[1] == row


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        pytest.param("a\nb\r\nc", "○ a b  c", id="line breaks"),
        pytest.param("a\tb\vc\fd", "○ a b c d", id="tabs and feeds"),
        pytest.param("a\u2028b\u2029c\x85d", "○ a b c d", id="Unicode's own breaks"),
        pytest.param("\x1b[31mred\x1b[0m\x07\x00", "○ ␛[31mred␛[0m␇␀", id="escape sequences"),
        pytest.param("\x1b]8;;http://x\x1b\\link", "○ ␛]8;;http://x␛\\link", id="terminal links"),
        pytest.param("\x9b2J", "○ \ufffd2J", id="the one-byte escape"),
        pytest.param("gpj.\u202eexe\u2066x", "○ gpj.\ufffdexe\ufffdx", id="direction overrides and isolates"),
    ],
)
def test_hostile_text_is_shown_not_obeyed(content: str, shown: str) -> None:
    """No control character, line break or direction mark gets out of its cell."""
    assert line(Todo("1", content)) == shown
    assert box(plan((content, "pending"))).splitlines()[1] == f"│ {shown}{' ' * (51 - len(shown))} │"


def test_a_hostile_active_form_is_shown_not_obeyed() -> None:
    """What is shown while a todo is in progress is cleaned too."""
    assert line(Todo("1", "A", Status.IN_PROGRESS, "a\n\x1b[2J")) == "● a ␛[2J..."


def test_a_hostile_title_is_shown_not_obeyed() -> None:
    """A title that a host took from somewhere cannot break the frame."""
    assert box(Plan(), 20, "a\nb\x1b") == "┌─ a b␛ ───────────┐\n└──────────────────┘"


def test_an_empty_plan_is_an_empty_box() -> None:
    """Nothing to do is a frame with nothing in it."""
    assert box(Plan(), 12) == "┌─ Tasks ──┐\n└──────────┘"


@pytest.mark.parametrize("columns", [5, 6, 7, 9, 20, 80, 200])
def test_the_box_is_as_wide_as_asked_for(columns: int) -> None:
    """From 5 columns on, every line has exactly the width, the title cut if it must be."""
    rows = box(plan(("修复重叠检测", "pending"), ("A", "completed")), columns).splitlines()
    assert {wcswidth(row) for row in rows} == {columns}


def test_the_box_is_never_narrower_than_five_columns() -> None:
    """A terminal that claims to have no width gets the smallest box there is."""
    assert {wcswidth(row) for row in box(plan(("A", "pending")), 0).splitlines()} == {5}


@given(st.lists(st.tuples(st.lists(WORDS).map("".join), st.sampled_from(list(Status)))), st.integers(5, 60))
def test_no_plan_breaks_the_box(todos: list[tuple[str, Status]], columns: int) -> None:
    """Whatever the todos say, there is a row for each, of the right width, with no control character in it."""
    rows = box(plan(*todos), columns).split("\n")
    assert len(rows) == len(todos) + 2
    assert {wcswidth(row) for row in rows} == {columns}
    assert not any(unicodedata.category(char) in ("Cc", "Zl", "Zp") or char == "\u202e" for char in "".join(rows))


def test_snapshot(snapshot: Callable[[str, str], None]) -> None:
    """The box as a person sees it, with every status, wide text and a text that is cut."""
    todos = plan(
        ("Analyze requirements", "completed"),
        ("Write implementation", "in_progress"),
        ("修复 multi_edit 重叠检测 🙂", "pending"),
        ("Wait for the review", "blocked"),
        ("Drop this", "cancelled"),
        ("Run every test there is, on every machine there is, twice", "pending"),
    )
    snapshot("shell-box.txt", box(todos))
