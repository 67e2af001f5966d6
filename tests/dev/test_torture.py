"""The torture, in small: each part tries something, and loses nothing."""

import planted
import postgres_roles
import pytest
from postgres_server import Server

from dev.torture import plants, protected, roles, side_files, sieges, undos
from dev.torture.__main__ import PARTS, main
from dev.torture.results import PAGE, fill_page, load_results
from dev.torture.tally import TortureResult, add_up
from holdfast import Board
from holdfast.plan import Change, Plan
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

LEAST = {"kills": 6, "postgres": 6, "side-files": 6, "servers": 100, "undos": 180, "undos-postgres": 180}
"""What tries nothing at all if it is told to try too little."""

ALONE = ("fuzzing", "disks")
"""What needs another package, or root."""


@pytest.mark.parametrize("name", [name for name in PARTS if name not in ALONE])
def test_a_part_tries_something_and_loses_nothing(name: str) -> None:
    """With any seed, as often as it is told."""
    part = PARTS[name]
    found = part.run(1, LEAST.get(name, max(part.quick // 4, 1)))
    for result in found if isinstance(found, list) else [found]:
        assert result.times > 0
        assert (result.lost, result.not_run) == ((), "")


def test_a_folder_that_is_opened_all_the_same_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nothing were checked, most plants would get through."""
    monkeypatch.setattr("holdfast.stores.trust.check", lambda path: None)
    monkeypatch.setattr("holdfast.stores.sqlite.file._check_ours", lambda connection, path: None)
    monkeypatch.setattr(plants, "LAYOUTS", planted.LAYOUTS[:1])  # views and bombs would have their way, too
    assert len(plants.torture_plants(1, 20).lost) > 5


def test_a_conversation_that_is_read_all_the_same_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in ten is in a folder that nobody has allowed."""
    monkeypatch.setattr("holdfast.stores.trust.check_folder", lambda folder: None)
    assert len(plants.torture_conversations(1, 20).lost) >= 2


def test_an_acknowledged_write_that_is_gone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here, nothing is left of the plan, and no writer was told."""
    monkeypatch.setattr(side_files, "_contents", lambda path: set())
    assert side_files.torture_side_files(1, 3).lost


def test_an_undo_of_an_older_change_is_noticed() -> None:
    """The race that wiped a write: an undo that was decided before it, and committed after it."""
    store, key = MemoryStore(), Key("default", "main")
    board = Board(store=store)
    for text in ("one", "two"):
        board.write({"todos": [{"content": text}]})
    stale = board.at(1)
    board.write({"todos": [{"content": "three"}]})
    now = board.plan
    store.commit(key, Change(now, stale._replace(revision=now.revision + 1), by="person", action="undo", undoes=2))
    history = [record.change for record in store.history(key)][::-1]
    assert len(list(undos.not_newest(history))) == 1
    assert list(undos.not_newest(history[:-1])) == []
    assert history[0].before == Plan()


def test_a_write_to_a_protected_place_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If only git's folder were protected, the others would be written."""
    monkeypatch.setattr("holdfast.agent.tools.files.PROTECTED", frozenset({".git"}))
    assert len(protected.torture_protected(1, 100).lost) > 10


def test_a_server_that_answers_everybody_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One without the token that it should have: whoever guesses is let in. And one that turns honest people away."""
    monkeypatch.setattr(sieges, "SERVERS", {"the page with a token": ("serve", "--port", "0")})
    monkeypatch.setattr(sieges, "_honest", lambda server, session: 503)
    lost = " ".join(sieges.torture_servers(1, 100).lost)
    assert "answered with 503" in lost and "a guess was answered with" in lost and "told a version" in lost


def test_a_role_that_sees_too_much_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner has switched off what keeps the rows apart."""
    grant = postgres_roles.grant_roles

    def grant_too_much(server: Server) -> None:
        grant(server)
        for table in ("boards", "changes"):
            server.execute(f"ALTER TABLE holdfast.{table} DISABLE ROW LEVEL SECURITY")

    monkeypatch.setattr(postgres_roles, "grant_roles", grant_too_much)
    assert "gave" in " ".join(roles.torture_roles(1, 400).lost)


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists those that there are."""
    with pytest.raises(SystemExit, match="2"):
        main(["nope"])
    assert "no part nope; there are payloads, " in capsys.readouterr().err


def test_a_quick_run_says_what_it_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """It leaves the page as it is."""
    before = PAGE.read_text(encoding="utf-8")
    assert main(["--quick", "--seed", "3", "clocks", "forgeries"]) == 0
    said = capsys.readouterr().out
    assert "seed 3" in said and "writes under a clock that jumps" in said and "nothing lost" in said
    assert PAGE.read_text(encoding="utf-8") == before


def test_the_page_has_the_counts_of_the_last_runs() -> None:
    """They are written by the runs, and stay as they wrote them; nothing was lost."""
    found, page = load_results(), PAGE.read_text(encoding="utf-8")
    assert fill_page(page, found) == page
    assert set(found) <= set(PARTS)
    assert all(row["tried"] > 0 and row["lost"] == 0 for part in found.values() for row in part["rows"])


def test_what_was_lost_is_listed() -> None:
    """The parts of one thing are one line, with the first losses below it; what was not run says why."""
    parts = [TortureResult("writes", 10, ("one",)), TortureResult("writes", 5, tuple("abcdef"))]
    lines = str(add_up(parts)).splitlines()
    assert lines[0].split() == ["writes", "15", "tried", "7", "lost"]
    assert [line.strip() for line in lines[1:]] == ["one", "a", "b", "c", "d"]
    assert str(TortureResult("writes", not_run="no disk")).endswith("not run: no disk")
