"""The whole command against the scripted server: what is equal, recorded, gone on with, refused, and printed."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from eval_scripts import Said, Script, honest, lying

from holdfast.agent.models import Retries
from holdfast.attention.piggyback import unrideable
from holdfast.cli import main
from holdfast.evaluation import arms, tasks
from holdfast.evaluation.arms import Arm
from holdfast.evaluation.tasks import Task
from holdfast.testing import Failing, ModelServer, text

Playing = Callable[[Task, Arm, bool], list[Said]]
ROOMY = ("--context", "50000", "--jobs", "6", "--runs", "1")


@pytest.fixture
def script() -> Script:
    """What the server says."""
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[ModelServer]:
    """A server that plays the script."""
    with ModelServer(script) as playing:
        yield playing


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in an empty folder, with no model named by the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOLDFAST_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def evaluate(server: ModelServer, *words: str) -> int:
    """Run the command on the server's model."""
    return main.run(["eval", "--model", "openai:scripted", "--base-url", server.chat_url, *ROOMY, *words])


def turns(playing: Playing, kinds: tuple[str, ...], names: tuple[str, ...], is_json: bool = False) -> list[Said]:
    """All turns of an evaluation, run by run."""
    every = [tasks.generate_task(kind, 1, 6, 6) for kind in kinds]
    return [turn for task in every for name in names for turn in playing(task, arms.find_arm(name), is_json)]


def recorded(path: str = "holdfast-eval.jsonl") -> list[dict[str, Any]]:
    """The runs in the file, without its first line."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()][1:]


def whole(run: dict[str, Any]) -> bool:
    """Whether a run did all of its work, once, and marked nothing else."""
    return (run["done"], run["hollow"], run["twice"], run["reason"]) == (run["jobs"], 0, 0, "done")


def test_every_arm_of_a_model_that_acts_by_json(script: Script, server: ModelServer) -> None:
    """A model held to a schema gets its work done, too: every answer of the script fits what was allowed then."""
    script.turns = iter(turns(honest, ("files",), tuple(arms.ARMS), is_json=True))
    assert evaluate(server, "--arms", ",".join(arms.ARMS), "--tasks", "files", "--tool-calls", "json") == 0
    assert all(whole(run) for run in recorded())
    assert {request.status for request in server.requests} == {200}


def test_all_else_is_equal(script: Script, server: ModelServer) -> None:
    """Arms differ by the plan's tool, field and words alone: the task, the other tools and the noise are the same."""
    names = ("none", "plain", "quiet", "rail")
    script.turns = iter(turns(honest, ("files",), names))
    assert evaluate(server, "--tasks", "files") == 0
    firsts = [request.body for request in server.requests if len(request.body["messages"]) == 2]
    assert len(firsts) == len(names)
    functions = [[tool["function"] for tool in body["tools"]] for body in firsts]
    others = [[unrideable(tool) for tool in tools if tool["name"] != "TodoWrite"] for tools in functions]
    assert all(tools == others[0] for tools in others)
    may_ride = [any("done" in tool["parameters"]["properties"] for tool in tools) for tools in functions]
    assert may_ride == [False, False, False, True]
    assert [len(body["tools"]) for body in firsts] == [4, 5, 5, 5]
    assert len({re.findall(r"- .*", str(body["messages"][1]["content"]))[0] for body in firsts}) == 1
    noise = [
        [line for entry in run["transcript"] for line in entry["text"].splitlines() if line.startswith("[log]")]
        for run in recorded()
    ]
    assert noise[0] and all(lines == noise[0] for lines in noise)


def test_what_is_recorded_is_not_run_again(
    script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second call runs only what is missing; a torn last line is run anew; the figures are those of all runs."""
    script.turns = iter(turns(honest, ("files",), ("none", "rail")))
    assert evaluate(server, "--tasks", "files", "--arms", "none,rail") == 0
    before = capsys.readouterr().out
    file = Path("holdfast-eval.jsonl")
    whole = file.read_bytes()
    asked = len(server.requests)
    assert evaluate(server, "--tasks", "files", "--arms", "none,rail") == 0
    assert len(server.requests) == asked
    assert capsys.readouterr().out == before
    file.write_bytes(whole[:-100])
    script.turns = iter(turns(honest, ("files",), ("rail",)))
    assert evaluate(server, "--tasks", "files", "--arms", "none,rail") == 0
    assert [run["arm"] for run in recorded()] == ["none", "rail"]
    assert file.read_bytes().startswith(whole[: whole.rindex(b"\n", 0, -1)])


def test_runs_that_were_made_otherwise_are_not_mixed(
    script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another setting needs another file: the message names both values, and nothing is run."""
    script.turns = iter(turns(honest, ("files",), ("none",)))
    assert evaluate(server, "--tasks", "files", "--arms", "none") == 0
    asked = len(server.requests)
    assert evaluate(server, "--tasks", "files", "--arms", "none", "--noise", "7") == 1
    assert "made with noise 2, now 7" in capsys.readouterr().err
    assert len(server.requests) == asked


def test_a_model_without_an_answer_is_no_result(
    script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that the server refused is not recorded; what was recorded stays; the same command goes on."""
    good = turns(honest, ("files",), ("none",))
    script.turns = iter([*good, Failing(400, "no such thing")])
    assert evaluate(server, "--tasks", "files", "--arms", "none,rail") == 1
    assert "1 run had no answer: openai:scripted refused the request (400)" in capsys.readouterr().err
    assert [run["arm"] for run in recorded()] == ["none"]
    script.turns = iter(turns(honest, ("files",), ("rail",)))
    assert evaluate(server, "--tasks", "files", "--arms", "none,rail") == 0
    assert [run["arm"] for run in recorded()] == ["none", "rail"]


def test_a_model_that_stays_away_is_given_up(
    script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three runs in a row without an answer end it, and leave no file: nobody waits a night for nothing."""
    script.turns = iter([Failing(400, "gone")] * 10)
    assert evaluate(server) == 1
    assert len(server.requests) == 3
    printed = capsys.readouterr()
    assert "3 runs had no answer: openai:scripted refused the request (400)" in printed.err
    assert printed.err.endswith("; nothing was written\n")
    assert not printed.out and not list(Path().iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "nonsense:x"), "unknown model 'nonsense': say anthropic:NAME or openai:NAME\n"),
        (("--model", "anthropic:x"), "no key for anthropic: set ANTHROPIC_API_KEY"),
        (("--model", "rehearsal:no/such/file"), "no/such/file"),
        ((), "no model: say which"),
    ],
)
def test_a_model_that_there_is_not_is_said_before_anything_is_run(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what is wrong with it; no run is tried, and there is no file afterwards."""
    assert main.run(["eval", *ROOMY, *words]) == 1
    printed = capsys.readouterr()
    assert said in printed.err and len(printed.err.splitlines()) == 1
    assert not printed.out and not list(Path().iterdir())


def test_a_server_that_is_not_there_leaves_no_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is in the message; nothing was run, so nothing is written."""
    monkeypatch.setattr("holdfast.agent.models.Retries", partial(Retries, sleep=lambda _: None))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # it does not listen, and nobody else can meanwhile
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        assert main.run(["eval", "--model", "openai:x", "--base-url", url, *ROOMY, "--tasks", "files"]) == 1
    printed = capsys.readouterr()
    assert f"no connection to {url}" in printed.err
    assert not printed.out and not list(Path().iterdir())


def test_runs_stay_when_the_model_is_gone(
    script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was run before is shown again without a model, and is left as it is when one cannot be opened for more."""
    script.turns = iter(turns(honest, ("files",), ("none",)))
    assert evaluate(server, "--tasks", "files", "--arms", "none") == 0
    before = {path: path.read_bytes() for path in Path().iterdir()}
    script.turns = iter([Failing(400, "gone")] * 10)
    assert evaluate(server, "--tasks", "files", "--arms", "rail") == 1
    assert "1 run had no answer" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before
    assert evaluate(server, "--tasks", "files", "--arms", "none") == 0


def test_a_change_of_mind_comes_half_way(script: Script, server: ModelServer) -> None:
    """The user speaks when half of the jobs are done in the folder, not before and not at the end."""
    script.turns = iter(turns(honest, ("changes",), ("none",)))
    assert evaluate(server, "--tasks", "changes", "--arms", "none") == 0
    (run,) = recorded()
    kinds = [entry["kind"] for entry in run["transcript"]]
    said = [at for at, kind in enumerate(kinds) if kind == "user"]
    assert len(said) == 2
    assert kinds[: said[1]].count("call") == 2  # of four jobs at first


def test_a_change_of_mind_reaches_a_model_that_would_end(script: Script, server: ModelServer) -> None:
    """A model that ends before half of it is done hears the change all the same, and works on."""
    task = tasks.generate_task("changes", 1, 6, 6)
    script.turns = iter([[text("I am done.")], *honest(task, arms.find_arm("none"))])
    assert evaluate(server, "--tasks", "changes", "--arms", "none") == 0
    (run,) = recorded()
    assert run["done"] == run["jobs"]
    assert [entry["kind"] for entry in run["transcript"]][:3] == ["user", "model", "user"]


def test_the_figures_for_programs(script: Script, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints each arm's figures and comparisons, with the cost if there are prices, and where the files are."""
    script.turns = iter([*turns(honest, ("files",), ("none",)), *turns(lying, ("files",), ("rail",))])
    words = ("--tasks", "files", "--arms", "none,rail", "--json", "--price-in", "3", "--price-out", "15")
    assert evaluate(server, *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["arms"]["none"]["share"]["value"] == 1.0
    assert data["arms"]["rail"]["hollow"]["value"] == 6.0
    none = recorded()[0]
    cost = (none["tokens_in"] * 3 + none["tokens_out"] * 15) / 1_000_000
    assert data["arms"]["none"]["cost"]["value"] == pytest.approx(cost)
    (share,) = [one for one in data["compared"] if one["figure"] == "share"]
    assert (share["arm"], share["against"], share["value"], share["pairs"]) == ("rail", "none", -1.0, 1)
    assert share["larger_than_chance"] is False  # one task says nothing
    assert Path(data["report"]).is_file() and Path(data["runs"]).is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--arms", "fancy"), "no arm 'fancy': there are none, plain"),
        (("--arms", "none:mini"), "no arm 'none:mini'"),
        (("--arms", "rail:klingon"), "no arm 'rail:klingon'"),
        (
            ("--tasks", "chess"),
            "no tasks 'chess': there are files, code, lookups, changes, prose, or the path of a folder",
        ),
        (("--against", "mini"), "--against mini: the arms are none, plain, quiet, rail"),
        (("--price-in", "3"), "a cost needs both --price-in and --price-out"),
        (("--runs", "0"), "there is nothing to run"),
        (("--out", "runs.html"), "--out runs.html: the report will be there"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(
    words: tuple[str, ...], said: str, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name or a number that makes no sense ends the command, as a wrong line, before anything is run or written."""
    assert evaluate(server, *words) == 2
    printed = capsys.readouterr().err
    assert said in printed and printed.endswith("; see holdfast eval --help\n")
    assert not list(Path().iterdir())
    assert not server.requests
