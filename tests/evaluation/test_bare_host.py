"""The bare host on the scripted server, over real HTTP: every arm on every kind of task, and what bounds a run."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bare_model import BareModel, Work, all_of_it, half_of_it, none_of_it
from patience import PATIENCE
from test_imports import own_imports

from holdfast.agent.messages import Block
from holdfast.errors import ModelError
from holdfast.evaluation import tasks
from holdfast.evaluation.arms import ARMS, find_arm
from holdfast.evaluation.bare_chat import ChatServer, open_chat
from holdfast.evaluation.bare_host import SUMMARY, BareHost
from holdfast.evaluation.records import RunRecord, read_runs
from holdfast.evaluation.tasks import KINDS, Task
from holdfast.evaluation.trial import TrialSettings, run_trial
from holdfast.testing import Dropped, Failing, Garbage, ModelServer, ScriptedTurn, text

ROOMY = TrialSettings(context=50_000)


class WholeCommand(NamedTuple):
    """What `holdfast eval` left."""

    runs: Sequence[RunRecord]
    data: dict[str, Any]


def every_task() -> list[Task]:
    """One of each kind."""
    return [tasks.generate_task(kind, 1, 6, 6) for kind in KINDS]


def evaluated(folder: Path, work: Work) -> WholeCommand:
    """Run the command as a process of its own, without any SDK, for all arms and kinds."""
    with ModelServer(BareModel(every_task(), work)) as server:
        words = ["--host", "bare", "--base-url", server.chat_url, "--arms", ",".join(ARMS), "--json", "--parallel", "4"]
        words += ["--runs", "1", "--jobs", "6", "--context", "50000"]
        code = (
            "import sys; sys.modules['openai'] = sys.modules['anthropic'] = None\n"
            f"from holdfast.cli import main; sys.exit(main.run({['eval', *words]!r}))"
        )
        environ = {**os.environ, "TMPDIR": str(folder)}
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env=environ, capture_output=True, text=True, timeout=5 * PATIENCE
        )
        assert ran.returncode == 0, ran.stderr
        assert {request.status for request in server.requests} == {200}  # every answer fits what was allowed then
    assert {path.name for path in folder.iterdir()} == {"holdfast-eval.jsonl", "holdfast-eval.html"}
    return WholeCommand(read_runs(folder / "holdfast-eval.jsonl").runs, json.loads(ran.stdout))


def test_a_model_that_works(tmp_path: Path) -> None:
    """Everything is done under each arm and for each kind, once, with nothing hollow, and with no SDK installed."""
    found = evaluated(tmp_path, all_of_it)
    assert {(run.kind, run.arm) for run in found.runs} == {(kind, arm) for kind in KINDS for arm in ARMS}
    for run in found.runs:
        assert (run.done, run.jobs, run.hollow, run.twice, run.early) == (6, 6, 0, 0, False), (run.arm, run.task)
        assert (run.host, run.reason) == ("bare", "done")
        assert bool(run.todos) == (run.arm != "none")
    assert {arm: figures["share"]["value"] for arm, figures in found.data["arms"].items()} == dict.fromkeys(ARMS, 1.0)


def test_a_model_that_does_half(tmp_path: Path) -> None:
    """What is marked and not done counts as hollow, and the tokens are shared by the jobs that are done."""
    found = evaluated(tmp_path, half_of_it)
    for run in found.runs:
        arm = ARMS[run.arm]
        is_led = arm.offers and arm.policy.plan_first  # it works on each todo once
        is_again = run.kind == "changes" and not is_led  # one job that it only pretended to do, it then does
        assert (run.done, run.early) == (4 if is_again else 3, True), (run.arm, run.task)
        assert (run.hollow > 0) == (run.arm != "none")
    for arm, figures in found.data["arms"].items():
        runs = [run for run in found.runs if run.arm == arm]
        expected = sum(run.tokens_in for run in runs) / sum(run.done for run in runs)
        assert figures["tokens_per_job"]["value"] == pytest.approx(expected)
        (files,) = (run for run in runs if run.kind == "files")
        assert figures["kinds"]["files"]["tokens_per_job"]["value"] == pytest.approx(files.tokens_in / 3)


def test_a_model_that_lies(tmp_path: Path) -> None:
    """Nothing is done, every todo that it marked is hollow, and a finished job that there is not has no price."""
    found = evaluated(tmp_path, none_of_it)
    for run in found.runs:
        assert (run.done, run.early) == (0, True), (run.arm, run.task)
        marked = [status for _, status in run.todos if status == "completed"]
        assert run.hollow == len(marked) and bool(marked) == (run.arm != "none")
    for figures in found.data["arms"].values():
        assert figures["tokens_per_job"] == {"value": None, "low": None, "high": None}


class OneRun(NamedTuple):
    """A run, and the bodies of its requests."""

    run: RunRecord
    asked: Sequence[dict[str, Any]]


def played(
    arm: str, *turns: ScriptedTurn, kind: str = "files", settings: TrialSettings = ROOMY, work: Work | None = None
) -> OneRun:
    """A run of six jobs: of a script, or of a model that works."""
    task = tasks.generate_task(kind, 1, 6, 6)
    with ModelServer(BareModel([task], work) if work is not None else turns) as server:
        run = run_trial(task, find_arm(arm), BareHost(ChatServer(server.chat_url, "scripted")), settings)
        return OneRun(run, [request.body for request in server.requests])


def act(tool: str, **arguments: Any) -> list[Block]:
    """One action of the model."""
    return [text(json.dumps({"tool": tool, "args": arguments}))]


def allowed(body: dict[str, Any]) -> list[str]:
    """The tools that the schema of a request allows."""
    actions = body["response_format"]["json_schema"]["schema"]["anyOf"]
    return [action["properties"]["tool"]["const"] for action in actions]


def may_ride(body: dict[str, Any]) -> bool:
    """Whether the schema of a request has the field for an update beside a command."""
    actions = body["response_format"]["json_schema"]["schema"]["anyOf"]
    return any("done" in action["properties"]["args"]["properties"] for action in actions)


def test_it_is_written_on_public_names_alone() -> None:
    """The host, its actions and its client use nothing of our agent, and of the engine what the docs name."""
    ours = {"evaluation.trial", "evaluation.observer", "evaluation.noise", "evaluation.bare_actions"}
    public = {"", "attention.piggyback"}
    assert own_imports("evaluation.bare_host") <= {*ours, *public, "evaluation.bare_chat"}
    assert own_imports("evaluation.bare_actions") <= public
    assert own_imports("evaluation.bare_chat") <= {"errors", "text", "urls"}


def test_all_else_is_equal() -> None:
    """Arms differ by the plan's tool and words alone; without a plan there is no word of one."""
    found = {arm: played(arm, work=all_of_it) for arm in ("none", "plain", "quiet", "rail")}
    systems = {arm: one.asked[0]["messages"][0]["content"].splitlines() for arm, one in found.items()}
    assert all(set(systems["none"]) <= set(lines) for lines in systems.values())
    assert "todo" not in str(found["none"].asked).lower() and "plan" not in "".join(systems["none"])
    noise = [
        [line for entry in one.run.transcript for line in entry["text"].splitlines() if line.startswith("[log]")]
        for one in found.values()
    ]
    assert len(noise[0]) == 2 * 6 and all(lines == noise[0] for lines in noise)


def test_the_offer_narrows_what_may_be_answered() -> None:
    """`rail` may only work, and must plan first where the user's list is not the plan; then mark or work, where no todo
    is completed by its calls.

    Where the arm has no offers, all is always allowed.
    """
    arms = ("rail", "rail-no-auto", "rail-no-adopt", "rail-no-offer")
    narrow, marking, planning, wide = (played(arm, work=all_of_it).asked for arm in arms)
    assert [allowed(body) for body in narrow] == [["bash"]] * 6 + [["final"]]
    assert [allowed(body) for body in marking[:2]] == [["bash"], ["bash", "TodoWrite"]]
    assert [allowed(body) for body in planning[:3]] == [["TodoWrite"], ["bash"], ["bash"]]
    assert allowed(narrow[-1]) == allowed(planning[-1]) == ["final"]
    assert all(allowed(body) == ["bash", "TodoWrite", "final"] for body in wide)


def test_reminders_end_a_request_and_are_not_kept() -> None:
    """What `rail` says of the plan stands at the end of the last message, and the next request does not have it."""
    asked = played("rail", work=all_of_it).asked
    for before, after in pairwise(asked):
        *kept, last = (message["content"] for message in before["messages"])
        again = [message["content"] for message in after["messages"]]
        assert again[: len(kept)] == kept
        assert last.startswith(again[len(kept)]) and last != again[len(kept)]


def test_an_update_rides_on_a_command() -> None:
    """After three todos that were marked well, a command may say which one it finishes, and no turn is taken for it."""
    rides, marks = (played(arm, work=all_of_it) for arm in ("rail-no-auto", "rail-no-auto-no-rides"))
    assert rides.run.done == marks.run.done == 6
    assert rides.run.turns == marks.run.turns - 3
    assert [status for _, status in rides.run.todos] == ["completed"] * 6
    assert [may_ride(body) for body in rides.asked[:-1]] == [False] * 6 + [True] * 3
    assert not any(map(may_ride, marks.asked))


def test_only_the_summary_stays() -> None:
    """A full conversation is summed up by the model, in the same words for all arms; `rail` brings the plan back."""
    found = {}
    for arm in ("none", "rail", "rail-no-resume"):
        script = [act("bash", command="seq 600"), [text("Half of it.")], act("bash", command="echo more")]
        found[arm] = played(arm, *script, settings=TrialSettings(context=800, turns=2))
    for arm, one in found.items():
        assert one.asked[1]["messages"][-1]["content"] == SUMMARY and "response_format" not in one.asked[1]
        system, rest = one.asked[2]["messages"]
        assert system == one.asked[0]["messages"][0]
        assert "Half of it." in rest["content"] and "Do these 6 jobs" not in rest["content"]
        assert ("<plan>" in rest["content"]) == (arm == "rail")
        assert one.run.compactions == 1 and one.run.turns == len(one.asked)


def test_a_change_of_mind_comes_half_way_or_at_the_end() -> None:
    """The user speaks when half of the jobs are done, and also to a model that would end before."""
    working = played("rail", kind="changes", work=all_of_it)
    kinds = [entry["kind"] for entry in working.run.transcript]
    assert kinds.count("user") == 2 and working.run.done == 6
    hasty = played("none", act("final", text="Done."), act("final", text="Really."), kind="changes")
    assert [entry["kind"] for entry in hasty.run.transcript] == ["user", "model", "user", "model", "end"]
    assert "changed my mind" in hasty.asked[1]["messages"][-1]["content"]


def test_limits_end_a_run() -> None:
    """Turns, time, and the same answer again and again end it; an answer that is no action is told."""
    busy = [act("bash", command=f"echo {at}") for at in range(9)]
    assert played("none", *busy, settings=ROOMY._replace(turns=5)).run.reason == "limit: 5 turns"
    assert played("none", *busy, settings=ROOMY._replace(seconds=0)).run.reason == "limit: 0 seconds"
    assert played("none", *[busy[0]] * 9).run.reason == "loop: the same answer 6 times in a row"


@pytest.mark.parametrize("words", ["", "{", "[]", '"bash"', '{"tool": 3}', '{"tool": "rm"}', "\\" * 9])
def test_an_answer_that_is_no_action(words: str) -> None:
    """A server that does not enforce the schema, or cuts an answer off, ends nothing: the model is told."""
    garbage = Garbage(json.dumps({"choices": [{"message": {"content": words}}]}), "application/json")
    found = played("none", garbage, act("final", text="Done."))
    assert found.run.reason == "done"
    assert found.asked[1]["messages"][-1]["content"] == "That was not a JSON action."


def test_a_command_is_confined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs in the task's folder, with no secret, a home of its own, proxies to nowhere, and a time limit."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setattr("holdfast.evaluation.noise.SECONDS", 1)
    found = played(
        "none",
        act("bash", command='echo "$OPENAI_API_KEY|$PWD|$https_proxy"; ls ~ | wc -l'),
        act("bash", command="sleep 60"),
        act("bash", command="echo \x00 \ud83d"),
        act("final", text="Done."),
    )
    first, slow, odd = (entry for entry in found.run.transcript if entry["kind"] in ("result", "failed"))
    assert first["text"].splitlines()[:2] == ["|.|http://127.0.0.1:9", "0"]
    assert slow["text"].startswith("timed out after 1 s") and slow["kind"] == odd["kind"] == "failed"
    assert "[log]" in slow["text"]


def test_a_server_that_falters_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may pass is tried again a few times, and said; a refusal is final; the model's name may be left out."""
    waited: list[float] = []
    said: list[str] = []
    monkeypatch.setattr("holdfast.evaluation.bare_chat.time.sleep", waited.append)
    turns: list[ScriptedTurn] = [
        Failing(503, "busy"),
        Failing(429, "slow down"),
        Dropped([text("x")], 1),
        Garbage(),
        [text("Here.")],
    ]
    with ModelServer([*turns, Failing(400, "too odd"), *[Failing(500, "broken")] * 9]) as server:
        chat = ChatServer(server.chat_url, on_retry=said.append)
        assert chat.ask([{"role": "user", "content": "Hello"}], 10).text == "Here."
        assert (chat.name, waited) == ("scripted", [0.5, 1.0, 2.0, 4.0])
        assert said[0].endswith("refused the request (503): busy; again in 0.5 s")
        with pytest.raises(ModelError, match=r"refused the request \(400\): too odd"):
            chat.ask([{"role": "user", "content": "Hello"}], 10)
        with pytest.raises(ModelError, match=r"\(500\): broken, after 5 tries: check the address"):
            chat.ask([{"role": "user", "content": "Hello"}], 10)
    with pytest.raises(ModelError, match=r"no answer from http://127\.0\.0\.1"):
        chat.ask([{"role": "user", "content": "Hello"}], 10)


@pytest.mark.parametrize("body", ["[]", "{}", '{"choices": []}', '{"choices": [{"message": null}]}', "3"])
def test_an_answer_of_another_server(body: str) -> None:
    """What is no chat completion is said to be none."""
    said = "sent no chat completion: check that it is a model's server"
    with ModelServer([Garbage(body, "application/json")]) as server, pytest.raises(ModelError, match=said):
        ChatServer(server.chat_url, "m").ask([{"role": "user", "content": "Hello"}], 10)


def test_the_key_is_sent_and_proxies_are_not_used_for_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that wants a key gets it, and a proxy of the machine does not stand between it and its own servers."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with ModelServer([[text("Here.")]], key="sesame") as server:
        chat = open_chat("openai:scripted", None, {"OPENAI_BASE_URL": server.chat_url, "OPENAI_API_KEY": "sesame"})
        assert chat.ask([{"role": "user", "content": "Hello"}], 10).text == "Here."
        with pytest.raises(ModelError, match=r"\(401\)"):
            open_chat(None, server.chat_url, {}).ask([{"role": "user", "content": "Hello"}], 10)


@pytest.mark.parametrize(
    ("name", "address", "said"),
    [
        ("anthropic:x", "http://127.0.0.1:1/v1", "say openai:NAME, not 'anthropic:x'"),
        (None, None, "give --base-url, or set OPENAI_BASE_URL"),
        (None, "ftp://x", "no model's server: expected an address"),
    ],
)
def test_a_model_that_it_cannot_use(name: str | None, address: str | None, said: str) -> None:
    """One line says what to do."""
    with pytest.raises(ModelError, match=said):
        open_chat(name, address, {})
