"""`holdfast watch` as people see it: the real thing in a real pseudo-terminal, read by a terminal emulator."""

import os
import re
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until
from watch_driving import WATCH, Start, ready

from holdfast import Board, Change, Plan, Status, Todo
from holdfast.stores import Key
from holdfast.stores.follow import FIRST_KNOWN
from holdfast.stores.sqlite import SQLiteStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

SIZES = [pytest.param(40, 15, id="40x15"), pytest.param(100, 30, id="100x30")]


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_it_shows_the_plan(start: Start, columns: int, lines: int) -> None:
    """Progress, counts, every todo with its glyph, the current one with a spinner and its time, and what changed."""
    terminal = ready(start(columns, lines))
    assert terminal.lines[0].startswith("holdfast  1 running")
    assert re.search(r"▾ fix +━+─+  1/3  ✓ 1  ● 1  ○ 1", terminal.text)
    assert "    ✓ 1  Read the code" in terminal.lines
    assert re.search(r"^    [⠀-⣿] 2  Fixing the bug\.\.\.  \d+s$", terminal.text, re.MULTILINE)
    assert "    ○ 3  Run the tests" in terminal.lines
    assert re.search(r"\d+s  model +(fix +)?planned 3 todos", terminal.text)
    assert terminal.lines[-1].startswith("q quit  ? keys")
    assert terminal.screen.is_alternate and terminal.screen.cursor.hidden


def test_the_spinner_turns(start: Start) -> None:
    """While something runs, the glyph of the current todo changes."""
    terminal = ready(start())
    glyphs: set[str] = set()

    def turned() -> bool:
        glyphs.update(line[4] for line in terminal.lines if "Fixing the bug..." in line)
        return len(glyphs) > 2

    terminal.wait_until(turned)


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_it_follows_writes_by_others(start: Start, db: str, columns: int, lines: int) -> None:
    """A write of another process shows: a todo done, a subagent under its parent, a new session, a finished one."""
    terminal = ready(start(columns, lines))
    Board(store=db, session="fix").update([{"id": "2", "status": "completed"}, {"id": "3", "status": "in_progress"}])
    terminal.wait_for("✓ 2  Fix the bug", "Run the tests...", "2/3")
    Board(store=db, session="fix", agent="explorer").write({"todos": [{"content": "Look around"}]})
    terminal.wait_for("    ▾ explorer", "      ○ 1  Look around")
    Board(store=db, session="docs").write({"todos": [{"content": "Write them", "status": "completed"}]})
    terminal.wait_for("  ▸ docs", "1/1", "1 running · 1 finished")
    assert "✓ Write them" not in terminal.text, "what is finished is folded away"


def test_the_older_sessions_follow_the_first_screen(start: Start, db: str) -> None:
    """All are counted, also those that the first screen does not wait for."""
    todo = Todo("1", "Wait", created_at=time.time())
    with closing(SQLiteStore(db)) as store:
        for number in range(FIRST_KNOWN + 10):
            plan = Plan((todo,), revision=1, updated_at=time.time(), next_id=2)
            store.commit(Key(f"s{number}", "main"), Change(Plan(), plan))
    terminal = start()
    terminal.wait_for(f"1 running · {FIRST_KNOWN + 10} waiting", "Fixing the bug...")


def test_one_session_alone(start: Start, db: str) -> None:
    """With a session's name, only that session is shown, and only its changes."""
    Board(store=db, session="docs").write({"todos": [{"content": "Write them"}]})
    terminal = ready(start(session="fix"))
    Board(store=db, session="docs").write({"todos": [{"content": "Never mind"}]})
    Board(store=db, session="fix").edit("3", status="cancelled")
    terminal.wait_for("✗ 3  Run the tests", "cancelled Run the tests")
    assert "docs" not in terminal.text


def test_an_empty_store_is_watched_too(start: Start, db: str) -> None:
    """Before the first write there is nothing, not even a file; the first plan shows when it is written."""
    for file in Path(db).parent.iterdir():
        file.unlink()
    terminal = start()
    terminal.wait_for("No plans here", "q quit")
    assert not os.path.exists(db)
    Board(store=db).write({"todos": [{"content": "The first of all"}]})
    terminal.wait_for("▾ default", "○ 1  The first of all")


def test_it_follows_the_size_of_the_window(start: Start) -> None:
    """A smaller or larger window is drawn anew, in its own size."""
    terminal = ready(start(100, 30))
    terminal.resize(40, 15)
    terminal.wait_until(lambda: "q quit" in terminal.lines[14] and len(terminal.lines) == 15)
    terminal.wait_until(lambda: "── Recent ──" in terminal.text and "Fixing the bug..." in terminal.text)
    terminal.resize(20, 6)
    terminal.wait_until(lambda: "q quit" in terminal.lines[5] and terminal.lines[0].startswith("holdfast"))
    terminal.resize(90, 20)
    terminal.wait_until(lambda: "j/k move" in terminal.lines[19] and "Run the tests" in terminal.text)


@pytest.mark.parametrize(("columns", "lines"), [(20, 10), (8, 3), (2, 2), (1, 1)])
def test_tiny_windows_are_no_trouble(start: Start, columns: int, lines: int) -> None:
    """However small the window is, it is drawn, followed and left in peace."""
    terminal = start(columns, lines)
    terminal.wait_until(lambda: terminal.screen.is_alternate)
    terminal.type("jdq")
    assert terminal.ended() == 0
    assert terminal.is_as_found


def test_marking_done_and_undoing(start: Start, db: str) -> None:
    """`d` marks the chosen todo done as a person, so that the model is told; `u` takes it back."""
    terminal = ready(start())
    terminal.type("j")
    terminal.wait_until(lambda: any(line.startswith("❯") and "Fixing the bug" in line for line in terminal.lines))
    terminal.type("d")
    terminal.wait_for("✓ 2  Fix the bug", "person", "completed Fix the bug")
    board = Board(store=db, session="fix")
    plan = board.plan
    assert next(board.history()).change.by == "person"
    assert plan.todos[1].status is Status.COMPLETED
    assert [edit.id for edit in plan.edits] == ["2"]
    terminal.type("u")
    terminal.wait_for("Fixing the bug...", "undid a change")
    assert board.plan.todos[1].status is Status.IN_PROGRESS


def test_undo_asks_before_it_empties_a_plan(start: Start, db: str) -> None:
    """The first `u` asks, the second does it; the plan keeps its row, and `r` brings the todos back."""
    board = Board(store=db, session="fix")
    terminal = ready(start())
    terminal.type("ju")
    terminal.wait_for("this removes 3 todos from the plan: press u again to do it")
    assert len(board.plan.todos) == 3
    terminal.type("ku")
    terminal.wait_for("this removes 3 todos from the plan: press u again to do it")
    assert len(board.plan.todos) == 3, "another key in between takes the question back"
    terminal.type("u")
    terminal.wait_for("▸ fix", "0/0", "emptied")
    assert not board.plan.todos
    terminal.type("r")
    terminal.wait_for("Fixing the bug...", "1/3")
    assert len(board.plan.todos) == 3


def test_claims_are_in_sight(start: Start, db: str) -> None:
    """Who has a todo, and for how long; a takeover is told as one."""
    board = Board(store=db, session="fix")
    board.edit("2", status="completed")
    board.claim("worker-7", "3", 0.5)
    terminal = start(100)
    terminal.wait_for("3  Run the tests...", "held by worker-7")
    wait_until(lambda: not board.leases.active_leases(board.key))
    board.claim("worker-8", "3", 300)
    terminal.wait_for("held by worker-8 for ", "(held by worker-8, before: worker-7)")


def test_arrows_move_and_c_cancels(start: Start, db: str) -> None:
    """The arrow keys move over the todos, and `c` cancels the chosen one."""
    terminal = ready(start())
    terminal.type("\x1b[B\x1b[B")
    terminal.wait_until(lambda: "❯   ○ 3  Run the tests" in terminal.lines)
    terminal.type("\x1bOA\x1b[Bc")
    terminal.wait_for("✗ 3  Run the tests")
    assert Board(store=db, session="fix").plan.todos[2].status is Status.CANCELLED


def test_a_key_without_a_chosen_todo_changes_nothing(start: Start, db: str) -> None:
    """Before a todo is chosen, `d`, `c` and `u` only say what to do first."""
    terminal = ready(start())
    terminal.type("dcu")
    terminal.wait_for("choose a todo first")
    assert Board(store=db, session="fix").plan.revision == 1


@pytest.mark.parametrize("key", [" ", "f"])
def test_folding(start: Start, key: str) -> None:
    """Space and `f` fold a session away, its current todo still in sight, and unfold it again."""
    terminal = ready(start(100))
    terminal.type("j" + key)
    terminal.wait_until(lambda: re.search(r"❯ ▸ fix .*1/3  [⠀-⣿] Fixing the bug\.\.\.", terminal.text) is not None)
    assert "Read the code" not in terminal.text
    terminal.type(key)
    terminal.wait_for("❯ ▾ fix", "✓ 1  Read the code")


def test_the_cursor_stays_on_its_todo(start: Start, db: str) -> None:
    """A key acts on the todo that was chosen, wherever others have moved it since."""
    terminal = ready(start())
    terminal.type("jj")
    terminal.wait_until(lambda: "❯   ○ 3  Run the tests" in terminal.lines)
    Board(store=db, session="fix").add("Come first", position=0)
    terminal.wait_for("○ 4  Come first")
    assert "❯   ○ 3  Run the tests" in terminal.lines


def test_q_quits(start: Start) -> None:
    """`q` ends the view with exit code 0, and the terminal is as it was."""
    terminal = ready(start())
    assert not terminal.is_as_found
    terminal.type("q")
    assert terminal.ended() == 0
    assert terminal.is_as_found
    assert terminal.text.strip() == ""


def test_ctrl_c_quits(start: Start) -> None:
    """Ctrl-C ends the view like `q`."""
    terminal = ready(start())
    terminal.type("\x03")
    assert terminal.ended() == 0
    assert terminal.is_as_found
    assert terminal.text.strip() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(start: Start, number: signal.Signals) -> None:
    """SIGTERM and SIGHUP end the view with the signal's exit code, and the terminal is as it was."""
    terminal = ready(start())
    terminal.send(number)
    assert terminal.ended() == 128 + number
    assert terminal.is_as_found


def test_a_closed_window_ends_it(start: Start) -> None:
    """When the terminal is gone, so is the view: nobody is left to see it."""
    terminal = ready(start())
    terminal.hang_up()
    assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP


def test_a_crash_leaves_the_terminal_as_it_was(start: Start) -> None:
    """An error in drawing is told on the normal screen, in a terminal that works."""
    crash = """
import holdfast.terminal.live_dashboard as live
draw, drawn = live.dashboard, []
def fail_later(*args):
    drawn.append(1)
    if len(drawn) > 3: raise RuntimeError("no more paint")
    return draw(*args)
live.dashboard = fail_later
"""
    terminal = start(code=crash + WATCH)
    assert terminal.ended() == 1
    assert b"\x1b[?1049h" in terminal.written
    assert terminal.is_as_found
    assert "RuntimeError: no more paint" in terminal.text


def test_an_error_in_the_thread_is_told_too(start: Start) -> None:
    """An unexpected error while it listens to the store does not end in silence."""
    broken = """
from holdfast.stores.sqlite import SQLiteStore
def fail(*_): raise RuntimeError("cannot listen")
SQLiteStore.watch = fail
"""
    terminal = start(code=broken + WATCH)
    assert terminal.ended() == 1
    assert terminal.is_as_found
    assert "RuntimeError: cannot listen" in terminal.text


def test_stopped_and_continued(start: Start) -> None:
    """Ctrl-Z gives the terminal back; when the shell goes on with us, the view is back."""
    terminal = ready(start())
    terminal.type("\x1a")
    terminal.wait_until(lambda: terminal.is_as_found)
    assert os.waitpid(terminal.process.pid, os.WUNTRACED)[1] & 0xFF == 0x7F, "it is stopped"
    terminal.send(signal.SIGCONT)
    ready(terminal)
    assert terminal.screen.is_alternate
    terminal.type("q")
    assert terminal.ended() == 0
    assert terminal.is_as_found


def test_idle_costs_next_to_nothing(start: Start, db: str) -> None:
    """With nothing running, nothing is written to the terminal, not even once more the same."""
    board = Board(store=db, session="fix")
    terminal = ready(start())
    board.edit("2", status="blocked")
    terminal.wait_for("! 2  Fix the bug", "blocked Fix the bug")
    terminal.wait_until(lambda: not terminal.read(1.0))


def test_only_what_changed_is_written(start: Start) -> None:
    """A turn of the spinner writes its own line, not the screen."""
    terminal = ready(start(100, 30))
    before = len(terminal.written)
    terminal.wait_until(lambda: terminal.written[before:].count(b"Fixing") >= 3)
    assert b"\x1b[2J" not in terminal.written[before:]
    assert b"Read the code" not in terminal.written[before:]


def test_no_color(start: Start) -> None:
    """With NO_COLOR the view is live, and nothing in it is coloured or otherwise styled."""
    terminal = ready(start(NO_COLOR="1"))
    terminal.type("jq")
    assert terminal.ended() == 0
    assert set(re.findall(rb"\x1b\[[0-9;]*m", terminal.written)) == {b"\x1b[0m"}


def test_a_dumb_terminal_gets_plain_lines(start: Start, db: str) -> None:
    """With TERM=dumb the view is printed once, then a line for each change, without an escape code."""
    terminal = start(TERM="dumb")
    terminal.wait_for("● 2  Fixing the bug...")
    Board(store=db, session="fix").edit("3", status="cancelled")
    terminal.wait_for("fix person: cancelled Run the tests")
    terminal.type("\x03")
    assert terminal.ended() == 130
    assert b"\x1b" not in terminal.written


def test_a_terminal_that_knows_only_ascii(start: Start, db: str) -> None:
    """Where the encoding has no such glyphs, others stand in; what cannot be shown takes its columns all the same."""
    Board(store=db, session="修复").write({"todos": [{"content": "字 é", "status": "completed"}, {"content": "Next"}]})
    terminal = start(PYTHONIOENCODING="ascii")
    terminal.wait_for("x 1  Read the code", "o 3  Run the tests", "???? ", "x 1  ?? ?", "-- Recent --")
    terminal.wait_until(
        lambda: re.search(r"^    [|/\\-] 2  Fixing the bug\.\.\.", terminal.text, re.MULTILINE) is not None
    )
    assert terminal.written.isascii()


def test_once_prints_the_view_and_ends(start: Start) -> None:
    """`once` prints in colour into a terminal, takes nothing over, and ends."""
    terminal = start(once=True)
    assert terminal.ended() == 0
    assert "● 2  Fixing the bug..." in terminal.text
    assert b"\x1b[33m" in terminal.written and b"\x1b[?" not in terminal.written
    assert terminal.is_as_found


HOSTILE = {
    "colours and cursor": "\x1b[31m\x1b[2J\x1b[1;1Hred\x1b[?1049l\x1bc",
    "a link": "\x1b]8;;http://example.com\x07click\x1b]8;;\x07\x1b]0;title\x07",
    "one-byte controls": "\x9b2J\x9d0;title\x9c\x90q\x9c",
    "direction": "gpj.\u202eexe \u2066a\u2069 \u200f",
    "breaks and tabs": "a\nb\r\nc\td\v\f\x85\u2028\u2029e\b\b\b",
    "a very long line": "x" * 200_000,
    "a very long wide line": "字👩‍👩‍👧‍👦" * 30_000,
    "a heap of marks": "a" + "\u0301" * 200_000,
    "half a pair": "half \ud83d pair",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HOSTILE.items()])
def test_hostile_text_stays_in_its_cell(start: Start, db: str, text: str) -> None:
    """Whatever a todo says, every other line of the screen is as it would be without it."""
    store, now = SQLiteStore(db), time.time()
    for name, content in (("a", "harmless"), ("b", text)):
        todos = (Todo("1", content), Todo("2", content, Status.IN_PROGRESS, content, started_at=now), Todo("3", "Last"))
        store.commit(Key(name, "main"), Change(Plan(), Plan(todos, revision=1, updated_at=now, next_id=4)))
    store.close()
    terminal = start(60, 30)
    terminal.wait_for("▾ a", "▾ b", "○ 1  harmless", "q quit")
    terminal.wait_until(lambda: terminal.lines.count("    ○ 3  Last") == 2)
    a = next(at for at, line in enumerate(terminal.lines) if "▾ a" in line)
    b = next(at for at, line in enumerate(terminal.lines) if "▾ b" in line)
    glyphs: set[str] = set()

    def was_redrawn() -> bool:
        glyphs.add(terminal.lines[b + 2][4])
        return len(glyphs) > 3

    terminal.wait_until(was_redrawn)
    same = [re.sub("▾ .", "▾ ?", line) for line in terminal.lines]
    assert same[a] == same[b]
    assert terminal.lines[b + 1].startswith("    ○ 1  ") and re.match("    [⠀-⣿] 2  ", terminal.lines[b + 2])
    assert terminal.lines[b + 3] == "    ○ 3  Last" and terminal.lines[b + 4] == ""
    assert terminal.lines[0].startswith("holdfast") and terminal.lines[-1].startswith("q quit")
    assert len(terminal.written) < 100_000
    terminal.type("q")
    assert terminal.ended() == 0
    assert terminal.is_as_found


def test_a_store_in_trouble_is_told_and_tried_again(start: Start, db: str) -> None:
    """A file that is damaged while we watch is told at the bottom; when it is well again, the view goes on."""
    terminal = ready(start())
    aside = db + ".well"
    os.rename(db, aside)
    Path(db).write_bytes(b"no database at all" * 100)
    terminal.wait_until(lambda: terminal.lines[-1].startswith("plans.db "))
    os.replace(aside, db)
    Board(store=db, session="fix").edit("3", status="cancelled")
    terminal.wait_for("✗ 3  Run the tests")


def test_another_file_in_the_place_of_the_first_is_shown(start: Start, db: str) -> None:
    """Somebody removes the file and begins anew: the old plans go, the new one comes."""
    terminal = ready(start())
    for path in Path(db).parent.glob("plans.db*"):
        path.unlink()
    Board(store=db, session="anew").write({"todos": [{"content": "Begin", "status": "in_progress"}]})
    terminal.wait_for("Begin", "anew")
    assert "Fixing the bug" not in terminal.text
