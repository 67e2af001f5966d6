"""What people know a plan by, and do with it as a whole: its name, putting it away, approving it."""

import pytest

from holdfast import Board, Plan, Rules, Status
from holdfast.board.person_steps import LONGEST_NAME
from holdfast.plan import About, DetailsWish
from holdfast.plan.checks import CheckResult
from holdfast.stores.memory import MemoryStore

NOW = 1000.0


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the board."""
    return Clock()


@pytest.fixture
def board(clock: Clock) -> Board:
    """A board with one open todo."""
    board = Board(clock=clock)
    board.write({"todos": [{"content": "Read"}], "summary": "Learn it"})
    return board


def test_a_name_comes_before_the_title_and_the_summary(board: Board) -> None:
    """What a person calls it counts first, then what its host does, then what the plan is for."""
    assert board.plan.title == "Learn it"
    board.introduce(About(title="From the host"))
    board.add("Write")
    assert board.plan.title == "From the host"
    reply = board.rename("  By hand ")
    assert reply.ok and reply.change is not None
    assert (board.plan.title, board.plan.about.name) == ("By hand", "By hand")
    assert (reply.change.action, reply.change.by) == ("rename", "person")
    assert reply.change.after.revision == reply.change.before.revision + 1
    assert board.rename("").ok and board.plan.title == "From the host"


def test_a_name_has_a_limit_and_the_same_name_is_no_change(board: Board) -> None:
    """The error names the place, the limit and what was received."""
    revision = board.plan.revision
    (fault,) = board.rename("x" * (LONGEST_NAME + 1)).faults
    assert (fault.path, fault.field) == ("name", "name")
    assert str(LONGEST_NAME) in fault.message and str(LONGEST_NAME + 1) in fault.message
    assert board.plan.revision == revision and LONGEST_NAME == 200
    assert board.rename("x" * LONGEST_NAME).ok
    assert board.rename("x" * LONGEST_NAME).ok
    assert board.plan.revision == revision + 1


def test_what_is_put_away_stays_so_until_it_is_changed(board: Board, clock: Clock) -> None:
    """Also at the same moment; a second time is no change."""
    assert not Board().plan.is_archived
    assert board.archive().ok
    plan = board.plan
    assert plan.is_archived and plan.about.archived_at == plan.updated_at == NOW
    clock.now += 5
    assert board.archive().ok and board.plan is plan
    clock.now += 5
    board.add("Write")
    assert not board.plan.is_archived
    clock.now += 5
    board.archive()
    assert board.plan.is_archived and board.plan.updated_at == NOW + 15


def test_a_plan_waits_for_approval_once(board: Board) -> None:
    """Only one with open todos, and never again after somebody has approved it."""
    assert not Board().request_review().plan.awaits_approval
    revision = board.plan.revision
    assert board.approve().ok and board.plan.revision == revision
    assert board.request_review().ok
    assert board.plan.awaits_approval and board.plan.about.review == "waiting"
    assert board.plan.revision == revision + 1
    board.request_review()
    assert board.plan.revision == revision + 1
    reply = board.approve()
    assert reply.change is not None and (reply.change.by, reply.change.action) == ("person", "approve")
    assert not board.plan.awaits_approval and board.plan.about.review == "approved"
    board.request_review()
    assert board.plan.about.review == "approved" and board.plan.revision == revision + 2


@pytest.mark.parametrize("act", ["rename", "archive", "approve"])
def test_an_undo_takes_back_todos_and_not_what_stands_beside_them(board: Board, act: str) -> None:
    """A name, putting away and approval stay: an undo goes back to the last change of the todos."""
    board.add("Write")
    board.request_review()
    if act == "rename":
        board.rename("By hand")
    elif act == "archive":
        board.archive()
    else:
        board.approve()
    assert board.undo().ok
    assert board.plan.contents == ("Read",)


def test_a_host_says_once_where_a_session_is_from(clock: Clock) -> None:
    """Its facts go into the next change, over what was known, and a person's own name stays."""
    store = MemoryStore()
    board = Board(store=store, clock=clock)
    board.introduce(About(client="codex", folder="/projects/shop", name="not the host's to say"))
    assert board.plan.revision == 0
    board.write({"todos": [{"content": "Read"}]})
    assert board.plan.about == About(client="codex", folder="/projects/shop")
    board.rename("Mine")
    again = Board(store=store, clock=clock)
    again.introduce(About(branch="main"))
    revision = again.plan.revision
    again.write({"todos": [{"content": "Read"}, {"content": "Write"}]})
    assert again.plan.about == About(name="Mine", client="codex", folder="/projects/shop", branch="main")
    assert again.plan.revision == revision + 1


def test_a_plan_is_away_or_deleted_only_at_a_time() -> None:
    """A plan that was never written to is neither, at whatever time; the moments themselves count."""
    for moment in (1.0, 0.5, NOW):
        away = Plan(updated_at=moment, about=About(archived_at=moment, deleted_at=moment))
        assert away.is_archived and away.is_deleted
        changed = away._replace(updated_at=moment + 1)
        assert not changed.is_archived and not changed.is_deleted
    assert not Plan().is_archived and not Plan().is_deleted


def test_details_and_a_check_may_come_in_one_edit(board: Board) -> None:
    """The check is said beside the details, and none of them is lost."""
    id = board.plan.todos[0].id
    assert board.edit(id, check="make test", details=DetailsWish(owner="ann")).ok
    details = board.plan.todos[0].details
    assert (details.check, details.owner) == ("make test", "ann")
    assert board.edit(id, details=DetailsWish(description="All of it")).ok
    assert board.edit(id, check="make check").ok
    details = board.plan.todos[0].details
    assert (details.check, details.owner, details.description) == ("make check", "ann", "All of it")


def test_what_waits_in_a_circle_is_refused_for_a_person_too(board: Board) -> None:
    """In an edit and in a new todo: the plan stays as it was."""
    second = board.add("Write", details=DetailsWish(blocked_by=("1",))).plan.todos[1].id
    before = board.plan
    circle = board.edit("1", details=DetailsWish(blocked_by=(second,)))
    lost = board.add("Lost", details=DetailsWish(blocked_by=("77",)))
    assert [reply.faults[0].code for reply in (circle, lost)] == ["cycle", "unknown_blocker"]
    assert board.plan == before


def test_a_todo_without_a_check_has_nothing_to_prove(board: Board) -> None:
    """Whether it is done or not; a check that was passed is not run again."""
    for status in (Status.PENDING, Status.COMPLETED):
        board.edit("1", status=status)
        (fault,) = board.prove("1").faults
        assert (fault.path, fault.message, fault.code) == ("", "it has no check", "nothing_to_prove")


def test_to_prove_a_todo_is_one_change(board: Board, clock: Clock) -> None:
    """The plan goes one revision further, with the proof in it."""
    board.edit("1", status=Status.COMPLETED, check="host:seen")
    board.verify_with(lambda check: CheckResult(True, "seen"))
    revision, clock.now = board.plan.revision, NOW + 9
    assert board.prove("1").ok
    assert (board.plan.revision, board.plan.updated_at) == (revision + 1, NOW + 9)
    assert board.plan.todos[0].proof is not None


def test_a_deleted_plan_is_deleted_once(board: Board, clock: Clock) -> None:
    """One that never was written to is not deleted; a second time is no change; a write begins the next plan."""
    assert Board().delete().plan.revision == 0
    number, clock.now = board.plan.number, NOW + 3
    reply = board.delete()
    assert reply.ok and reply.change is not None and reply.change.action == "delete"
    gone = board.plan
    assert gone.is_deleted and gone.todos == () and gone.updated_at == NOW + 3
    assert board.delete().ok and board.plan is gone
    assert [fault.code for fault in board.undo().faults] == ["nothing_to_undo"]
    clock.now = NOW + 6
    assert board.write({"todos": [{"content": "Anew"}]}).ok
    assert not board.plan.is_deleted and board.plan.number > number


def test_a_host_completes_one_todo_and_leaves_the_others(clock: Clock) -> None:
    """With evidence; where there is none, what was said before stays."""
    board = Board(rules=Rules(evidence="optional"), clock=clock)
    board.write({"todos": [{"content": "Read", "evidence": "said before"}, {"content": "Write"}]})
    assert board.complete("1").ok
    assert [todo.is_open for todo in board.plan.todos] == [False, True]
    assert board.plan.todos[0].evidence == "said before"
    assert board.complete("2", "make").plan.todos[1].evidence == "make"


def test_a_host_blocks_what_a_model_cannot_do() -> None:
    """With what was done for it, and why; the others stay as they are. A todo that is not there is a fault."""
    board = Board(policy="rail")
    assert board.write({"todos": [{"content": "A"}, {"content": "B"}]}).ok
    board.record_tool_use("bash", {"command": "make"}, failed=True)
    reply = board.block("1", "no key for the server")
    assert [str(todo.status) for todo in reply.plan.todos] == ["blocked", "pending"]
    assert (reply.plan.todos[0].details.reason, [use.call for use in reply.plan.todos[0].work]) == (
        "no key for the server",
        ["make"],
    )
    record = next(iter(board.history()))
    assert (record.change.by, record.change.action) == ("host", "block")
    assert [fault.code for fault in board.block("7").faults] == ["unknown_id"]
