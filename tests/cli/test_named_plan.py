"""A command that names a plan reads that plan, and not every plan of the store."""

from collections import Counter
from pathlib import Path

import pytest
from driving import START, clock

from holdfast import Board
from holdfast.cli import invocation
from holdfast.cli.main import run
from holdfast.plan import Plan
from holdfast.stores import Key
from holdfast.stores.damage import PlanOrDamage
from holdfast.stores.sqlite import SQLiteStore

NAMED = ["--session", "s1", "--agent", "main"]


class CountingStore(SQLiteStore):
    """A store that counts which plans were loaded, and how often all of them were read."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.loaded = Counter[Key]()
        self.surveys = 0
        self.newest: list[int] = []

    def load(self, key: Key) -> Plan:
        """Count it."""
        self.loaded[key] += 1
        return super().load(key)

    def sessions_with_damage(self, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
        """Note how many were asked for."""
        if limit is None:
            self.surveys += 1
        else:
            self.newest.append(limit)
        return super().sessions_with_damage(limit, archived)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountingStore:
    """A store of five sessions, the second with a subagent, the third with only one, which commands open."""
    path = str(tmp_path / "plans.db")
    monkeypatch.setenv("HOLDFAST_DB", path)
    for name in ("HOLDFAST_SESSION", "HOLDFAST_AGENT"):
        monkeypatch.delenv(name, raising=False)
    for at, (session, agent) in enumerate(
        [("s0", "main"), ("s1", "main"), ("s1", "scout"), ("s2", "lone"), ("s3", "main")]
    ):
        board = Board(store=path, session=session, agent=agent, clock=clock(START + at * 1000))
        board.write({"todos": [{"content": f"Work of {session} {agent}"}]})
        board.store.close()
    counting = CountingStore(path)
    monkeypatch.setattr(invocation, "open_store", lambda place: counting)
    return counting


@pytest.mark.parametrize(
    "words",
    [
        ["show", *NAMED],
        ["show", "--session", "s1"],
        ["show", "--json", *NAMED],
        ["show", "--at", "1", *NAMED],
        ["log", *NAMED],
        ["stats", *NAMED],
        ["add", "One more", *NAMED],
        ["done", "1", *NAMED],
        ["done", "1", "--session", "s1"],
        ["undo", "--yes", *NAMED],
        ["claim", "--as", "worker", *NAMED],
        ["export", "--format", "markdown", *NAMED],
    ],
    ids=" ".join,
)
def test_a_named_plan_is_the_only_one_that_is_read(store: CountingStore, words: list[str]) -> None:
    """By session and agent, or by a session that has a main agent."""
    assert run(words) == 0
    assert store.surveys == 0
    assert set(store.loaded) <= {Key("s1", "main")}


def test_the_environment_names_a_plan_as_well(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent's own shell is as fast."""
    monkeypatch.setenv("HOLDFAST_SESSION", "s1")
    assert run(["show", "--agent", "scout"]) == 0
    assert "Work of s1 scout" in capsys.readouterr().out
    assert (store.surveys, set(store.loaded)) == (0, {Key("s1", "scout")})


def test_a_session_without_a_main_agent_is_looked_up(store: CountingStore, capsys: pytest.CaptureFixture[str]) -> None:
    """Then the store says which agents it has, without reading other plans."""
    assert run(["show", "--session", "s2"]) == 0
    assert "Work of s2 lone" in capsys.readouterr().out
    assert (store.surveys, store.newest) == (0, [])


@pytest.mark.parametrize("words", [["show"], ["log"], ["add", "One more"], ["done", "1"]], ids=" ".join)
def test_the_plan_changed_last_is_found_without_reading_all(store: CountingStore, words: list[str]) -> None:
    """Nobody has named it: only the newest is read."""
    assert run(words) == 0
    assert (store.surveys, set(store.newest)) == (0, {1})
    assert set(store.loaded) == {Key("s3", "main")}


def test_the_start_of_a_name_finds_its_session_without_reading_a_plan(
    store: CountingStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names are looked up; only where none starts so, titles are."""
    for at in range(3):
        Board(store=store, session=f"nightly-{at}").write({"todos": [{"content": f"Night {at}"}]})
    assert run(["show", "--session", "nightly"]) == 1
    assert "several sessions fit 'nightly': 'nightly-2', 'nightly-1', 'nightly-0'" in capsys.readouterr().err


def test_a_list_reads_what_it_shows(store: CountingStore, capsys: pytest.CaptureFixture[str]) -> None:
    """The newest plans, so many as were asked for, and one to see whether there are more."""
    assert run(["sessions", "--limit", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["s3" in lines[1], "s2" in lines[2], lines[-1]] == [
        True,
        True,
        "There are older plans: holdfast sessions --limit 0",
    ]
    assert store.surveys == 0


def test_a_list_without_a_limit_has_all_of_them(store: CountingStore, capsys: pytest.CaptureFixture[str]) -> None:
    """Then there are no others."""
    assert run(["sessions", "--limit", "0"]) == 0
    assert "older" not in capsys.readouterr().out


def test_an_unknown_plan_is_refused_with_those_there_are(
    store: CountingStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """The word is sought in titles, too: the store looks for it, and no other plan is read."""
    assert run(["show", "--session", "s9", "--agent", "main"]) == 1
    message = "holdfast: no plan of session 's9', agent 'main'; there are 's3', 's2', 's1', 's0'\n"
    assert capsys.readouterr().err == message
    assert store.surveys == 0


def test_an_unknown_agent_is_refused_with_those_of_its_session(
    store: CountingStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """For edits, too."""
    assert run(["done", "1", "--session", "s1", "--agent", "nobody"]) == 1
    assert capsys.readouterr().err.endswith("agent 'nobody'; that session has 'scout', 'main'\n")
