"""Runs side by side: the same results in any order, each on the disk when it is over, and a clean end at any time."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bare_model import BareModel
from patience import PATIENCE, wait_until
from pseudo_terminal import PseudoTerminal

from holdfast.cli import main
from holdfast.evaluation import tasks
from holdfast.evaluation.records import RunRecord, read_runs
from holdfast.evaluation.tasks import KINDS, Task
from holdfast.testing import Failing, ModelServer, ScriptedTurn, Slow

ARMS = ("none", "plain", "rail")
EVERY = len(KINDS) * len(ARMS)
"""How many runs there are."""
FILE = "holdfast-eval.jsonl"


def every_task() -> list[Task]:
    """One of each kind."""
    return [tasks.generate_task(kind, 1, 6, 6) for kind in KINDS]


def words(server: ModelServer, parallel: int) -> list[str]:
    """The command line: twelve runs, so many side by side."""
    given = ["eval", "--host", "bare", "--base-url", server.chat_url, "--label", "scripted", "--arms", ",".join(ARMS)]
    return [*given, "--runs", "1", "--jobs", "6", "--context", "50000", "--parallel", str(parallel)]


def rows(folder: Path) -> list[RunRecord]:
    """The runs on the disk in one order, without the time that they took."""
    return sorted(run._replace(seconds=0.0) for run in read_runs(folder / FILE).runs)


def test_four_at_once_are_as_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same, transcripts and tokens included, whatever the order in which they came."""
    found = {}
    for parallel in (1, 4):
        folder = tmp_path / str(parallel)
        folder.mkdir()
        monkeypatch.chdir(folder)
        with ModelServer(BareModel(every_task())) as server:
            assert main.run(words(server, parallel)) == 0
        found[parallel] = rows(folder)
    assert len(found[1]) == EVERY
    assert found[4] == found[1]


class Held:
    """A model that works for some arms and kinds, and lets the others wait until it is let go."""

    def __init__(self, free: int) -> None:
        self.model = BareModel(every_task())
        self.free = free
        self.seen: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> ScriptedTurn:
        """The answer to a request, at once or much later."""
        place = str(body["messages"][0]["content"]) + str(body["messages"][1]["content"]).partition("\n- ")[0]
        if place not in self.seen:
            self.seen.append(place)
        return self.model(body) if self.seen.index(place) < self.free else Slow(self.model(body), 10 * PATIENCE)


def test_after_a_kill_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was over is on the disk and is not run again; what was under way is run anew; no run is there twice."""
    held = Held(5)
    with ModelServer(held) as server:
        command = [sys.executable, "-m", "holdfast", *words(server, 4)]
        environ = {**os.environ, "TMPDIR": str(tmp_path)}
        process = subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: (tmp_path / FILE).exists() and len(read_runs(tmp_path / FILE).runs) == 5, "five over")
            wait_until(lambda: len(held.seen) == 9, "four others are under way")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        before = (tmp_path / FILE).read_bytes()
        held.free = 99
        ran = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=PATIENCE)
        assert ran.returncode == 0, ran.stderr
    assert len(ran.stderr.splitlines()) == EVERY - 5
    assert (tmp_path / FILE).read_bytes().startswith(before)
    made = [(run.task, run.arm) for run in read_runs(tmp_path / FILE).runs]
    assert len(made) == len(set(made)) == EVERY


def test_ctrl_c_ends_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While four wait for the model it ends at once, with what was over on the disk, and nothing else left behind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    held = Held(3)
    with ModelServer(held) as server:
        code = f"import sys; sys.argv[1:] = {words(server, 4)!r}; from holdfast.cli import main; sys.exit(main.main())"
        with PseudoTerminal(code, 100, 40) as terminal:
            terminal.wait_for(f"3/{EVERY}")
            wait_until(lambda: len(held.seen) == 7, "four others are under way")
            terminal.send(signal.SIGINT)
            assert terminal.ended() == 130
            assert terminal.is_as_found
            assert "Traceback" not in terminal.text
    assert len(read_runs(tmp_path / FILE).runs) == 3
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_model_that_stays_away_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of four may fail three times, no more; nothing is written."""
    monkeypatch.chdir(tmp_path)
    with ModelServer(lambda _: Failing(400, "gone")) as server:
        assert main.run([*words(server, 4), "--runs", "9"]) == 1
        assert 12 <= len(server.requests) <= 15  # three others may have begun already
    assert "runs had no answer" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_without_an_answer_does_not_end_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are recorded, the command says so and fails, and the same command makes what is missing."""
    monkeypatch.chdir(tmp_path)
    model = BareModel(every_task())
    fails = [True]

    def answer(body: Mapping[str, Any]) -> ScriptedTurn:
        is_lookup = "numbers up" in str(body["messages"][1]["content"])
        return Failing(400, "odd") if fails[0] and is_lookup else model(body)

    with ModelServer(answer) as server:
        assert main.run(words(server, 4)) == 1
        assert "3 runs had no answer" in capsys.readouterr().err
        assert {run.kind for run in rows(tmp_path)} == set(KINDS) - {"lookups"}
        fails[0] = False
        assert main.run(words(server, 4)) == 0
    assert len(rows(tmp_path)) == EVERY


def test_what_goes_wrong_in_a_run_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is not the model's is not swallowed by a thread."""
    monkeypatch.chdir(tmp_path)

    def broken(*_: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("holdfast.evaluation.bare_host.BareHost.run", broken)
    with ModelServer() as server, pytest.raises(RuntimeError, match="out of luck"):
        main.run(words(server, 4))


def test_two_hosts_and_two_models_in_one_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are named after model, host and arm, and each is compared with its own base; `cat` joins files."""
    monkeypatch.chdir(tmp_path)
    with ModelServer(BareModel(every_task())) as server:
        assert main.run([*words(server, 2), "--tasks", "files", "--label", "large", "--out", "large.jsonl"]) == 0
        assert main.run([*words(server, 2), "--tasks", "files", "--label", "small", "--out", "small.jsonl"]) == 0
        capsys.readouterr()
        again = [*words(server, 2), "--tasks", "files", "--label", "small", "--out", "small.jsonl"]
        assert main.run([*again, "--with", "large.jsonl", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["arms"]) == [f"{model} {arm}" for model in ("small", "large") for arm in ARMS]
    assert {(one["arm"], one["against"]) for one in data["compared"]} == {
        (f"{model} {arm}", f"{model} none") for model in ("small", "large") for arm in ARMS[1:]
    }
    Path("both.jsonl").write_bytes(Path("large.jsonl").read_bytes() + Path("small.jsonl").read_bytes())
    joined = read_runs(Path("both.jsonl"))
    assert [run.model for run in joined.runs] == ["large"] * 3 + ["small"] * 3
    assert [about["model"] for about in joined.abouts] == ["large", "small"]
