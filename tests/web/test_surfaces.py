"""Every surface for people goes by the rules of the plan: the command line, the page and the live view."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pseudo_terminal import PseudoTerminal
from web_driving import Served, path_of, serving

from holdfast import NO_LIMIT, Board, Plan, Rules, Status
from holdfast.cli.main import run
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore

SESSION = "shared"
Surface = Callable[..., bool]
"""Makes a person's change: a verb, the todo, a text. Returns whether it was made."""

STATUSES = {"start": "in_progress", "done": "completed", "cancel": "cancelled", "block": "blocked"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """A plan file that the host and the surfaces share."""
    store = SQLiteStore(tmp_path / "plans.db")
    yield store
    store.close()


@pytest.fixture(params=["command line", "page"])
def surface(request: pytest.FixtureRequest, store: SQLiteStore, tmp_path: Path) -> Iterator[Surface]:
    """A surface for people."""
    if request.param == "command line":
        yield _command_line(tmp_path / "plans.db")
        return
    with serving(store) as served:
        yield _page(served, store)


def _command_line(path: Path) -> Surface:
    def change(verb: str, *words: str) -> bool:
        with suppress(SystemExit):
            return run([verb, *words, "--db", str(path), "--session", SESSION]) == 0
        return False

    return change


def _page(served: Served, store: SQLiteStore) -> Surface:
    def change(verb: str, *words: str) -> bool:
        todos, revision = f"{path_of(SESSION)}/todos", store.load(Key(SESSION, "main")).revision
        if verb == "add":
            return served.edit("POST", todos, revision, {"content": words[0]}).status == 200
        body = {"content": words[1]} if verb == "reword" else {"status": STATUSES[verb]}
        return served.edit("PATCH", f"{todos}/{words[0]}", revision, body).status == 200

    return change


def planned(store: SQLiteStore, board: Board, *contents: str) -> Plan:
    """The plan of a model that wrote these todos."""
    for tool, payload in board.dialect.calls(Board().update([{"content": text} for text in contents]).plan):
        assert board.write(payload, tool).ok
    return board.plan


def in_progress(plan: Plan) -> list[str]:
    """The ids of the todos in progress."""
    return [todo.id for todo in plan.todos if todo.status is Status.IN_PROGRESS]


def test_a_claimed_todo_is_not_taken_from_its_agent(store: SQLiteStore, surface: Surface) -> None:
    """Starting a todo makes room among those that nobody has claimed, as many as the plan's own rules allow."""
    board = Board(store=store, session=SESSION, rules=Rules(max_in_progress=3))
    planned(store, board, *"ABCDE")
    assert board.claim("anna").todo and board.claim("ben").todo
    assert board.write({"todos": [{"id": "3", "status": "in_progress"}]}).ok
    assert surface("start", "4")
    assert in_progress(board.plan) == ["1", "2", "4"]
    assert [todo.details.owner for todo in board.plan.todos[:2]] == ["anna", "ben"]
    told = board.write({"todos": [{"id": "5", "content": "E, now"}]}).text
    assert "3 (" in told and "4 (" in told, "the model hears of both"


def test_without_room_nothing_is_started(store: SQLiteStore, surface: Surface) -> None:
    """Where agents have claimed all that may run, a person is told so, and the plan stays as it is."""
    board = Board(store=store, session=SESSION, rules=Rules(max_in_progress=2))
    planned(store, board, *"ABC")
    assert board.claim("anna").todo and board.claim("ben").todo
    before = board.plan
    assert not surface("start", "3")
    assert board.plan == before


def test_several_may_run_where_the_rules_say_so(store: SQLiteStore, surface: Surface) -> None:
    """A plan without a limit has none for people either."""
    board = Board(store=store, session=SESSION, rules=Rules(max_in_progress=NO_LIMIT))
    planned(store, board, *"ABC")
    assert all(surface("start", id) for id in "123")
    assert in_progress(board.plan) == ["1", "2", "3"]


@pytest.mark.parametrize(("verb", "words"), [("reword", ("1", "x" * 30)), ("add", ("x" * 30,))])
def test_a_text_is_not_longer_than_the_model_may_restate(
    store: SQLiteStore, surface: Surface, verb: str, words: tuple[str, ...]
) -> None:
    """The limit is the plan's own: shorter than usual here, and none where the dialect has none."""
    short = Board(store=store, session=SESSION, rules=Rules(max_content=20))
    before = planned(store, short, *"AB")
    assert not surface(verb, *words)
    assert short.plan == before
    planned(store, Board(store=store, session=SESSION, dialect="mini"), "A", "B", "C")
    assert surface(verb, *(word.replace("x" * 30, "x" * 300) for word in words))


def test_a_person_may_add_to_a_full_plan(store: SQLiteStore, surface: Surface) -> None:
    """How many todos a model may write does not bind a person; the model can still update the plan by id."""
    board = Board(store=store, session=SESSION, rules=Rules(max_items=3))
    planned(store, board, *"ABC")
    assert surface("add", "D")
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok


@pytest.mark.parametrize("verb", ["cancel", "block"])
def test_a_person_may_use_a_status_that_the_dialect_lacks(store: SQLiteStore, surface: Surface, verb: str) -> None:
    """The model restates it with its nearest word, and does not undo it."""
    board = Board(store=store, session=SESSION, dialect="two-state")
    planned(store, board, "A", "B")
    assert surface(verb, "1")
    assert board.write(board.dialect.payload(board.plan)).ok
    assert board.plan.todos[0].status == STATUSES[verb]


@pytest.mark.parametrize(
    "board", [{"rules": Rules(evidence="required")}, {"policy": "rail"}, {"rules": Rules(work_before_done=True)}]
)
def test_what_a_completion_needs_of_a_model_it_does_not_need_of_a_person(
    store: SQLiteStore, surface: Surface, board: dict[str, object]
) -> None:
    """A person who says that it is done needs no evidence and no other tool."""
    own = Board(store=store, session=SESSION, **board)  # type: ignore[arg-type] # one keyword at a time
    planned(store, own, "A", "B")
    kept = own.plan.settings
    assert surface("done", "1")
    assert own.plan.todos[0].status is Status.COMPLETED
    assert own.plan.settings == kept != "", "the plan still says how it is kept"


def test_the_live_view_goes_by_them_too(store: SQLiteStore, tmp_path: Path) -> None:
    """A key there changes the plan under its own rules, and leaves its settings alone."""
    board = Board(store=store, session=SESSION, dialect="two-state", rules=Rules(max_items=2))
    planned(store, board, "A", "B")
    kept = board.plan.settings
    words = ["watch", "--db", str(tmp_path / "plans.db")]
    code = f"import sys; from holdfast.cli.main import run; sys.exit(run({words!r}))"
    with PseudoTerminal(code, 80, 20) as terminal:
        terminal.wait_for("A", "q quit")
        terminal.type("jjc")
        terminal.wait_for("cancelled")
        terminal.type("q")
        assert terminal.ended() == 0
    assert Status.CANCELLED in [todo.status for todo in board.plan.todos]
    assert board.plan.settings == kept != ""
