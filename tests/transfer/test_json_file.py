"""Plans moved between stores: everything arrives, nothing is overwritten unasked, and a second run does no harm."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast import Board, Plan
from holdfast.errors import UsageError
from holdfast.plan import Change
from holdfast.stores import Key, Store
from holdfast.stores.memory import MemoryStore
from holdfast.stores.sqlite import SQLiteStore
from holdfast.transfer.json_file import export_json, import_json

KEY = Key("default", "main")


@pytest.fixture
def old() -> MemoryStore:
    """A store with two sessions, plans that were finished, edits by people, and odd texts."""
    store = MemoryStore()
    board = Board(store=store)
    board.write({"todos": [{"content": "a", "status": "completed"}]})
    board.write({"todos": [{"content": "b\n\ud800", "status": "in_progress"}, {"content": "字", "status": "pending"}]})
    board.edit("2", status="blocked")
    board.add("by a person", position=0)
    Board(store=store, agent="helper").update([{"content": "helping", "status": "pending"}])
    Board(store=store, session="other").write({"todos": [{"content": "z", "status": "pending"}]})
    return store


@pytest.fixture(params=["memory", "sqlite"])
def new(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        store: Store = MemoryStore() if request.param == "memory" else SQLiteStore(Path(folder) / "plans.db")
        yield store
        store.close()


def changes(store: Store, key: Key = KEY) -> list[Change]:
    """What a board has been through."""
    return [record.change for record in store.history(key)]


def everything(store: Store) -> dict[Key, tuple[Plan, list[Change]]]:
    """All that a store knows."""
    return {key: (plan, changes(store, key)) for key, plan in store.sessions()}


def test_all_plans_arrive_with_their_history(old: MemoryStore, new: Store) -> None:
    """After an import both stores know the same, and export the same."""
    keys = list(import_json(export_json(old), new))
    assert set(keys) == {KEY, Key("default", "helper"), Key("other", "main")}
    assert everything(new) == everything(old)
    assert export_json(new) == export_json(old)


def test_one_session_can_be_moved(old: MemoryStore, new: Store) -> None:
    """An export of a session holds its boards, and no other."""
    import_json(export_json(old, session="other"), new)
    assert [kept.key for kept in new.sessions()] == [Key("other", "main")]


def test_the_export_has_named_fields(old: MemoryStore) -> None:
    """The form of an export is a promise: a program in any language can read it."""
    value = json.loads(export_json(old, session="other"))
    board = value["boards"][0]
    assert (value["format"], value["version"]) == ("holdfast", 1)
    assert list(board) == ["session", "agent", "plan", "start", "changes"]
    assert list(board["changes"][0]) == ["by", "action", "undoes", "plan"]
    assert list(board["plan"]["todos"][0]) == [
        "id",
        "content",
        "status",
        "active_form",
        "created_at",
        "started_at",
        "finished_at",
        "evidence",
    ]


def test_a_board_that_is_there_is_not_overwritten(old: MemoryStore, new: Store) -> None:
    """A different history under the same name stops the import before anything is written."""
    Board(store=new, session="other").add("mine")
    before = everything(new)
    with pytest.raises(UsageError, match="session 'other', agent 'main' is already there"):
        import_json(export_json(old), new)
    assert everything(new) == before


def test_overwriting_keeps_the_old_history(old: MemoryStore, new: Store) -> None:
    """The imported plan takes the place of the one that was there, whose history stays below."""
    Board(store=new).add("mine")
    mine = changes(new)
    text = export_json(old, session="default")
    for _ in range(2):
        import_json(text, new, overwrite=True)
        assert new.load(KEY).todos == old.load(KEY).todos
        assert len(changes(new)) == len(mine) + 1 + len(changes(old)), "a second import has nothing left to do"
    opening = changes(new)[len(changes(old))]
    assert (opening.by, opening.action, opening.before) == ("host", "import", mine[0].after)
    assert [change.after.revision for change in changes(new)] == list(range(len(changes(new)), 0, -1))
    assert changes(new)[-1:] == mine


def test_an_interrupted_import_goes_on(old: MemoryStore, new: Store) -> None:
    """Whatever part has arrived, running it again brings the rest, and no more."""
    text = export_json(old)
    for count in range(len(changes(old))):
        partial = MemoryStore()
        for change in changes(old)[::-1][:count]:
            partial.commit(KEY, change)
        import_json(text, partial)
        assert everything(partial) == everything(old)
    import_json(text, new)
    import_json(text, new)
    assert everything(new) == everything(old)


def test_an_interrupted_overwrite_goes_on(old: MemoryStore) -> None:
    """A board that got half of an imported history gets the other half."""
    text = export_json(old, session="default")
    whole = MemoryStore()
    Board(store=whole).add("mine")
    import_json(text, whole, overwrite=True)
    for count in range(1, len(changes(whole))):
        partial = MemoryStore()
        for change in changes(whole)[::-1][:count]:
            partial.commit(KEY, change)
        import_json(text, partial, overwrite=True)
        assert changes(partial) == changes(whole)


def test_an_import_into_a_board_that_went_on_changes_nothing(old: MemoryStore, new: Store) -> None:
    """What was imported before and worked on since is left as it is, unless told to overwrite."""
    text = export_json(old)
    import_json(text, new)
    Board(store=new).add("later")
    plan = new.load(KEY)
    import_json(text, new)
    assert new.load(KEY) == plan
    import_json(text, new, overwrite=True)
    assert new.load(KEY).todos == old.load(KEY).todos


def test_a_pruned_history_arrives_as_far_as_it_goes(tmp_path: Path, new: Store) -> None:
    """The plan arrives with the revision it had, after one change that leads to where the history starts."""
    with closing(SQLiteStore(tmp_path / "pruned.db")) as pruned:
        for number in range(5):
            Board(store=pruned).add(str(number))
        pruned.prune(keep=2)
        for _ in range(2):
            import_json(export_json(pruned), new)
            assert new.load(KEY) == pruned.load(KEY)
            assert changes(new)[:2] == changes(pruned)
            assert [change.action for change in changes(new)] == ["add", "add", "import"]


def spoilt(spoil: Callable[[Any], object]) -> str:
    """An export with something wrong in it."""
    store = MemoryStore()
    Board(store=store).add("a")
    value = json.loads(export_json(store))
    spoil(value)
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not an export"),
        ("[]", "not an export"),
        (spoilt(lambda value: value.pop("format")), "not an export"),
        (spoilt(lambda value: value.update(version=2)), "version 2, and this Holdfast reads 1: update Holdfast"),
        (spoilt(lambda value: value.update(boards=[{}])), r"boards\[0\]"),
        (spoilt(lambda value: value.update(boards=[None])), r"boards\[0\]"),
        (spoilt(lambda value: value["boards"][0]["plan"].update(revision=9)), "does not lead to the plan"),
        (spoilt(lambda value: value["boards"][0]["plan"]["todos"][0].update(status="odd")), r"boards\[0\]"),
    ],
)
def test_what_is_no_export_is_refused(text: str, match: str, new: Store) -> None:
    """A text that is not whole says where, and leaves the store as it was."""
    with pytest.raises(UsageError, match=match):
        import_json(text, new)
    assert new.sessions() == []
