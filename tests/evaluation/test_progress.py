"""What one sees while it runs: a bar on a terminal, a line a run elsewhere."""

import json
import signal
from pathlib import Path

import pytest
from pseudo_terminal import PseudoTerminal

from holdfast.cli import main

COMMAND = "echo >> {0}/begun; until [ $(wc -l < {0}/begun) -lt 4 ] || [ -e {0}/go ]; do sleep 0.02; done"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a model that plays a script of two turns. The fourth run waits for a file `go`."""
    monkeypatch.chdir(tmp_path)
    turns = [[{"bash": {"command": COMMAND.format(tmp_path)}}], ["I have done what I could."]]
    Path("script.json").write_text(json.dumps(turns))
    return "rehearsal:script.json"


def code(words: list[str]) -> str:
    """A program that runs the command."""
    return f"import sys; from holdfast.cli import main; sys.exit(main.run({words!r}))"


def test_a_bar_fills_on_a_terminal_and_the_table_comes_last(script: str) -> None:
    """While it runs there is a bar with how many of how many; then the bar is gone and the table is there."""
    words = ["eval", "--model", script, "--tasks", "files", "--runs", "2", "--arms", "none,rail", "--jobs", "6"]
    with PseudoTerminal(code(words), 100, 40) as terminal:
        terminal.wait_for("━", "/4")
        Path("go").touch()
        terminal.wait_for("report: holdfast-eval.html")
        assert terminal.ended() == 0
        assert "WORK DONE" in terminal.text
        assert "files-6-1 rail: 0 of 6 done" in terminal.text
        assert "━" not in terminal.text
        assert terminal.is_as_found


def test_ctrl_c_leaves_what_was_run_and_the_terminal_as_it_was(script: str) -> None:
    """A person's Ctrl-C ends it at once, with the runs before it on the disk."""
    words = ["eval", "--model", script, "--tasks", "files", "--runs", "20", "--arms", "none", "--jobs", "6"]
    with PseudoTerminal(code(words), 100, 40) as terminal:
        terminal.wait_for("files-6-2 none: 0 of 6 done")
        terminal.send(signal.SIGINT)
        assert terminal.ended() != 0
        assert terminal.is_as_found
    assert len(Path("holdfast-eval.jsonl").read_text().splitlines()) >= 3


def test_a_line_a_run_where_there_is_no_terminal(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe standard error has a plain line for each run, and standard output the figures alone."""
    words = ["eval", "--model", script, "--tasks", "files", "--runs", "2", "--arms", "none", "--jobs", "6"]
    assert main.run(words) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [f"files-6-{seed} none: 0 of 6 done, 2 turns, done" for seed in (1, 2)]
    assert printed.out.startswith("ARM")


BESIDE_THE_WAIT = """
import os, signal, sys, time
from holdfast.cli import main
from holdfast.evaluation import batch

def caught_by_the_worker(*_):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
batch.run_trial = caught_by_the_worker
sys.exit(main.run(["eval", "--model", "rehearsal:script.json", "--tasks", "files", "--runs", "1", "--arms", "none"]))
"""


def test_ctrl_c_is_noticed_though_it_does_not_end_a_wait(script: str) -> None:
    """It may come just before the wait. Here another thread catches it, which is the same, and happens each time."""
    with PseudoTerminal(BESIDE_THE_WAIT, 100, 40) as terminal:
        assert terminal.ended() == -signal.SIGINT
