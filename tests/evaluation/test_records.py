"""Runs on the disk: whole after a kill, not mixed, not written by two at once, and told when they are damaged."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until

pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from eval_scripts import Script, honest

from holdfast.errors import StoreError, UsageError
from holdfast.evaluation import arms, tasks
from holdfast.evaluation.records import RunFile, RunRecord, read_runs
from holdfast.testing import ModelServer, Slow, text

ABOUT = {"model": "scripted", "noise": 2}
RUN = RunRecord(
    "files-6-1", "files", "none", 3, 6, 1, 0, True, 9, 900, 90, 1.5, 0, "done", (("a", True),), (("b", "pending"),)
)


def test_what_is_added_is_read_back(tmp_path: Path) -> None:
    """A run comes back as it was, with odd characters in it, and so does what all runs have in common."""
    path = tmp_path / "runs.jsonl"
    odd = RUN._replace(arm="rail", transcript=({"kind": "call", "text": "\x1b[31m \ud83d 翻译 \u2028"},))
    with RunFile(path, ABOUT) as records:
        records.add(RUN)
        records.add(odd)
    found = read_runs(path)
    assert found.abouts == (ABOUT,)
    assert found.runs[0] == RUN._replace(model="scripted")
    assert found.runs[1] == odd._replace(model="scripted")
    assert RUN.share == 0.5 and not RUN.is_whole


def test_a_torn_line_is_as_if_it_had_not_been_written(tmp_path: Path) -> None:
    """Whatever part of the last line a kill has left, the runs before it stand and the next one is added cleanly."""
    path = tmp_path / "runs.jsonl"
    with RunFile(path, ABOUT) as records:
        records.add(RUN)
    whole = path.read_bytes()
    for torn in (b"{", whole.splitlines()[1][:40], whole.splitlines()[1]):
        path.write_bytes(whole + torn)
        with RunFile(path, ABOUT) as records:
            assert records.runs == [RUN._replace(model="scripted")]
            records.add(RUN._replace(arm="rail"))
        assert [run.arm for run in read_runs(path).runs] == ["none", "rail"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]\n", "is not a record"),
        (b'{"some": "file"}\n', "is not a file of holdfast eval"),
        (b'{"holdfast_eval": 1}\n{"task": "x"}\n', ":2 is not a run"),
        (b'{"holdfast_eval": 1}\nnonsense\n{}\n', ":2 is damaged"),
    ],
)
def test_a_damaged_file_is_told_and_left_as_it_is(data: bytes, said: str, tmp_path: Path) -> None:
    """The line is named; nothing is overwritten."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(data)
    with pytest.raises(StoreError, match=said):
        RunFile(path, ABOUT)
    assert path.read_bytes() == data


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """Two evaluations do not write into one file."""
    path = tmp_path / "runs.jsonl"
    with RunFile(path, ABOUT) as records:
        records.add(RUN)
        with pytest.raises(StoreError, match="in use by another process"):
            RunFile(path, ABOUT)
    with pytest.raises(UsageError, match="made with noise 2, now 3"):
        RunFile(path, {**ABOUT, "noise": 3})
    with pytest.raises(StoreError, match="cannot be written"):
        RunFile(tmp_path / "no/such/folder", ABOUT)


def test_a_file_that_was_begun_for_nothing_is_gone(tmp_path: Path) -> None:
    """Without a run there is no file; one that was there before stays, even if it has no run."""
    path = tmp_path / "runs.jsonl"
    with RunFile(path, ABOUT):
        assert path.exists()
    assert not path.exists()
    path.write_text('{"holdfast_eval": 1, "model": "scripted", "noise": 2}\n')
    with RunFile(path, ABOUT):
        pass
    assert path.exists()


def test_after_a_kill_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed in its second run, the command has kept the first; started again it runs the second and no more."""
    task = tasks.generate_task("files", 1, 6, 6)
    first, second = (honest(task, arms.find_arm(name)) for name in ("none", "rail"))
    script = Script([*first, second[0], Slow([text("never")], 10 * PATIENCE)])
    words = ["--tasks", "files", "--arms", "none,rail", "--jobs", "6", "--runs", "1", "--context", "50000"]
    with ModelServer(script) as server:
        command = [sys.executable, "-m", "holdfast", "eval", "--model", "openai:scripted"]
        command += ["--base-url", server.chat_url, *words]
        environ = {**os.environ, "TMPDIR": str(tmp_path)}
        process = subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: len(server.requests) >= len(first) + 2, "it is in its second run")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        lines = (tmp_path / "holdfast-eval.jsonl").read_text().splitlines()
        assert [json.loads(line).get("arm") for line in lines] == [None, "none"]
        asked = len(server.requests)
        script.turns = iter(second)
        ran = subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        assert len(server.requests) - asked == len(second)
        assert [run.arm for run in read_runs(tmp_path / "holdfast-eval.jsonl").runs] == ["none", "rail"]
        assert "100 %" in ran.stdout
