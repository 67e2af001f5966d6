"""`holdfast notify` as a process: real commands, a real webhook on loopback, a real note, never twice."""

import hmac
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from driving import HOLDFAST, environment, run
from patience import PATIENCE, wait_until

from holdfast import Board
from holdfast.testing.loopback import HTTPReply, LoopbackServer, Responder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it runs commands of a POSIX shell")

SECRET = "a secret of some length"
COMMAND = 'cat >> told.jsonl; echo >> told.jsonl; echo "$HOLDFAST_TITLE" >> titles'


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """A plan with a blocked todo, and one to work on."""
    board = Board(store=tmp_path / "plans.db", session="fix $(touch oops)")
    board.write({"todos": [{"content": "Ask the owner; touch oops"}, {"content": "Fix the bug"}]})
    board.edit("1", status="blocked")
    yield board
    board.store.close()


@contextmanager
def serving(answer: Responder) -> Iterator[LoopbackServer]:
    """A server on loopback that answers so."""
    server = LoopbackServer(answer)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def told_events(folder: Path) -> list[dict[str, Any]]:
    """What the command was given."""
    path = folder / "told.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines() if line] if path.exists() else []


def test_what_needs_a_person_now_is_told_once(tmp_path: Path, board: Board) -> None:
    """A run for cron tells of it; the next run has nothing to tell. Text is data: nothing of it is run."""
    for _ in range(2):
        assert run(tmp_path, "notify", "--once", "--command", COMMAND) == ("", "", 0)
    [event] = told_events(tmp_path)
    assert (event["event"], event["todo"]["content"]) == ("blocked", "Ask the owner; touch oops")
    assert (tmp_path / "titles").read_text() == "fix $(touch oops) is blocked\n"
    assert not (tmp_path / "oops").exists()


def test_it_goes_on_until_it_is_ended(tmp_path: Path, board: Board) -> None:
    """Two processes follow the same plans: each event is told once, by one of them, and by `--all` not again."""
    words = [*HOLDFAST, "notify", "--command", COMMAND]
    both = [subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path)) for _ in range(2)]
    try:
        wait_until(lambda: len(told_events(tmp_path)) == 1)
        board.edit("1", status="completed")
        board.edit("2", status="completed")
        wait_until(lambda: [event["event"] for event in told_events(tmp_path)] == ["blocked", "finished"])
        assert run(tmp_path, "notify", "--all", "--once", "--command", COMMAND).code == 0
        assert len(told_events(tmp_path)) == 2
    finally:
        for process in both:
            process.send_signal(signal.SIGINT)
        assert [process.wait(PATIENCE) for process in both] == [130, 130]


def test_a_command_that_fails_is_told_of_and_tried_again(tmp_path: Path, board: Board) -> None:
    """Its last words are passed on, and the next run tries it again."""
    failed = run(tmp_path, "notify", "--once", "--command", "test -e ready || { echo not yet >&2; exit 3; }")
    assert "ended with 3: not yet" in failed.stderr
    (tmp_path / "ready").touch()
    assert run(tmp_path, "notify", "--once", "--command", "test -e ready || { echo not yet >&2; exit 3; }").stderr == ""


def test_a_webhook_is_signed_and_tried_again(tmp_path: Path, board: Board) -> None:
    """A server that fails once gets it again, with the same id; the signature is that of the body and the time."""
    got: list[tuple[Mapping[str, str], dict[str, Any]]] = []

    def answer(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> HTTPReply:
        got.append(({name.lower(): value for name, value in headers.items()}, body))
        return HTTPReply(503 if len(got) == 1 else 200, {})

    with serving(answer) as server:
        url = f"{server.url}/hook"
        environ = {"HOLDFAST_WEBHOOK_SECRET": SECRET}
        for _ in range(2):
            assert run(tmp_path, "notify", "--once", "--webhook", url, **environ) == ("", "", 0)
    assert len(got) == 2, "one failure, one success, and nothing in the second run"
    (first, _), (headers, body) = got
    assert first["x-holdfast-event"] == headers["x-holdfast-event"] and body["event"] == "blocked"
    at, mac = (part.partition("=")[2] for part in headers["x-holdfast-signature"].split(","))
    expected = hmac.new(SECRET.encode(), f"{at}.{json.dumps(body)}".encode(), "sha256").hexdigest()
    assert hmac.compare_digest(mac, expected)


def test_a_webhook_that_refuses_is_not_pressed(tmp_path: Path, board: Board) -> None:
    """A refusal or a redirect is final for this run; without a secret nothing is sent at all."""
    asked: list[str] = []

    def answer(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> HTTPReply:
        asked.append(path)
        return HTTPReply(403, {})

    with serving(answer) as server:
        unsigned = run(tmp_path, "notify", "--once", "--webhook", server.url)
        assert unsigned.code == 2 and "HOLDFAST_WEBHOOK_SECRET" in unsigned.stderr and not asked
        refused = run(tmp_path, "notify", "--once", "--webhook", server.url, HOLDFAST_WEBHOOK_SECRET=SECRET)
    assert "answered 403" in refused.stderr and len(asked) == 1


def test_a_note_on_the_desktop(tmp_path: Path, board: Board) -> None:
    """By notify-send, which gets title and text as arguments, its markup escaped."""
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "notify-send"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > shown\n')
    script.chmod(0o755)
    board.edit("1", content="Ask <b>the owner</b>")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    assert run(tmp_path, "notify", "--once", "--desktop", PATH=path).stderr == ""
    shown = (tmp_path / "shown").read_text().splitlines()
    assert shown[-2:] == ["fix $(touch oops) is blocked", "Ask &lt;b&gt;the owner&lt;/b&gt;"]


def test_without_a_channel_it_prints_and_only_what_was_asked_for(tmp_path: Path, board: Board) -> None:
    """Each run prints what it finds; `--on` chooses; an unknown event is an error that names the others."""
    assert "is blocked: Ask the owner" in run(tmp_path, "notify", "--once").stdout
    assert "is blocked: Ask the owner" in run(tmp_path, "notify", "--once").stdout
    assert run(tmp_path, "notify", "--once", "--on", "stalled,finished").stdout == ""
    wrong = run(tmp_path, "notify", "--once", "--on", "done")
    assert wrong.code == 2 and "waiting, blocked, finished, stalled" in wrong.stderr
