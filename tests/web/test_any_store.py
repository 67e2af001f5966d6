"""The server reads any store: in memory, in a file, in PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import postgres_server
import pytest
from test_streams import opened, run
from web_driving import Served, board, path_of, serving

from holdfast.stores import MemoryStore, Store
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SQLiteStore

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "sqlite": lambda folder: SQLiteStore(folder / "plans.db"),
    "postgres": lambda folder: PostgresStore(postgres_server.shared().address()),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store in turn, with nothing in it."""
    made = STORES[request.param](tmp_path)
    yield made
    made.close()


def test_plans_are_shown_followed_and_edited(store: Store) -> None:
    """What is there, what comes, what a person changes, and who comes second."""
    board(store).write({"todos": [{"content": "Read", "status": "in_progress"}, {"content": "Write"}]})
    with serving(store) as served:
        (session,) = served.sessions()["sessions"]
        assert session["boards"][0]["current"]["label"] == "Read"
        assert served.edit("PATCH", f"{path_of()}/todos/1", 1, {"status": "completed"}).data["revision"] == 2
        assert served.edit("PATCH", f"{path_of()}/todos/2", 1, {"status": "completed"}).status == 412
        assert served.sessions()["sessions"][0]["boards"][0]["done"] == 1
        assert [change["by"] for change in served.ask(f"{path_of()}/history").data["changes"]] == ["person", "model"]


def test_a_stream_is_taken_up_after_a_restart(store: Store) -> None:
    """What was changed while no server ran is told first, in order."""
    main = board(store)
    main.write({"todos": [{"content": "Read"}]})
    with serving(store) as first:
        seen = first.sessions()["sequence"]
    main.add("Write")
    main.add("Rest")
    with serving(store) as second:
        assert _missed(second, seen) == ["Write", "Rest"]


def _missed(served: Served, since: int) -> list[str]:
    """The texts of the todos that were added since."""
    served.sessions()
    _, before = run(opened(served.port, since))
    return [event.data["change"]["parts"][0]["text"] for event in before if event.kind == "change"]
