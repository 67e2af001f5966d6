"""An open plan of another session: found at the cost of the few boards that are looked at."""

from pathlib import Path

import pytest

from holdfast import Board
from holdfast.board.handover import open_plan_elsewhere
from holdfast.stores import StoredPlan
from holdfast.stores.damage import PlanOrDamage
from holdfast.stores.sqlite import SQLiteStore


@pytest.fixture
def store(tmp_path: Path) -> SQLiteStore:
    """A store with fifty open plans, the last one the newest."""
    found = SQLiteStore(tmp_path / "plans.db")
    for number in range(50):
        Board(store=found, session=f"s{number}").write({"todos": [{"content": f"Do {number}"}]})
    return found


def test_the_newest_of_another_session(store: SQLiteStore) -> None:
    """The own session does not count, and neither does one that may not be offered."""
    found = open_plan_elsewhere(store, "s49", may_offer=lambda board: board.key.session != "s48")
    assert found is not None and found.key.session == "s47"
    store.close()


def test_very_many_sessions_are_not_read(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook looks at the boards changed last, so many of them, and never reads them all."""
    asked: list[str] = []

    def refuse(board: StoredPlan) -> bool:
        asked.append(board.key.session)
        return False

    limits: list[int | None] = []
    listed = SQLiteStore.sessions_with_damage

    def counted(self: SQLiteStore, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
        limits.append(limit)
        return listed(self, limit, archived)

    monkeypatch.setattr(SQLiteStore, "sessions_with_damage", counted)
    assert open_plan_elsewhere(store, "new", may_offer=refuse, most=30) is None
    assert asked == [f"s{number}" for number in range(49, 19, -1)]
    assert None not in limits
    assert open_plan_elsewhere(store, "new", may_offer=lambda board: board.key.session == "s3") is not None
    store.close()
