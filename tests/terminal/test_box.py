"""The box of the `shell` dialect in colour: what rich prints of it, in every width, encoding and script."""

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from strategies import hostile_texts, obeyed, statuses

from holdfast import Plan, Status, Todo
from holdfast.plan import checklist
from holdfast.terminal import TodoBox
from holdfast.terminal.box import window
from holdfast.text import width

SEED = Plan(
    (
        Todo("1", "Analyze requirements", Status.COMPLETED),
        Todo("2", "Write implementation", Status.IN_PROGRESS, "Writing implementation"),
        Todo("3", "Run tests"),
        Todo("4", "Update documentation"),
    )
)
EVERY = Plan(
    (
        *SEED.todos[:3],
        Todo("4", "Ask for the key", Status.BLOCKED),
        Todo("5", "Rewrite it all", Status.CANCELLED),
        Todo("6", "修复重叠检测 👩‍👩‍👧‍👦 e\u0301 🇩🇪"),
        Todo("7", "a\x1b[31mb\nc\u202ed"),
    )
)


def printed(
    plan: Plan, columns: int = 80, colour: bool = False, encoding: str = "utf-8", rows: int | None = None
) -> str:
    """What a console prints of the box."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=columns, force_terminal=colour, color_system="standard" if colour else None)
    console.print(TodoBox(plan, rows=rows))
    file.seek(0)
    return file.read()


def test_the_box_of_the_contract() -> None:
    """Without colours it is the box of the contract, character for character."""
    assert printed(SEED) == (
        "┌─ Tasks ─────────────────────────────────────────────┐\n"
        "│ ✓ Analyze requirements                              │\n"
        "│ ● Writing implementation...                         │\n"
        "│ ○ Run tests                                         │\n"
        "│ ○ Update documentation                              │\n"
        "└─────────────────────────────────────────────────────┘\n"
    )


def test_plain_and_coloured_are_the_same_box() -> None:
    """What the plain view draws, the coloured one draws too."""
    assert printed(EVERY).rstrip("\n") == checklist.box(EVERY)


def test_colours(snapshot: Callable[[str, str], None]) -> None:
    """Grey, yellow and dim as the contract says; red for what is blocked, struck out what is cancelled."""
    text = printed(EVERY, 60, colour=True)
    assert "\x1b[90m✓ " in text and "\x1b[33m● " in text and "\x1b[2m○ " in text
    assert "\x1b[31m! " in text and "\x1b[9;90mRewrite it all" in text
    snapshot("terminal-box-colours.txt", text.replace("\x1b", "␛"))


def test_ascii(snapshot: Callable[[str, str], None]) -> None:
    """An encoding without the glyphs gets others, and what it cannot carry keeps its columns."""
    text = printed(EVERY, encoding="ascii")
    assert {len(line) for line in text.splitlines()} == {55}
    snapshot("terminal-box-ascii.txt", text)


def test_a_wide_todo_makes_the_box_wider() -> None:
    """A long todo widens the box as far as the console goes, and is cut there."""
    plan = Plan((Todo("1", "x" * 70),))
    assert printed(plan, 100).splitlines()[1] == f"│ ○ {'x' * 70} │"
    assert printed(plan, 60).splitlines()[1] == f"│ ○ {'x' * 53}… │"


def test_rows_around_what_is_to_do() -> None:
    """With few rows, the todos around the current one are shown, and the rest is counted."""
    todos = [Todo(str(at), f"step {at}", Status.COMPLETED if at < 20 else Status.PENDING) for at in range(40)]
    lines = printed(Plan(tuple(todos)), rows=7).splitlines()
    assert len(lines) == 9
    assert [line.strip("│ ") for line in lines[1:-1]] == [
        "↑ 18 more",
        "✓ step 18",
        "✓ step 19",
        "○ step 20",
        "○ step 21",
        "○ step 22",
        "↓ 17 more",
    ]


@given(st.integers(0, 40), st.integers(0, 45), st.integers(1, 45))
def test_the_window_loses_nothing(total: int, done: int, rows: int) -> None:
    """Every todo is shown or counted, and the one to do now is shown."""
    plan = Plan(tuple(Todo(str(at), "x", Status.COMPLETED if at < done else Status.PENDING) for at in range(total)))
    before, shown, after = window(plan, rows)
    assert before + len(shown) + after == total
    assert len(shown) <= max(rows, 1)
    assert plan.next is None or plan.next in shown


def test_rich_can_measure_it() -> None:
    """In a table or a panel it takes the columns that it needs."""
    console = Console(width=100)
    assert Measurement.get(console, console.options, TodoBox(SEED)) == Measurement(5, 55)


@given(st.lists(st.tuples(hostile_texts, statuses), max_size=4), st.integers(1, 70))
def test_any_text_in_any_width(todos: list[tuple[str, Status]], columns: int) -> None:
    """Every line of the box has the same columns, by our count and by rich's, and nothing in it is obeyed."""
    plan = Plan(tuple(Todo(str(at), text, status, text) for at, (text, status) in enumerate(todos)))
    lines = printed(plan, columns).split("\n")[:-1]
    assert len(lines) == len(todos) + 2
    assert all(width(line) <= columns and cell_len(line) <= columns + 1 for line in lines)
    assert len({width(line) for line in lines}) == 1 or columns < 5
    assert not obeyed("".join(lines))


@pytest.mark.parametrize("text", ["x" * 200_000, "a" + "\u0301" * 200_000, "字" * 200_000])
def test_endless_text_is_cut(text: str) -> None:
    """A text without an end takes its one row, and a bounded number of characters."""
    drawn = printed(Plan((Todo("1", text), Todo("2", "Next"))), 60)
    assert drawn.count("\n") == 4
    assert len(drawn) < 2_000
