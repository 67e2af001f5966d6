"""What a board is set up with is kept with its plan, and every surface for people uses it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import RAIL, Board, Plan, Reply, Rules, Session, Status
from holdfast.board.settings import Settings, from_json
from holdfast.plan.fault import Fault
from holdfast.plan.rules import NO_LIMIT
from holdfast.stores import Key, MemoryStore, open_store
from holdfast.transfer.json_file import export_json, import_json

ABC = {"todos": [{"content": "A"}, {"content": "B"}, {"content": "C"}]}


def test_the_usual_settings_take_no_room() -> None:
    """A board as most are says nothing of itself."""
    board = Board()
    board.write(ABC)
    assert board.plan.settings == ""
    assert from_json("") == Settings() == Settings("holdfast", "quiet", Rules())


def test_settings_are_kept_with_the_first_write_and_change_with_their_host(tmp_path: Path) -> None:
    """They say the dialect, the policy and the changed rules; a host that is set up otherwise changes them."""
    path = tmp_path / "plans.db"
    first = Board(store=path, dialect="codex", policy="rail", rules=Rules(max_items=5))
    first.write({"plan": [{"step": "A", "status": "pending"}]})
    kept = from_json(Board(store=path).plan.settings)
    assert (kept.dialect, kept.policy) == ("codex", "rail")
    assert kept.rules == Rules(
        max_items=5,
        work_before_done=True,
        keep_open=True,
        repair=True,
        statuses=(Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED, Status.BLOCKED),
    )
    Board(store=path).write({"todos": [{"content": "A"}, {"content": "B"}]})
    assert Board(store=path).plan.settings == ""


def test_a_person_does_not_change_them(tmp_path: Path) -> None:
    """An edit, an undo and the next plan keep the settings that the host chose."""
    store = open_store(tmp_path / "plans.db")
    Board(store=store, rules=Rules(max_in_progress=3)).write(ABC)
    kept = store.load(Key("default", "main")).settings
    person = Board.for_person(store, "default")
    acts: list[Callable[[], Reply]] = [person.clear, person.undo, person.redo, lambda: person.add("D")]
    for act in acts:
        assert act().ok
        assert person.plan.settings == kept
    assert person.rules.max_in_progress == 3
    store.close()


def test_they_travel_with_an_export() -> None:
    """A plan that moves to another store is still kept by its rules."""
    there = MemoryStore()
    board = Board(rules=Rules(max_in_progress=NO_LIMIT, evidence="required"))
    board.write(ABC)
    import_json(export_json(board.store), there)
    assert Board.for_person(there, "default").rules == board.rules


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "7", '{"rules": 7}', '{"rules": {"max_items": 0}}', '{"rules": {"nonsense": 1}}', '{"rules": null}'],
)
def test_settings_that_cannot_be_read_are_the_usual_ones(text: str) -> None:
    """Whatever a damaged or later file says, a person can still correct the plan."""
    assert from_json(text) == Settings()


def test_an_unknown_dialect_has_the_default_rules() -> None:
    """A host's own dialect is not known to others: its plan is corrected under the default rules and its changes."""
    settings = Settings("klingon", "quiet", Rules(max_in_progress=2))
    assert from_json(settings.to_json()) == settings
    assert settings.all_rules() == Board(rules=Rules(max_in_progress=2)).rules


def test_a_change_that_changes_nothing_keeps_them() -> None:
    """A host that is set up otherwise is shown the plan as it is kept."""
    first = Board()
    first.write(ABC)
    reply = Board(store=first.store, rules=Rules(max_items=5)).edit("1", content="A")
    assert reply.ok and reply.plan == first.plan and reply.plan.settings == ""


def test_the_rules_of_a_host_go_before_those_of_its_policy() -> None:
    """A policy asks for what it needs; a host that says otherwise means it."""
    assert Board(policy="rail").rules.work_before_done
    assert not Board(policy="rail", rules=Rules(work_before_done=False)).rules.work_before_done
    assert Session(policy=RAIL.replace(rules=Rules(keep_open=False))).board.rules.keep_open is False


def claimed(store: MemoryStore, most_running: int) -> Plan:
    """A plan of five, of which two are claimed by agents."""
    board = Board(store=store, rules=Rules(max_in_progress=most_running))
    assert board.write({"todos": [{"content": text} for text in "ABCDE"]}).ok
    assert board.claim("anna").todo is not None
    assert board.claim("ben").todo is not None
    return board.plan


def running(plan: Plan) -> list[str]:
    """The ids of the todos in progress."""
    return [todo.id for todo in plan.todos if todo.status is Status.IN_PROGRESS]


def test_a_person_takes_no_todo_from_an_agent_that_claimed_it() -> None:
    """Starting a todo makes room among those that nobody has claimed. If there is no room, it says why."""
    store = MemoryStore()
    claimed(store, 3)
    host, person = Board(store=store, rules=Rules(max_in_progress=3)), Board.for_person(store, "default")
    assert host.write({"todos": [{"id": "3", "status": "in_progress"}]}).ok
    reply = person.edit("4", status="in_progress")
    assert reply.ok and running(reply.plan) == ["1", "2", "4"]
    assert [edit.id for edit in reply.plan.edits] == ["3", "4"], "where several run, the one that waits is told, too"
    assert host.claim("cleo", "4").todo is not None
    refused = person.edit("5", status="in_progress")
    message = (
        "at most 3 in progress, and agents have claimed 1 by 'anna', 2 by 'ben', 4 by 'cleo': "
        "one of them must finish first"
    )
    assert refused.faults == (Fault("status", message, "focus", None, "status", 3, "3"),)
    assert running(person.plan) == ["1", "2", "4"]


def test_agents_that_hold_all_there_is_room_for_hinder_nothing_but_a_start() -> None:
    """A person may reword any todo, and say again that one is in progress. What an agent finished makes room."""
    store = MemoryStore()
    claimed(store, 2)
    person = Board.for_person(store, "default")
    assert not person.edit("3", status="in_progress").ok
    assert person.edit("3", content="C2").ok
    assert person.edit("1", content="A2", status="in_progress").ok
    assert person.edit("4", status="cancelled").ok
    assert Board(store=store, rules=Rules(max_in_progress=2)).finish("anna", "1").ok
    assert person.plan.todos[0].details.owner == "anna"
    assert person.edit("3", status="in_progress").ok
    assert running(person.plan) == ["2", "3"]
