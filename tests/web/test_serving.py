"""`holdfast serve` as a process: it says where it is, and ends when it is asked to."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from patience import PATIENCE, wait_until
from web_driving import board

SERVE = [sys.executable, "-m", "holdfast", "serve"]


@contextmanager
def started(folder: Path, *words: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and all that it says before it waits."""
    env = {**os.environ, "HOLDFAST_DB": str(folder / "plans.db"), "HOME": str(folder), **environ}
    process = subprocess.Popen(
        [*SERVE, *words], env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, greeting_of(process.stdout)
    finally:
        process.kill()
        process.communicate()


def greeting_of(stdout: IO[str]) -> str:
    """What it says, up to how to end it."""
    lines = ""
    for line in stdout:
        lines += line
        if "Ctrl-C" in line:
            break
    return lines


def status(port: int, path: str = "/healthz") -> int:
    """What the server on this port answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path)
    answer = connection.getresponse().status
    connection.close()
    return answer


def port_in(words: str) -> int:
    """The port in an address."""
    found = re.search(r"http://[^/]*:(\d+)/", words)
    assert found is not None, words
    return int(found[1])


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_it_says_where_it_is_and_ends_cleanly(tmp_path: Path, end: signal.Signals, code: int) -> None:
    """Even with a page that is open and follows every change."""
    with started(tmp_path, "--port", "0") as (process, words):
        assert words.startswith("Plans of ~/plans.db at http://127.0.0.1:")
        port = port_in(words)
        assert status(port) == 200
        reader = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        reader.request("GET", "/api/events")
        stream = reader.getresponse()
        assert stream.readline() == b"retry: 500\n"
        process.send_signal(end)
        assert process.wait(PATIENCE) == code
        stream.read()
        reader.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_it_opens_the_browser(tmp_path: Path) -> None:
    """At its address, when it is asked to."""
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    with started(tmp_path, "--port", "0", "--open", BROWSER=f"{browser} %s") as (_, words):
        wait_until(opened.exists, "the browser is opened")
        assert opened.read_text() == f"http://127.0.0.1:{port_in(words)}/\n"


def test_a_store_is_served_before_it_exists(tmp_path: Path) -> None:
    """And what is written first appears."""
    with started(tmp_path, "--port", "0") as (_, words):
        port = port_in(words)
        assert status(port, "/api/sessions") == 200
        assert not (tmp_path / "plans.db").exists()
        board(tmp_path / "plans.db").write({"todos": [{"content": "Read"}]})
        assert status(port, "/api/sessions?session=release") == 200


def test_beyond_this_machine_a_token_is_told_once(tmp_path: Path) -> None:
    """With a link that works once; one's own token is never printed."""
    with started(tmp_path, "--port", "0", "--host", "0.0.0.0") as (_, words):
        assert re.search(r"/enter\?code=[\w-]{20,}", words)
        assert re.search(r"enter the token: [\w-]{40,}", words)
        assert status(port_in(words), "/api/sessions") == 401
    own = "a token of good length"
    with started(tmp_path, "--port", "0", "--host", "0.0.0.0", HOLDFAST_TOKEN=own) as (_, words):
        assert own not in words


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--port", "70000"), 2, "expected a port up to 65535"),
        (("--host", "256.1.1.1"), 1, "cannot listen at '256.1.1.1:4653'"),
        (("--token", "short"), 2, "the token needs at least 16"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, words: tuple[str, ...], code: int, message: str) -> None:
    """In one line, with what to do."""
    ran = subprocess.run([*SERVE, *words], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """Where starlette is not installed, the command is still there."""
    program = "import sys; sys.modules['starlette'] = None; from holdfast.cli.main import run; sys.exit(run(['serve']))"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "pip install 'holdfast[web]'" in ran.stderr
