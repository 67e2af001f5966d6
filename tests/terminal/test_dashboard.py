"""The view of all boards: what stands on which line, in every size, from values alone."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hostile_texts, obeyed, statuses

from holdfast import Board, Plan, Status, Todo
from holdfast.plan import About, DetailsWish
from holdfast.stores import Key, Record, StoredPlan
from holdfast.stores.memory import MemoryStore
from holdfast.terminal.dashboard import Scene, dashboard
from holdfast.terminal.dashboard_rows import RowTarget, groups, move_cursor, rows
from holdfast.terminal.lines import Line, ansi_text, line_width, plain_text
from holdfast.text import width

NOW = 10_000.0

Written = Sequence[tuple[str, str, str]]

AUTH: Written = [
    ("Read the session code", "completed", ""),
    ("Move the token checks", "in_progress", "Moving the token checks"),
    ("Ask for the key", "blocked", ""),
    ("Run the tests", "pending", ""),
    ("Rewrite it all", "cancelled", ""),
]


class Writer:
    """Writes plans at times of its own."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.records: list[Record] = []

    def write(self, session: str, agent: str, before_now: float, todos: Written) -> Board:
        """A plan written so many seconds before now."""
        board = Board(store=self.store, session=session, agent=agent, clock=lambda: NOW - before_now)
        items = [{"content": text, "status": status, "activeForm": active} for text, status, active in todos]
        assert board.write({"todos": items}).ok
        return board

    def scene(self, **more: Any) -> Scene:
        """Everything written so far, as it is now."""
        kept = self.store.sessions()
        records = sorted((record for board in kept for record in self.store.history(board.key)), reverse=True)
        return Scene(groups(kept, NOW), records, NOW, "plans.db")._replace(**more)


@pytest.fixture
def writer() -> Writer:
    """A main agent with two subagents, a plan that waits, one gone quiet, and two that are finished."""
    writer = Writer()
    writer.write("docs", "main", 4_000, [("Write the guide", "completed", ""), ("Add a picture", "completed", "")])
    writer.write("nightly", "main", 7_500, [("Sweep", "in_progress", "Sweeping"), ("Report", "pending", "")])
    writer.write("修复 登录", "main", 300, [("重现问题", "pending", ""), ("修复 👩‍👩‍👧‍👦", "pending", "")])
    writer.write("auth", "main", 130, AUTH)
    writer.write("auth", "explorer", 90, [("Find callers", "in_progress", "Finding callers"), ("Tell", "pending", "")])
    writer.write("auth", "reviewer", 60, [("Read the diff", "in_progress", "")]).edit("1", status="completed")
    writer.write("release", "main", 20, [("Tag it", "completed", "")])
    return writer


def shown(lines: list[Line]) -> str:
    """The lines as text."""
    return "\n".join(plain_text(line).rstrip() for line in lines)


@pytest.mark.parametrize(("columns", "height"), [(100, 30), (60, 24), (40, 15), (20, 10)])
def test_a_screen(writer: Writer, snapshot: Callable[[str, str], None], columns: int, height: int) -> None:
    """The whole view in usual and in narrow sizes."""
    lines = dashboard(writer.scene(cursor=RowTarget(Key("auth", "main"), "2")), columns, height)
    assert len(lines) == height
    snapshot(f"watch-{columns}x{height}.txt", shown(lines))


def test_printed_once(writer: Writer, snapshot: Callable[[str, str], None]) -> None:
    """Without a height it is as long as it needs, has no keys, and nothing turns."""
    text = shown(dashboard(writer.scene(), 80))
    assert "q quit" not in text and "● 2  Moving the token checks...  2m 10s" in text
    snapshot("watch-once.txt", text)


def test_colours(writer: Writer, snapshot: Callable[[str, str], None]) -> None:
    """Only the sixteen base colours and dim, bold, struck."""
    lines = dashboard(writer.scene(cursor=RowTarget(Key("auth", "main"), "4")), 80, 24)
    snapshot("watch-colours.txt", "\n".join(ansi_text(line) for line in lines).replace("\x1b", "␛"))


def test_nothing_yet(snapshot: Callable[[str, str], None]) -> None:
    """An empty store says what will be seen here."""
    snapshot("watch-nothing.txt", shown(dashboard(Scene([], now=NOW, where="plans.db"), 60, 6)))


def test_what_runs_is_on_top(writer: Writer) -> None:
    """Running sessions come first, then those that wait, then the finished ones; a plan gone quiet does not run."""
    names = [row.key.session for row in rows(writer.scene().groups, {}) if row.todo is None and not row.depth]
    assert names == ["auth", "修复 登录", "nightly", "release", "docs"]


def test_the_order_stays_while_agents_write(writer: Writer) -> None:
    """Two sessions that run do not change places when one of them writes."""
    board = writer.write("early", "main", 200, AUTH)
    before = [group.boards[0].key for group in writer.scene().groups]
    board.edit("4", status="in_progress")
    assert [group.boards[0].key for group in writer.scene().groups] == before


def test_finished_plans_are_folded(writer: Writer) -> None:
    """A finished session is one line, and so is a finished subagent; unfolded, it shows its todos."""
    text = shown(dashboard(writer.scene(), 80))
    assert "▸ docs" in text and "Write the guide" not in text
    assert "▸ reviewer" in text and "Read the diff" not in text.split("Recent")[0]
    folds = {Key("docs", "main"): False, Key("auth", "reviewer"): False, Key("auth", "explorer"): True}
    text = shown(dashboard(writer.scene(folds=folds), 80)).split("Recent")[0]
    assert "✓ 1  Write the guide" in text and "✓ 1  Read the diff" in text
    assert "▸ explorer" in text and "Tell" not in text and "● Finding callers...  1m 30s" in text


def test_folding_a_session_folds_its_subagents(writer: Writer) -> None:
    """A folded session is one line, whatever is under it."""
    text = shown(dashboard(writer.scene(folds={Key("auth", "main"): True}), 80)).split("Recent")[0]
    assert "▸ auth" in text and "explorer" not in text and "● Moving the token checks..." in text


def test_a_session_without_a_main_plan() -> None:
    """A subagent whose parent has no plan stands for the session, under both names."""
    writer = Writer()
    writer.write("auth", "explorer", 5, [("Look", "pending", "")])
    assert "▾ auth/explorer" in shown(dashboard(writer.scene(), 60))


def test_cleared_plans_can_be_found(writer: Writer) -> None:
    """A plan without todos has one line at the end, which says how to bring it back; a subagent's has none."""
    Board(store=writer.store, session="nightly", clock=lambda: NOW - 30).clear()
    Board(store=writer.store, session="auth", agent="explorer").clear()
    text = shown(dashboard(writer.scene(), 80))
    assert re.search(r"▸ nightly .*emptied 30s ago: u or r brings it back", text)
    assert "explorer" not in text.split("Recent")[0]
    assert "2 finished" in text.splitlines()[0], "an empty plan is no finished one"


def test_plans_that_were_put_away_are_not_shown(writer: Writer) -> None:
    """They come back as soon as somebody changes them."""
    board = Board(store=writer.store, session="nightly", clock=lambda: NOW)
    board.archive()
    assert "nightly" not in shown(dashboard(writer.scene(), 80)).split("Recent")[0]
    later = Board(store=writer.store, session="nightly", clock=lambda: NOW + 1)
    later.add("One more")
    assert "nightly" in shown(dashboard(writer.scene(), 80)).split("Recent")[0]


def test_a_session_is_called_by_its_title(writer: Writer) -> None:
    """Its id, its client, folder and branch stand beside it."""
    board = Board(store=writer.store, session="3f2a", clock=lambda: NOW)
    board.introduce(About(title="Fix the parser", client="codex", folder="/src/app", branch="main"))
    board.write({"todos": [{"content": "Read"}]})
    assert re.search(r"▾ Fix the parser .* 3f2a · codex · /src/app · main", shown(dashboard(writer.scene(), 120)))
    board.rename("Parser, second try")
    assert "▾ Parser, second try" in shown(dashboard(writer.scene(), 120))


def test_only_so_many_finished_sessions_have_lines() -> None:
    """Thousands of finished sessions are counted, not listed."""
    plan = Plan((Todo("1", "x", Status.COMPLETED),))
    made = groups((StoredPlan(Key(f"s{at}", "main"), plan) for at in range(10_000)), NOW)
    lines = dashboard(Scene(made, now=NOW), 80)
    assert "10000 finished" in plain_text(lines[0]) and len(lines) < 60


@pytest.mark.parametrize("height", range(1, 40))
def test_the_cursor_is_always_in_sight(height: int) -> None:
    """However low the window, the chosen row is in it, from the first to the last."""
    writer = Writer()
    writer.write("long", "main", 5, [(f"step {at}", "pending", "") for at in range(30)])
    scene = writer.scene()
    all_rows = rows(scene.groups, {})
    for row in all_rows:
        lines = dashboard(scene._replace(cursor=row.target), 60, height)
        assert len(lines) == height
        assert height < 3 or sum(plain_text(line).startswith("❯") for line in lines) == 1


def test_without_a_cursor_what_runs_is_in_sight() -> None:
    """In a long plan the todo in progress is shown, and what is above and below is counted."""
    writer = Writer()
    done = [(f"step {at}", "completed", "") for at in range(30)]
    writer.write("long", "main", 5, [*done, ("now", "in_progress", "Doing it now"), *[("later", "pending", "")] * 15])
    text = shown(dashboard(writer.scene(), 60, 15))
    assert "Doing it now..." in text and "↑ " in text and "↓ " in text


def test_the_cursor_moves_over_rows(writer: Writer) -> None:
    """From nowhere it goes to what runs; then row by row, and no further than the ends."""
    shown_rows = rows(writer.scene().groups, {})
    first = move_cursor(shown_rows, None, 1)
    assert first == RowTarget(Key("auth", "main"), "2")
    assert move_cursor(shown_rows, first, 1) == RowTarget(Key("auth", "main"), "3")
    assert move_cursor(shown_rows, first, -99) == shown_rows[0].target
    assert move_cursor(shown_rows, first, 99) == shown_rows[-1].target
    assert move_cursor([], first, 1) is None


def test_a_chosen_todo_that_is_gone(writer: Writer) -> None:
    """When the chosen todo is taken out, its board's own row is chosen, never another todo."""
    lines = dashboard(writer.scene(cursor=RowTarget(Key("auth", "main"), "99")), 80, 30)
    assert [plain_text(line)[:8] for line in lines if plain_text(line).startswith("❯")] == ["❯ ▾ auth"]


def test_a_message_takes_the_place_of_the_keys(writer: Writer) -> None:
    """What there is to tell stands in the last line."""
    lines = dashboard(writer.scene(message="no\nway\x1b[2J"), 80, 24)
    assert plain_text(lines[-1]) == "no way␛[2J"


names = hostile_texts | st.sampled_from(["main", "a"])
boards = st.lists(
    st.tuples(names, names, st.lists(st.tuples(hostile_texts, statuses), max_size=4), st.floats(0, NOW)), max_size=4
)


@given(boards, st.integers(1, 90), st.integers(1, 30) | st.none(), hostile_texts)
def test_anything_in_any_size(
    boards: list[tuple[str, str, list[tuple[str, Status]], float]], columns: int, height: int | None, message: str
) -> None:
    """Whatever sessions, agents and todos are called, each line fits, is one line, and nothing in it is obeyed."""
    kept = []
    for session, agent, todos, at in boards:
        made = tuple(Todo(str(n), text, status, text, at, at) for n, (text, status) in enumerate(todos))
        kept.append(StoredPlan(Key(session, agent), Plan(made, updated_at=at)))
    scene = Scene(groups(kept, NOW), (), NOW, message, cursor=RowTarget(Key("a", "main"), "0"), message=message)
    lines = dashboard(scene, columns, height)
    assert height is None or len(lines) == height
    for line in lines:
        text = plain_text(line)
        assert line_width(line) <= columns and width(text) <= columns
        assert not obeyed(text)
        assert plain_text(line, "ascii").isascii() and width(plain_text(line, "ascii")) <= columns


def test_sections_are_groups_below_their_headings(writer: Writer) -> None:
    """A heading stands once above its todos; the cursor passes it, and no count has it."""
    board = writer.write("auth", "main", 130, AUTH)
    for id in ("4", "5"):
        board.edit(id, details=DetailsWish(section="After the release"))
    scene = writer.scene(records=())
    text = shown(dashboard(scene, 80, 40))
    assert text.count("After the release") == 1
    assert re.search(r"Ask for the key\n    After the release\n    ○ 4  Run the tests\n    ✗ 5  Rewrite", text)
    third, fourth = (RowTarget(Key("auth", "main"), id) for id in "34")
    assert move_cursor(rows(scene.groups, {}), third, 1) == fourth
    assert "After" not in shown(dashboard(writer.scene(records=(), folds={Key("auth", "main"): True}), 80, 40))


def test_a_folded_plan_that_waits_for_a_person_says_so(writer: Writer) -> None:
    """However it is shown, it is the first thing that a person sees."""
    writer.write("review", "main", 10, AUTH).request_review()
    for is_folded in (False, True):
        text = shown(dashboard(writer.scene(folds={Key("review", "main"): is_folded}), 100, 30))
        assert "waits for your approval" in text.splitlines()[2]


def test_two_hundred_sessions_are_a_line_each() -> None:
    """Where many run, each shows what it is doing on its own line; the one that was chosen can be unfolded."""
    writer = Writer()
    for number in range(200):
        writer.write(f"session-{number:03}", "main", 100 + number, AUTH)
    text = shown(dashboard(writer.scene(), 100, 40)).splitlines()
    sessions = [line for line in text if "session-" in line and "Moving the token checks" in line]
    assert len(sessions) >= 25
    chosen = Key("session-007", "main")
    text = shown(dashboard(writer.scene(folds={chosen: False}, cursor=RowTarget(chosen)), 100, 40)).splitlines()
    assert any("Ask for the key" in line for line in text)
