"""Values by the names of their fields: there and back, and every fault named with its place."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from strategies import plans

from holdfast import Board, Plan, Todo
from holdfast.errors import UsageError
from holdfast.stores.memory import MemoryStore
from holdfast.transfer.fields import reader, to_json
from holdfast.transfer.json_file import export_json, import_json, read_export

Path = tuple[str | int, ...]


def export() -> str:
    """A board with every kind of field in it."""
    store = MemoryStore()
    board = Board(dialect="claude-tasks", store=store)
    board.write({"subject": "A", "description": "All of A", "metadata": {"k": 1}}, tool="TaskCreate")
    board.write({"subject": "B", "description": ""}, tool="TaskCreate")
    board.write({"taskId": "2", "addBlockedBy": ["1"], "owner": "me"}, tool="TaskUpdate")
    board.edit("1", status="completed")
    board.move("2", 0)
    return export_json(store)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything in a value, the inner ones first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, its in inner:
        yield from places(its, (*path, name))
        yield (*path, name)


def spoilt(path: Path, value: object) -> str:
    """The export with another value at a path."""
    whole = inner = json.loads(export())
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return json.dumps(whole)


def written(path: Path) -> str:
    """A path as a message has it."""
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path).removeprefix(".")


@pytest.mark.parametrize(
    "value", [object, float("nan"), 1e300, float("inf")], ids=["object", "nan", "huge", "infinite"]
)
def test_what_is_of_the_wrong_kind_is_named_with_its_place(value: Any) -> None:
    """No field takes an object where it has none, or a number that no clock shows and nobody counts to."""
    paths = [path for path in places(json.loads(export())) if path[0] == "boards"]
    assert len(paths) > 200
    for path in paths:
        store = MemoryStore()
        with pytest.raises(UsageError) as told:
            import_json(spoilt(path, {"odd": 1} if value is object else value), store)
        assert str(told.value).startswith(f"not an export of Holdfast: {written(path)}"), path
        assert store.sessions() == []


def test_what_is_missing_is_named() -> None:
    """With its place, too."""
    value = json.loads(export())
    del value["boards"][0]["changes"][1]["plan"]["todos"][0]["content"]
    with pytest.raises(UsageError, match=r"boards\[0\]\.changes\[1\]\.plan\.todos\[0\]\.content is missing$"):
        read_export(json.dumps(value))


def test_an_edit_is_of_a_todo() -> None:
    """One that was neither there before nor after is none."""
    value = json.loads(export())
    edits = value["boards"][0]["plan"]["edits"]
    assert edits
    edits[0] = {"before": None, "after": None, "position": None}
    with pytest.raises(UsageError, match=r"edits\[0\]: expected a todo before or after, received an object"):
        read_export(json.dumps(value))


def test_a_text_that_is_nested_without_end_is_refused() -> None:
    """It is no export, and no crash."""
    with pytest.raises(UsageError, match="not an export"):
        read_export("[" * 200_000)


@given(plans())
def test_a_plan_comes_back_from_its_named_fields(plan: Plan) -> None:
    """Every field of every todo and edit survives the way to JSON and back."""
    assert reader(Plan)(json.loads(json.dumps(to_json(plan))), "plan") == plan


def test_a_later_field_may_be_missing() -> None:
    """An export of an older Holdfast is read, and what it did not know yet has its default."""
    value = to_json(Plan((Todo("1", "a"),)))
    assert not {"details", "work", "proof"} & value["todos"][0].keys() and "seen" not in value
    assert reader(Plan)(value, "plan") == Plan((Todo("1", "a"),))
