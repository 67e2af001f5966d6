"""`holdfast stats`: how long todos took and what plans cost, on a terminal, in a pipe, and as data."""

from collections.abc import Callable
from pathlib import Path

import pytest
from driving import board, on_terminal, populate, populate_finished, run, screen

from holdfast.text import width

Compare = Callable[[str, str], None]


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_shows_a_table_and_bars(tmp_path: Path, snapshot: Compare, columns: int) -> None:
    """The longest todo has the longest bar; one that was never started has none."""
    populate_finished(tmp_path)
    snapshot(f"cli/stats-{columns}.txt", "\n".join(screen(tmp_path, "stats", columns=columns)))
    written = on_terminal(tmp_path, "stats", columns=columns, environ={"NO_COLOR": "1"}).decode()
    assert max(width(line) for line in written.splitlines()) <= columns


@pytest.mark.parametrize(("name", "environ"), [("piped", {}), ("ascii", {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})])
def test_a_pipe_gets_plain_lines(tmp_path: Path, snapshot: Compare, name: str, environ: dict[str, str]) -> None:
    """The same with no escape codes, and with plain signs where there must be."""
    populate_finished(tmp_path)
    ran = run(tmp_path, "stats", **environ)
    assert "\x1b" not in ran.stdout
    assert ran.stdout.isascii() or name == "piped"
    snapshot(f"cli/stats-{name}.txt", ran.stdout)


def test_data_for_programs(tmp_path: Path, snapshot: Compare) -> None:
    """Everything that is shown is there as numbers."""
    populate_finished(tmp_path)
    ran = run(tmp_path, "stats", "--json")
    assert ran.data["rejected"] == 1
    assert [todo["seconds"] for todo in ran.data["todos"]] == [600.0, 4000.0, 5.0, None]
    snapshot("cli/stats.json", ran.stdout)


def test_what_is_at_work_counts_up_to_now(tmp_path: Path) -> None:
    """A todo in progress has a time that goes on; a pending one has none."""
    populate(tmp_path)
    first, second = (run(tmp_path, "stats", "--session", "default", "--json").data["todos"] for _ in range(2))
    assert second[3]["status"] == "in_progress"
    assert second[3]["seconds"] > first[3]["seconds"] > 0
    assert second[4]["seconds"] is None


def test_a_todo_that_was_left_behind_does_not_count_on(tmp_path: Path) -> None:
    """What was in progress when its plan was cleared has no time."""
    main = board(tmp_path)
    main.write({"todos": [{"content": "Left behind", "status": "in_progress"}]})
    main.clear()
    main.store.close()
    data = run(tmp_path, "stats", "--json").data
    assert [todo["seconds"] for todo in data["todos"]] == [None]
    assert (data["plans"], data["plans_finished"]) == (1, 0)


def test_all_plans_of_the_store_together(tmp_path: Path) -> None:
    """`--all` adds up every board, the finished plans of each included."""
    populate(tmp_path)
    data = run(tmp_path, "stats", "--all", "--json").data
    assert (data["plans"], data["plans_finished"], data["writes"], data["edits"]) == (3, 1, 5, 2)
    assert len(data["boards"]) == 2
    assert "2 plans of " in run(tmp_path, "stats", "--all").stdout


def test_one_plan_is_counted_as_one(tmp_path: Path) -> None:
    """A single plan is no plural."""
    populate_finished(tmp_path)
    assert run(tmp_path, "stats", "--all").stdout.startswith("1 plan of ")
