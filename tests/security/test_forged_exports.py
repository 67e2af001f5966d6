"""An import obeys the rules that writes obey: what breaks one is refused with its path, and nothing is imported."""

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Board, UsageError
from holdfast.stores import MemoryStore
from holdfast.transfer.json_file import export_json, export_pieces, import_json


def exported() -> dict[str, Any]:
    """Two boards, each with three todos and two changes."""
    store = MemoryStore()
    for session in ("a", "b"):
        board = Board(store=store, session=session)
        board.write({"todos": [{"content": text} for text in ("one", "two", "three")]})
        board.edit("1", status="in_progress")
    value: dict[str, Any] = json.loads(export_json(store))
    return value


def both(value: dict[str, Any], forge: Callable[[dict[str, Any]], object]) -> None:
    """Forge the last plan of the second board: where it stands alone, and where the last change leads to it."""
    board = value["boards"][1]
    for plan in (board["plan"], board["changes"][-1]["plan"]):
        forge(plan)


FORGERIES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "the same id twice": (lambda plan: plan["todos"][1].update(id="1"), r"todos\[1\].id: '1' is there twice"),
    "a blank id": (lambda plan: plan["todos"][1].update(id=" "), r"todos\[1\].id"),
    "three in progress": (
        lambda plan: [todo.update(status="in_progress") for todo in plan["todos"]],
        "at most 1 in progress, received 3",
    ),
    "too many todos": (
        lambda plan: plan.update(todos=[{**plan["todos"][0], "id": f"x{id}"} for id in range(20_000)]),
        "at most 10000 todos, received 20000",
    ),
    "a lone surrogate": (
        lambda plan: plan["todos"][2].update(content="\ud800"),
        r"todos\[2\].content: expected a text",
    ),
    "a ring of blockers": (
        lambda plan: [
            todo.update(details={"blocked_by": [other]})
            for todo, other in zip(plan["todos"], ("2", "3", "1"), strict=True)
        ],
        "they wait for each other",
    ),
    "next_id below an id": (lambda plan: (plan.update(next_id=1), plan["todos"][0].update(content="x")), "next_id"),
    "a blank text": (lambda plan: plan["todos"][0].update(content=" \n"), r"todos\[0\].content: a text is required"),
    "a text without an end": (lambda plan: plan["todos"][0].update(content="x" * 100_001), "at most 100000 characters"),
    "a summary without an end": (lambda plan: plan.update(summary="x" * 100_001), "summary: at most 100000"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_no_write_could_make_is_not_imported(name: str) -> None:
    """The error has the place, and the sound board before it is not imported either."""
    forge, message = FORGERIES[name]
    value = exported()
    both(value, forge)
    store = MemoryStore()
    with pytest.raises(UsageError, match=message) as caught:
        import_json(json.dumps(value), store)
    assert "boards[1]." in str(caught.value)
    assert list(store.sessions()) == []


def test_a_board_that_is_there_twice_is_refused() -> None:
    """The second would overwrite the first, or be lost."""
    value = exported()
    value["boards"][1]["session"] = "a"
    with pytest.raises(UsageError, match="is there twice"):
        import_json(json.dumps(value), MemoryStore())


def test_an_export_of_any_board_is_imported() -> None:
    """Also where agents have claimed several todos, and where a dialect allows more than others."""
    store = MemoryStore()
    hermes = Board(store=store, dialect="hermes", session="hermes")
    hermes.write({"todos": [{"id": id, "content": id, "status": "in_progress"} for id in "12"]})
    Board.for_person(store, "hermes").add("Mine")
    shared = Board(store=store, session="shared")
    shared.write({"todos": [{"content": text} for text in "abc"]})
    assert shared.claim("one").todo is not None and shared.claim("two").todo is not None
    blank = Board(store=store, dialect="two-state", session="blank")
    assert blank.write({"todos": [{"content": "", "status": "pending"}]}).ok
    text = export_json(store)
    assert json.dumps(json.loads(text), indent=1) + "\n" == text
    other = MemoryStore()
    import_json(text, other)
    assert export_json(other) == text


def test_an_export_is_written_without_holding_all_of_it() -> None:
    """What is held at a time is a small part of the text."""
    board = Board()
    board.write({"todos": [{"content": f"{number} {'x' * 150}"} for number in range(50)]})
    for number in range(200):
        board.edit("1", content=f"version {number}")
    tracemalloc.start()
    total = sum(len(piece) for piece in export_pieces(board.store))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < total / 5
