"""One run, with the scripted model in the same process: what is graded, counted, bounded, and left behind."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from eval_scripts import honest

from holdfast.agent import ModelAnswer, Rehearsal, call, text
from holdfast.agent.messages import Definition, Message, OnText
from holdfast.errors import ModelError
from holdfast.evaluation import agent_host, arms
from holdfast.evaluation.agent_host import AgentHost
from holdfast.evaluation.observer import hollow_todos
from holdfast.evaluation.records import RunRecord
from holdfast.evaluation.tasks import Task, Verdict, generate_task
from holdfast.evaluation.trial import TrialSettings, run_trial

ROOMY = TrialSettings(context=50_000)


def six(kind: str = "files", seed: int = 3) -> Task:
    """A task of six jobs."""
    return generate_task(kind, seed, 6, 6)


def played(task: Task, arm: str, *turns: Sequence[dict[str, Any]], settings: TrialSettings = ROOMY) -> RunRecord:
    """A run of a script."""
    return run_trial(task, arms.find_arm(arm), AgentHost(Rehearsal(turns)), settings)


@pytest.mark.parametrize("dialect", ["codex", "claude-code", "sema"])
def test_a_policy_in_another_dialect(dialect: str) -> None:
    """The model is given the tool of the dialect that the arm names."""
    model = Rehearsal([[text("Nothing to do.")]])
    run_trial(six(), arms.find_arm(f"quiet:{dialect}"), AgentHost(model), ROOMY)
    named = {tool["name"] for tool in model.requests[0]["tools"]}
    assert len(named) == 5 and "bash" in named


def test_without_a_plan_there_is_no_word_of_one() -> None:
    """In the arm without a plan neither the tools nor the system prompt tell of one, and its tool is unknown."""
    model = Rehearsal([[call("TodoWrite", todos=[{"content": "x"}])], [text("So be it.")]])
    run = run_trial(six(), arms.find_arm("none"), AgentHost(model), ROOMY)
    assert "todo" not in str(model.requests[0]).lower()
    assert run.todos == ()
    assert any("no tool 'TodoWrite'" in entry["text"] for entry in run.transcript if entry["kind"] == "failed")


def test_work_done_twice() -> None:
    """The same call again counts, and so does another one that touches a job which was done; a failed one does not."""
    task = six()
    job = next(job for job in task.jobs if job.text.startswith("create"))
    path = job.files[0]
    run = played(
        task,
        "none",
        [call("bash", command=job.solution)],
        [call("bash", command=job.solution)],
        [call("write_file", path=path, content="something else", replace=True)],
        [call("bash", command="false")],
        [call("bash", command="false")],
        [text("Enough.")],
    )
    assert run.twice == 2


def test_to_write_the_plan_again_is_no_work_done_twice() -> None:
    """A plan may be restated as often as a model likes: that is a turn, not work."""
    write = call("TodoWrite", items=[{"content": "Do it", "activeForm": "Doing it"}])
    run = played(six(), "plain", [write], [write], [write], [text("Enough.")])
    assert (run.twice, run.turns) == (0, 4)


def test_looking_at_what_was_done_is_not_doing_it_again() -> None:
    """To read a file of a job that is done is no work done twice."""
    task = six()
    job = next(job for job in task.jobs if job.text.startswith("create"))
    run = played(
        task, "none", [call("bash", command=job.solution)], [call("read_file", path=job.files[0])], [text("Fine.")]
    )
    assert (run.done, run.twice) == (1, 0)


def test_the_conversation_is_summed_up_by_the_model_in_the_same_words_for_all() -> None:
    """A small context is compacted on the way, in each arm with the same request for a summary."""
    asked = set()
    for name in ("none", "plain", "rail"):
        arm, task = arms.find_arm(name), six()
        model = Summing(honest(task, arm))
        run = run_trial(task, arm, AgentHost(model), TrialSettings(context=400))
        assert run.compactions > 0
        assert run.done == run.jobs
        assert any(entry["kind"] == "summary" for entry in run.transcript)
        asked |= model.asked
    assert asked == {agent_host.SUMMARY}


def test_a_restated_plan_is_what_an_ablation_takes_away() -> None:
    """After compaction `rail` brings the plan back; `rail-no-resume` does not."""
    task = six()
    said = {}
    for name in ("rail", "rail-no-resume"):
        arm = arms.find_arm(name)
        run = run_trial(task, arm, AgentHost(Summing(honest(task, arm))), TrialSettings(context=400))
        said[name] = any(entry["text"].startswith("<plan>") for entry in run.transcript if entry["kind"] == "reminder")
    assert said == {"rail": True, "rail-no-resume": False}


class Summing(Rehearsal):
    """A scripted model that knows any request without tools as one for a summary."""

    def __init__(self, turns: Any) -> None:
        super().__init__(turns)
        self.asked: set[str] = set()

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """A turn of the script, or a summary."""
        if tools:
            return super().query(system, messages, tools, on_text)
        self.asked.add(system)
        return ModelAnswer([text("Some of it is done.")], 10, 5)


@pytest.mark.parametrize(
    ("completed", "expected"),
    [
        (["Create a.txt"], []),
        (["create B.TXT", "Create a.txt"], ["create B.TXT"]),
        (["Look around", "Create a.txt"], []),
        (["Look around", "Finish"], ["Look around", "Finish"]),
        (["do b and a: a.txt, b.txt"], ["do b and a: a.txt, b.txt"]),
        ([], []),
    ],
)
def test_what_is_hollow(completed: list[str], expected: list[str]) -> None:
    """A todo is held against the jobs that it names; if none names any, they all are held against the whole."""
    verdicts = [Verdict("create a.txt", ("a.txt",), True), Verdict("create b.txt", ("b.txt",), False)]
    assert hollow_todos(completed, verdicts) == expected


def test_limits_end_a_run() -> None:
    """A model that goes on for ever is ended by its turns, and one that repeats itself is ended as a loop."""
    busy = [[call("bash", command=f"echo {number}")] for number in range(50)]
    assert played(six(), "none", *busy, settings=ROOMY._replace(turns=5)).reason == "limit: 5 turns"
    same = [[call("bash", command="echo again")] for _ in range(50)]
    assert played(six(), "none", *same).reason.startswith("loop: bash was called 6 times")


def test_a_command_cannot_take_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command is ended after its time, and the model has no say in it."""
    monkeypatch.setattr("holdfast.evaluation.noise.SECONDS", 1)
    run = played(six(), "none", [call("bash", command="sleep 60", timeout=600)], [call("bash", command="sleep 60")])
    failed = [entry["text"] for entry in run.transcript if entry["kind"] == "failed"]
    assert "timeout: unknown" in failed[0]
    assert "timed out after 1 s" in failed[1]


def test_nothing_stays_and_nothing_outside_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run's folder is gone afterwards; home and temporary files of a command are in it; secrets are not passed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    before = set(os.listdir(Path.home()))
    run = played(
        six(),
        "none",
        [call("bash", command='echo x > ~/mark; mktemp; echo "$OPENAI_API_KEY|$HOME|$PWD"')],
        [call("write_file", path="../out.txt", content="x")],
        [text("Done.")],
    )
    said = next(entry["text"] for entry in run.transcript if entry["kind"] == "result").splitlines()
    assert said[0].startswith(str(tmp_path))
    assert said[1].startswith(f"|{tmp_path}/holdfast-eval-")
    assert "leaves the workspace" in str(run.transcript)
    assert list(tmp_path.iterdir()) == []
    assert set(os.listdir(Path.home())) == before


def test_long_outputs_are_cut() -> None:
    """What a command prints is bounded before the model reads it, and the transcript is bounded, too."""
    run = played(six(), "none", [call("bash", command="yes | head -c 1000000")], [text("Much.")])
    assert max(len(entry["text"]) for entry in run.transcript) <= 2000


def test_a_model_that_does_not_answer_says_nothing_about_an_arm() -> None:
    """Trouble with the model is raised, and a person's Ctrl-C ends the run."""

    class Silent(Rehearsal):
        def query(self, *args: Any, **kwargs: Any) -> ModelAnswer:
            raise error

    error: BaseException = ModelError("the server is gone")
    with pytest.raises(ModelError, match="the server is gone"):
        run_trial(six(), arms.find_arm("none"), AgentHost(Silent([])), ROOMY)
    error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run_trial(six(), arms.find_arm("none"), AgentHost(Silent([])), ROOMY)


def test_no_path_of_the_machine_is_in_a_transcript() -> None:
    """Results are passed on: where the temporary folder was is nobody's business."""
    model = Rehearsal([[call("bash", command="pwd")], [text("Done.")]])
    run = run_trial(six(), arms.find_arm("none"), AgentHost(model), TrialSettings(noise=0))
    assert [entry["text"].strip() for entry in run.transcript if entry["kind"] == "result"] == ["."]
