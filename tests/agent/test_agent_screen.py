"""`holdfast agent` on a real terminal: the plan stays in view at the bottom while everything else scrolls by."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from pseudo_terminal import PseudoTerminal

from holdfast import Board
from holdfast.testing import Dropped, ModelServer, ScriptedTurn, text

CODE = """
import os, sys
os.chdir({folder!r})
sys.argv = ["holdfast", "agent", *{words!r}]
from holdfast.cli.main import main
sys.exit(main())
"""
ROWS = 24
QUESTION = "Allow it? [y]es, [n]o, [a]lways:"
HOSTILE = "\x1b[2J\x1b[H\x1b]0;title\x07\x9b31mred\u202ednuora"


@contextmanager
def agent(
    folder: Path, turns: Sequence[Any], *words: str, columns: int = 80, rows: int = ROWS
) -> Iterator[PseudoTerminal]:
    """A real `holdfast agent` in a terminal, which plays these turns."""
    (folder / "script.json").write_text(json.dumps(turns))
    code = CODE.format(folder=str(folder), words=["--model", "rehearsal:script.json", *words])
    environ = {"HOLDFAST_DB": str(folder / "plans.db"), "HOME": str(folder)}
    with PseudoTerminal(code, columns, rows, environ) as terminal:
        yield terminal


def wait_for_prompt(terminal: PseudoTerminal, prompt: str) -> None:
    """Wait until a prompt is all that stands on the last line."""
    terminal.wait_until(lambda: [line for line in terminal.lines if line][-1:] == [prompt])


def plan(*steps: str) -> dict[str, Any]:
    """A call that writes a plan."""
    return {"TodoWrite": {"todos": [{"content": step} for step in steps]}}


def done(id: str) -> dict[str, Any]:
    """A call that marks a todo as completed."""
    return {"TodoWrite": {"todos": [{"id": id, "status": "completed"}]}}


def bash(command: str) -> dict[str, Any]:
    """A call of bash."""
    return {"bash": {"command": command}}


@pytest.mark.parametrize("columns", [50, 100])
def test_the_plan_stays_in_view_while_text_scrolls(tmp_path: Path, columns: int) -> None:
    """Below many lines of text and tool calls there is the plan, as it is now, and the line of what is going on."""
    much = "\n".join(f"Line {number} of what I think about it." for number in range(40))
    turns = [[plan("Read the code", "Mend it")], [much, bash("touch ready; sleep 600")]]
    with agent(tmp_path, turns, "--yes", "Do it", columns=columns) as terminal:
        terminal.wait_for("Line 39 of what I think", "bash touch ready", "Mend it")
        *above, top, first, second, bottom, status = [line for line in terminal.lines if line]
        assert top.startswith("┌─ Plan 0/2 ─") and top.endswith("┐")
        assert first.startswith("│ ○ Read the code") and second.startswith("│ ○ Mend it")
        assert bottom.startswith("└") and max(map(len, terminal.lines)) <= columns
        assert "tokens · bash touch ready; sleep 600" in status
        assert above[-1] == "Line 39 of what I think about it."
        assert "Line 0 " not in terminal.text  # it has scrolled away, the plan has not
        assert "TodoWrite" not in terminal.text and "todos" not in terminal.text
        Board(store=tmp_path / "plans.db", session=_session(tmp_path)).edit("1", status="completed")
        terminal.wait_for("Plan 1/2", "✓ Read the code")  # an edit from another process is seen at once
        terminal.send(signal.SIGINT)
        terminal.ended()
        assert terminal.is_as_found


def _session(folder: Path) -> str:
    (conversation,) = (folder / "conversations").glob("*.jsonl")
    return conversation.stem


def test_a_run_from_start_to_end(tmp_path: Path) -> None:
    """Tool calls take a line each, with what they came to; at the end stand the plan, the tokens and its cost."""
    turns = [
        [plan("Write", "Check"), {"write_file": {"path": "a.txt", "content": "x\n"}}],
        [done("1"), bash("seq 3; exit 2"), {"read_file": {"path": "../b"}}],
        ["All is\nwell.", done("2")],
        ["Done."],
    ]
    with agent(tmp_path, turns, "--yes", "Do it") as terminal:
        assert terminal.ended() == 0
        lines = [line for line in terminal.lines if line]
        assert lines[:8] == [
            "✓ write_file a.txt  Created a.txt: 1 line",
            "✗ bash seq 3; exit 2  exit code 2, 3 lines",
            "✗ read_file ../b  '../b' leaves the workspace: give a path inside it, relative …",
            "All is",
            "well.",
            "Done.",
            "┌─ Plan 2/2 ──────────────────────────────────────────┐",
            "│ ✓ Write                                             │",
        ]
        assert lines[-1].startswith("done · 2/2 todos · ")
        assert "tokens in" in lines[-1] and "the plan took about" in lines[-1]
        assert terminal.is_as_found


def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    """Control characters of a model, a tool or a file never reach the terminal."""
    (tmp_path / "evil.txt").write_text(HOSTILE)
    turns = [
        [f"Hello {HOSTILE}\nsecond {HOSTILE}", plan(f"Step {HOSTILE}")],
        [bash(f"echo {HOSTILE}; cat evil.txt"), {f"no-{HOSTILE}": {}}],
        [{"Task": {"description": HOSTILE, "prompt": "x"}}],
        [f"inner {HOSTILE}"],
        ["Done."],
    ]
    with agent(tmp_path, turns, "--yes", "Do it") as terminal:
        assert terminal.ended() == 0
        assert "Hello ␛[2J" in terminal.text
        assert b"\x1b[2J" not in terminal.written
        assert b"\x1b]0;" not in terminal.written
        assert "\u202e".encode() not in terminal.written
        assert "\x9b".encode() not in terminal.written
        assert terminal.is_as_found


def test_bash_asks_on_the_terminal(tmp_path: Path) -> None:
    """The command is shown, yes runs it, no does not, and the plan is back in view after the answer."""
    turns = [[plan("Try")], [bash("echo one > one")], [bash("echo two > two")], [bash("sleep 600")]]
    with agent(tmp_path, turns, "Do it") as terminal:
        wait_for_prompt(terminal, QUESTION)
        assert "bash wants to run:\n    echo one > one\n" in terminal.text
        assert terminal.text.count("┌") == 1 and terminal.text.index("┌") < terminal.text.index(QUESTION)
        terminal.type("y\n")
        terminal.wait_for("    echo two > two")
        wait_for_prompt(terminal, QUESTION)
        terminal.type("n\n")
        terminal.wait_for("the user did not allow this", "    sleep 600")
        wait_for_prompt(terminal, QUESTION)
        assert (tmp_path / "one").exists() and not (tmp_path / "two").exists()
        terminal.type("y\n")
        terminal.wait_for("┌─ Plan 0/1", "tokens · bash sleep 600")
        terminal.send(signal.SIGINT)
        assert terminal.ended() == 130


def test_a_long_command_is_shown_to_its_end(tmp_path: Path) -> None:
    """Nothing of what somebody is asked to allow is cut off, nor hidden behind control characters."""
    command = f"echo harmless{' ' * 200}; echo \x1b[8m\r rm -rf everything # {'x' * 150} end"
    with agent(tmp_path, [[bash(command)]], "Do it", columns=60) as terminal:
        wait_for_prompt(terminal, QUESTION)
        shown = "".join(terminal.lines)
        assert "rm -rf everything" in shown and "␛[8m" in shown and "x end" in shown
        terminal.send(signal.SIGINT)
        assert terminal.ended() == 130


def test_ctrl_c_stops_the_turn_and_hands_back(tmp_path: Path) -> None:
    """In a conversation Ctrl-C ends what runs, and the next line is heard; the model learns what was cut off."""
    turns = [[plan("Wait"), bash("echo $$ > pid; sleep 600")], ["I hear you."]]
    with agent(tmp_path, turns, "--yes") as terminal:
        wait_for_prompt(terminal, ">")
        terminal.type("Do it\n")
        terminal.wait_for("tokens · bash")
        terminal.wait_until(lambda: (tmp_path / "pid").exists())
        terminal.type("\x03")
        terminal.wait_for("interrupted · 0/1 todos")
        wait_for_prompt(terminal, ">")
        terminal.type("Are you there?\n")
        terminal.wait_for("I hear you.", "done · 0/1 todos")
        wait_for_prompt(terminal, ">")  # before it, Ctrl-D is no end of the input
        terminal.type("\x04")
        assert terminal.ended() == 0
        assert terminal.is_as_found
    kept = (tmp_path / "conversations" / f"{_session(tmp_path)}.jsonl").read_text()
    assert "(interrupted: there is no result)" in kept and "I hear you." in kept


def test_a_conversation_with_commands(tmp_path: Path) -> None:
    """Commands work at the prompt of a real terminal, and `/quit` ends."""
    with agent(tmp_path, [[plan("A", "B")], ["Planned."]], "--yes") as terminal:
        wait_for_prompt(terminal, ">")
        terminal.type("Plan it\n")
        terminal.wait_for("done · 0/2 todos")
        terminal.type("/done 1\n")
        terminal.wait_for("✓ 1  A")
        terminal.type("/help\n")
        terminal.wait_for("/compact", "/quit")
        terminal.type("/plan\n")
        wait_for_prompt(terminal, "plan>")
        terminal.type("/quit\n")
        assert terminal.ended() == 0


def test_a_subagent_is_shown_under_its_parent(tmp_path: Path) -> None:
    """Its plan has a box of its own, further in, while it works."""
    turns = [
        [plan("Main work")],
        [{"Task": {"description": "count lines", "prompt": "Count"}}],
        [plan("Count")],
        [bash("sleep 600")],
    ]
    with agent(tmp_path, turns, "--yes", "Do it") as terminal:
        terminal.wait_for("┌─ Plan 0/1", "  ┌─ task-1: count lines 0/1", "task-1: bash sleep 600")
        terminal.send(signal.SIGTERM)
        assert terminal.ended() == 143
        assert terminal.is_as_found


def test_a_long_plan_leaves_room_for_the_rest(tmp_path: Path) -> None:
    """On a small terminal the panel shows the part of the plan that matters, and counts the others."""
    turns = [[plan(*[f"Step {number}" for number in range(1, 31)])], ["Look here", bash("sleep 600")]]
    with agent(tmp_path, turns, "--yes", "Do it", rows=16) as terminal:
        terminal.wait_for("Plan 0/30", "○ Step 1", "more", "Look here", "bash sleep 600")
        terminal.send(signal.SIGINT)
        terminal.ended()


def test_an_answer_that_broke_off_does_not_run_into_the_next_one(tmp_path: Path) -> None:
    """What came of it ends its line, then comes why the answer begins anew."""
    turns: list[ScriptedTurn] = [Dropped([text("Hello wor")]), [text("Hello world.")]]
    with ModelServer(turns) as server:
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "holdfast",
                "agent",
                "--base-url",
                server.chat_url,
                "--model",
                "openai:scripted",
                "Hi",
            ],
            cwd=tmp_path,
            env={**os.environ, "HOLDFAST_DB": str(tmp_path / "plans.db")},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
    lines = ran.stdout.splitlines()
    assert lines[0] and "Hello wor".startswith(lines[0])
    assert "broke off" in lines[1] or "no connection" in lines[1]
    assert lines[2] == "Hello world."


def test_a_conversation_begins_with_model_folder_and_help(tmp_path: Path) -> None:
    """Whoever starts it sees which model works where, and how to learn the commands."""
    with agent(tmp_path, [["Hello."]]) as terminal:
        terminal.wait_for("Rehearsal in ~ · /help lists the commands", ">")


def test_the_plan_stays_in_view_while_it_asks(tmp_path: Path) -> None:
    """The plan is above the question; after the answer the question stays, and the plan is at the bottom again."""
    turns = [[plan("Read the code", "Mend it")], [bash("touch ready")], [bash("sleep 600")]]
    with agent(tmp_path, turns, "Do it") as terminal:
        terminal.wait_for(QUESTION, "Mend it")
        shown = [line for line in terminal.lines if line]
        assert shown[-1].startswith(QUESTION)
        assert shown[-5].startswith("┌─ Plan 0/2") and shown[-2].startswith("└")
        terminal.type("a\r")
        terminal.wait_for("tokens · bash sleep 600")
        assert terminal.text.count("┌─ Plan") == 1 and f"{QUESTION} a" in terminal.text


def test_the_markdown_of_the_model_is_drawn(tmp_path: Path) -> None:
    """Headings and stressed words are bold, bullets are dots, code keeps its stars."""
    said = "## What I found\n- the **parser** is in `parse.py`\n```\nx = a ** b ** c\n```\n2 * 3 stays"
    with agent(tmp_path, [[said]], "Look") as terminal:
        terminal.wait_for("What I found", "• the parser is in parse.py", "x = a ** b ** c", "2 * 3 stays")
        assert "##" not in terminal.text and "**parser**" not in terminal.text
        row = next(at for at, line in enumerate(terminal.lines) if "the parser" in line)
        cells = terminal.screen.buffer[row]
        assert cells[terminal.lines[row].index("parser")].bold and not cells[0].bold
