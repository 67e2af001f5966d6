"""Text that nobody sees, texts that cost too much, and writes at the wrong moment."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast import Board, Rules
from holdfast.text import markdown, one_line
from holdfast.transfer.markdown import to_markdown

HIDDEN = ["\u200b", "\u2060", "\u2063", "\U000e0041", "\U000e007f", "\u180e", "\ufff9", "\ufeff"]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("dialect", ["holdfast", "claude-tasks", "shell"])
def test_hidden_characters_reach_no_model_and_no_view_unseen(hidden: str, dialect: str) -> None:
    """Each is shown as a replacement character; joiners that scripts and emoji need stay."""
    board = Board()
    board.write({"todos": [{"content": f"cle{hidden}an", "status": "in_progress"}]})
    board.edit("1", content=f"re{hidden}worded")
    other = Board(dialect=dialect, store=board.store)  # type: ignore[arg-type]  # a name from the table above
    texts = [board.resume(), board.recap(), other.dialect.render(board.plan), to_markdown(board.plan)]
    texts += [one_line(f"a{hidden}b"), markdown(f"a{hidden}b")]
    assert all(hidden not in text for text in texts)
    assert one_line(f"a{hidden}b") == "a\ufffdb"
    assert one_line("👩\u200d💻 می\u200cخواهم ❤\ufe0f") == "👩\u200d💻 می\u200cخواهم ❤\ufe0f"


def test_the_cost_of_a_reply_does_not_grow_with_the_cube_of_blockers() -> None:
    """Four hundred todos of which each waits for all before it."""
    board = Board(dialect="qwen", rules=Rules(max_items=400))
    todos = [
        {"id": f"n{id}", "content": f"t{id}", "status": "pending", "blockedBy": [f"n{other}" for other in range(id)]}
        for id in range(400)
    ]
    began = time.process_time()
    assert board.write({"todos": todos}).ok
    assert time.process_time() - began < 2


def test_evidence_is_required_of_whoever_finishes_a_todo() -> None:
    """A claim is no way around the rule."""
    board = Board(rules=Rules(evidence="required"))
    board.write({"todos": [{"content": "A"}]})
    board.claim("one", "1")
    for evidence in (None, "", "  "):
        assert [fault.code for fault in board.finish("one", "1", evidence).faults] == ["evidence"]
    assert board.finish("one", "1", "tests pass").ok


IN_A_HANDLER = """
import signal, sys
from holdfast import Board
board = Board(store=sys.argv[1])
assert board.add("before").ok
replies = []
signal.signal(signal.SIGALRM, lambda *_: replies.append(board.add("from the handler")))
board.store._connection.run(lambda sqlite: signal.raise_signal(signal.SIGALRM))
assert board.add("after").ok
print(replies[0].text, [todo.content for todo in board.plan.todos])
"""


def test_a_write_from_a_signal_handler_does_not_wait_for_itself(tmp_path: Path) -> None:
    """It is refused at once if it interrupted another write of its thread; the next one works."""
    ran = subprocess.run(
        [sys.executable, "-c", IN_A_HANDLER, str(tmp_path / "plans.db")], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert "a signal handler must leave the plan to it" in ran.stdout
    assert ran.stdout.strip().endswith("['before', 'after']")
