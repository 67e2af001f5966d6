"""Conversations last: over crashes, torn lines, compactions, and a second process that wants the same one."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, wait_until

from holdfast.agent import Rehearsal, call, text
from holdfast.agent.assembly import assemble
from holdfast.agent.conversations import ConversationFolder
from holdfast.agent.messages import CUT_OFF, Message, user_message
from holdfast.cli.commands.agent import agent_setup
from holdfast.cli.invocation import Invocation
from holdfast.errors import StoreError, UsageError
from holdfast.terminal.screen import Screen

HELLO: Message = user_message(text("Hello"))
ANSWER: Message = {"role": "assistant", "content": [text("Yes?")]}


def path_of(folder: Path) -> Path:
    """The only conversation's file."""
    (found,) = folder.glob("*.jsonl")
    return found


def kept_lines(kept: ConversationFolder) -> tuple[str, Path, list[bytes]]:
    """A conversation of a question and an answer that was closed: its id, its file, and the lines in it."""
    begun = kept.begin("/work")
    begun.save([HELLO, ANSWER])
    begun.close()
    path = path_of(kept.folder)
    return begun.info.id, path, path.read_bytes().splitlines(keepends=True)


def test_messages_come_back(tmp_path: Path) -> None:
    """What was kept is there again, with its session and its folder, under its id or as the last one."""
    kept = ConversationFolder(tmp_path)
    first = kept.begin("/work", "nightly")
    first.save([HELLO])
    first.save([HELLO, ANSWER])
    first.close()
    again = kept.resume(first.info.id)
    assert again.messages == [HELLO, ANSWER]
    assert again.info == first.info
    again.close()
    assert kept.last("/work").info.id == first.info.id
    assert (path_of(tmp_path).stat().st_mode & 0o777) == 0o600


def test_a_conversation_of_another_folder_is_not_continued(tmp_path: Path) -> None:
    """`--continue` takes the last conversation of this folder, and of the session if one is named."""
    kept = ConversationFolder(tmp_path)
    for session in ("a", "b"):
        begun = kept.begin("/work", session)
        begun.save([HELLO])
        begun.close()
    assert kept.last("/work", "a").info.session == "a"
    with pytest.raises(UsageError, match="no conversation to continue in /elsewhere"):
        kept.last("/elsewhere")
    with pytest.raises(UsageError, match="no conversation 'nope'"):
        kept.resume("nope")
    with pytest.raises(UsageError, match="is not the id"):
        kept.resume("../../etc/passwd")


def test_a_torn_last_line_is_as_if_not_written(tmp_path: Path) -> None:
    """At whatever byte a crash cut the last record off, what was before it is there, and the next one is whole."""
    kept = ConversationFolder(tmp_path / "whole")
    begun = kept.begin("/work")
    begun.save([HELLO])
    begun.close()
    before = path_of(tmp_path / "whole").read_bytes()
    begun = kept.resume(begun.info.id)
    begun.save([HELLO, ANSWER])
    begun.close()
    whole = path_of(tmp_path / "whole").read_bytes()
    for end in range(len(before), len(whole)):
        folder = tmp_path / str(end)
        folder.mkdir()
        (folder / f"{begun.info.id}.jsonl").write_bytes(whole[:end])
        torn = ConversationFolder(folder).last("/work")
        assert torn.messages == [HELLO]
        torn.save([*torn.messages, ANSWER])
        torn.close()
        again = ConversationFolder(folder).last("/work")
        assert again.messages == [HELLO, ANSWER]
        again.close()


def test_a_damaged_line_is_told_and_not_skipped(tmp_path: Path) -> None:
    """A bad line before the last is an error that names it; the list says so, and the other conversations are there."""
    kept = ConversationFolder(tmp_path)
    id, path, lines = kept_lines(kept)
    path.write_bytes(b"".join([lines[0], b'{"at": 0, "mess\n', lines[2]]))
    with pytest.raises(StoreError, match=r"jsonl:2 is damaged"):
        kept.resume(id)
    assert "is damaged" in kept.all()[0].title
    other = kept.begin("/work")
    other.save([HELLO])
    other.close()
    assert kept.last("/work").info.id == other.info.id


def test_a_record_written_twice_does_no_harm(tmp_path: Path) -> None:
    """An interrupt may come between the write and the note of it."""
    kept = ConversationFolder(tmp_path)
    id, path, lines = kept_lines(kept)
    path.write_bytes(b"".join([*lines, lines[-1]]))
    again = kept.resume(id)
    assert again.messages == [HELLO, ANSWER]


def test_a_compaction_is_kept(tmp_path: Path) -> None:
    """Messages that took the place of others come back as they are now."""
    kept = ConversationFolder(tmp_path)
    begun = kept.begin("/work")
    messages = [HELLO, ANSWER, user_message(text("Go on")), ANSWER]
    begun.save(messages)
    begun.save([user_message(text("<summary>")), messages[-1]])
    begun.close()
    assert kept.resume(begun.info.id).messages == [user_message(text("<summary>")), ANSWER]


def test_a_conversation_is_one_process_at_a_time(tmp_path: Path) -> None:
    """A second one that wants it is told that it is in use."""
    kept = ConversationFolder(tmp_path)
    begun = kept.begin("/work")
    begun.save([HELLO])
    with pytest.raises(StoreError, match="in use by another process"):
        kept.resume(begun.info.id)
    begun.close()
    kept.resume(begun.info.id).close()


def test_nothing_said_leaves_nothing(tmp_path: Path) -> None:
    """A conversation that was opened and closed is not in the list."""
    kept = ConversationFolder(tmp_path)
    kept.begin("/work").close()
    assert kept.all() == []


SCRIPT = [
    ["I will plan.", {"TodoWrite": {"todos": [{"content": "Look"}, {"content": "Mend"}]}}],
    [{"write_file": {"path": "found.txt", "content": "the bug"}}],
    [{"bash": {"command": "echo $$ > started; sleep 600"}}],
    ["never said"],
]


def invocation(folder: Path, **options: Any) -> Invocation:
    """A call of `holdfast agent` as this process makes it."""
    environ: Mapping[str, str] = {"HOLDFAST_DB": str(folder / "plans.db")}
    return Invocation(options, Screen(sys.stdout), environ)


def killed_in_mid_run(folder: Path) -> None:
    """Run a real `holdfast agent`, and kill it while a command runs."""
    (folder / "script.json").write_text(json.dumps(SCRIPT))
    words = [sys.executable, "-m", "holdfast", "agent", "--model", "rehearsal:script.json", "--yes", "Mend it"]
    process = subprocess.Popen(
        words, cwd=folder, env={**os.environ, "HOLDFAST_DB": str(folder / "plans.db")}, stdout=subprocess.PIPE
    )
    started = folder / "started"
    wait_until(lambda: process.poll() is not None or (started.exists() and started.read_text().strip()))
    assert process.poll() is None, "it did not get so far"
    process.kill()
    process.communicate()
    with suppress(ProcessLookupError):  # its guard may have been quicker
        os.killpg(int(started.read_text()), signal.SIGKILL)
    (conversation,) = (folder / "conversations").glob("*.jsonl")
    wait_until(lambda: is_unlocked(conversation), "a child that it was just starting has let go of the lock")


def is_unlocked(path: Path) -> bool:
    """Whether no process holds the lock on a file."""
    with path.open("rb") as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def test_kill_9_in_the_middle_and_continue(tmp_path: Path) -> None:
    """After `kill -9` in a tool call, `--continue` has all messages, and the next request carries the plan."""
    killed_in_mid_run(tmp_path)
    invoked = invocation(tmp_path)
    conversation = ConversationFolder(tmp_path / "conversations").last(str(tmp_path.resolve()))
    model = Rehearsal([[call("read_file", path="found.txt")], [text("Mended.")]])
    agent = assemble(model, conversation, invoked.store, agent_setup(invoked))
    assert agent.run("Go on").reason == "done"
    sent = model.requests[0]["messages"]
    assert sent[0]["content"] == [text("Mend it")]
    cut_off, go_on, plan = sent[-1]["content"]
    assert cut_off["content"] == CUT_OFF and cut_off["is_error"]
    assert go_on == text("Go on")
    assert plan["text"].startswith("<plan>")
    assert "1. [pending] Look" in plan["text"] and "2. [pending] Mend" in plan["text"]
    conversation.close()
    invoked.close()
    assert [block["content"] for block in agent.messages[-2]["content"]] == ["the bug"]


def test_continue_on_the_command_line(tmp_path: Path) -> None:
    """`holdfast agent --continue` goes on with messages and plan, `--list` names the conversation with its task."""
    killed_in_mid_run(tmp_path)
    (tmp_path / "next.json").write_text(json.dumps([["On it."]]))
    environ = {**os.environ, "HOLDFAST_DB": str(tmp_path / "plans.db")}
    holdfast = [sys.executable, "-m", "holdfast", "agent"]

    def run(*words: str) -> str:
        return subprocess.run(
            [*holdfast, *words], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=True
        ).stdout

    events = [
        json.loads(line) for line in run("--continue", "--model", "rehearsal:next.json", "--json", "Go on").splitlines()
    ]
    assert [event["kind"] for event in events] == ["reminder", "text", "finished"]
    assert "1. [pending] Look" in events[0]["text"]
    assert [todo["content"] for todo in events[-1]["todos"]] == ["Look", "Mend"]
    (kept,) = json.loads(run("--list", "--json"))
    assert kept["title"] == "Mend it"
    assert kept["messages"] == 10  # the plan that was brought back is one of them
    assert "Mend it" in run("--list")
    assert "On it." in run("--resume", kept["id"], "--model", "rehearsal:next.json", "Again")
