"""The keys of `holdfast watch`, in a real pseudo-terminal: find, read in full, add, reword, and 200 sessions."""

import sys
from pathlib import Path

import pytest
from watch_driving import WATCH, Start, ready

from holdfast import Board, Status

if sys.platform != "win32":
    from pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

LONG = "Find every caller of the old function, and write down which of them pass more than two arguments to it"


def test_adding_a_todo(start: Start, db: str) -> None:
    """`a` asks for a text, in any script, and adds it to the plan under the cursor, as a person."""
    terminal = ready(start())
    terminal.type("ja")
    terminal.wait_for("add to fix: ▏")
    terminal.type("Tell 翻译 team\x7f\x7fm: qud")
    terminal.wait_for("add to fix: Tell 翻译 tem: qud▏")
    terminal.type("\r")
    terminal.wait_for("○ 4  Tell 翻译 tem: qud", "added Tell")
    board = Board(store=db, session="fix")
    assert board.plan.todos[3].content == "Tell 翻译 tem: qud"
    assert next(board.history()).change.by == "person"


def test_escape_leaves_everything_as_it_was(start: Start, db: str) -> None:
    """A line that was begun and left with escape changes nothing."""
    terminal = ready(start())
    terminal.type("jaNever mind")
    terminal.wait_for("Never mind▏")
    terminal.type("\x1b")
    terminal.wait_for("q quit")
    assert Board(store=db, session="fix").plan.revision == 1


def test_rewording(start: Start, db: str) -> None:
    """`e` lets a person change the words of a todo in their place: arrows, home and delete work."""
    terminal = ready(start())
    terminal.type("jje")
    terminal.wait_for("reword 3: Run the tests▏")
    terminal.type("\x1b[H\x1b[3~\x1b[3~\x1b[3~Try\x1b[F twice\r")
    terminal.wait_for("○ 3  Try the tests twice")
    assert Board(store=db, session="fix").plan.todos[2].content == "Try the tests twice"


def test_words_that_somebody_else_changed_meanwhile_stay(start: Start, db: str) -> None:
    """Two people reword one todo at the same time: the second is told, and sees what was typed."""
    terminal = ready(start(120))
    terminal.type("jje and more")
    terminal.wait_for("Run the tests and more▏")
    Board(store=db, session="fix").edit("3", content="Run them all")
    terminal.wait_for("○ 3  Run them all")
    terminal.type("\r")
    terminal.wait_for("not saved", "You wrote: Run the tests and more")
    assert Board(store=db, session="fix").plan.todos[2].content == "Run them all"


@pytest.mark.parametrize(
    ("key", "status"), [("s", Status.IN_PROGRESS), ("b", Status.BLOCKED), ("c", Status.CANCELLED), ("d", "completed")]
)
def test_one_key_for_each_status(start: Start, db: str, key: str, status: str) -> None:
    """Start, block, cancel and done; `o` opens it again."""
    terminal = ready(start())
    terminal.type("jj" + key)
    board = Board(store=db, session="fix")
    terminal.wait_until(lambda: board.plan.todos[2].status == status)
    terminal.type("o")
    terminal.wait_until(lambda: board.plan.todos[2].status is Status.PENDING)


def test_finding(start: Start, db: str) -> None:
    """`/` shows only the sessions with a text, as it is typed; the keys act on those; escape shows all again."""
    Board(store=db, session="docs").write({"todos": [{"content": "Write the guide"}]})
    terminal = ready(start())
    terminal.type("/GUIDE")
    terminal.wait_until(lambda: "Write the guide" in terminal.text and "Fixing the bug" not in terminal.text)
    terminal.type("\rjjd")
    terminal.wait_for("1/1", "with GUIDE")
    assert Board(store=db, session="docs").plan.is_finished
    terminal.type("/nowhere")
    terminal.wait_for("Nothing here has this text")
    terminal.type("\x1b")
    terminal.wait_for("Fixing the bug...", "docs")


def test_a_long_todo_in_full(start: Start, db: str) -> None:
    """Enter shows everything that is known of a todo, nothing cut off, and follows its changes; `q` goes back."""
    board = Board(store=db, session="fix")
    board.edit("3", content=LONG, check="make test")
    terminal = ready(start(50, 20))
    terminal.type("jj\r")
    terminal.wait_for("q back", "check      make test", "status     pending")
    words = " ".join(" ".join(line.split()) for line in terminal.lines)
    assert LONG in words
    board.edit("3", status="completed")
    terminal.wait_for("status     completed")
    terminal.type("q")
    terminal.wait_for("q quit")
    terminal.type("q")
    assert terminal.ended() == 0


def test_the_page_of_a_todo_that_is_removed_closes(start: Start, db: str) -> None:
    """Nobody is left on a page of nothing."""
    terminal = ready(start())
    terminal.type("jj\r")
    terminal.wait_for("q back")
    Board(store=db, session="fix").remove("3")
    terminal.wait_for("q quit", "Fixing the bug...")


def test_the_keys_are_told(start: Start) -> None:
    """`?` lists every key; in a small window the list scrolls; any of its ways out leads back."""
    terminal = ready(start(60, 12))
    terminal.type("?")
    terminal.wait_for("q back", "one row down or up")
    terminal.type("\x1b[6~\x1b[6~")
    terminal.wait_for("undo, redo", "go back")
    terminal.type("?")
    terminal.wait_for("q quit")


def test_two_hundred_sessions(start: Start, db: str) -> None:
    """Those that wait are folded; page keys, tab, ends, fold all and find reach every one of them."""
    for number in range(200):
        Board(store=db, session=f"s{number:03}").write({"todos": [{"content": f"Job {number:03}"}, {"content": "Two"}]})
    terminal = ready(start(80, 24))
    terminal.wait_for("1 running · 200 waiting", "▸ s199")
    assert "Job 199" not in terminal.text
    terminal.type("G")
    terminal.wait_for("❯ ▸ s000")
    terminal.type("\x1b[5~")
    terminal.wait_for("❯ ▸ s020")
    terminal.type("g\t")
    terminal.wait_for("❯ ▸ s199")
    terminal.type("FF")
    terminal.wait_for("❯ ▾ s199", "○ 1  Job 199")
    terminal.type("F")
    terminal.wait_for("❯ ▸ s199", "▸ s198")
    terminal.type("/job 042\r")
    terminal.wait_until(lambda: "▸ s042" in terminal.text and "s199" not in terminal.text)


def test_a_plan_that_waits_for_approval_comes_first(start: Start, db: str) -> None:
    """It is the first thing to see, whatever runs; `p` approves it, and that is in its history."""
    board = Board(store=db, session="review-me")
    board.write({"todos": [{"content": "Drop the old table"}]})
    board.request_review()
    terminal = ready(start(100))
    terminal.wait_for("1 for you to approve", "waits for your approval for")
    rows = [line for line in terminal.lines if "▾" in line]
    assert "review-me" in rows[0] and "fix" in rows[1]
    terminal.type("gp")
    terminal.wait_for("approved")
    terminal.wait_until(lambda: "waits for your approval" not in terminal.text)
    assert not board.plan.awaits_approval and next(board.history()).change.action == "approve"
    terminal.type("Gp")
    terminal.wait_for("does not wait for approval")


def test_every_project_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--all` shows the plans of all projects beside each other, follows them, and edits each in its own place."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shop, api = (Board(store=tmp_path / name / ".holdfast" / "plans.db") for name in ("shop", "api"))
    for board in (shop, api):
        board.write({"todos": [{"content": f"Job {number}"} for number in (1, 2)]})
    with PseudoTerminal(WATCH.format(words=["watch", "--all"]), 80, 24) as terminal:
        terminal.wait_for("2 projects on this machine", "▾ shop: default", "▾ api: default", "q quit")
        shop.edit("1", status="in_progress")
        terminal.wait_for("Job 1...")
        terminal.type("/shop\rjd")
        terminal.wait_until(lambda: shop.plan.todos[0].status is Status.COMPLETED)
        assert not api.plan.done
