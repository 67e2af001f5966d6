"""Honest progress: what a model's write must show, what it may not lose, and what its reply points out."""

import json

import pytest
from attended import planned, text_of

from holdfast import QUIET, Board, Plan, Rules, Status, Todo
from holdfast.plan import Details, Draft, Wish
from holdfast.plan.fault import Refusal
from holdfast.plan.model_write import Terms, accept, write
from holdfast.plan.rules import Evidence
from holdfast.plan.step import Written
from holdfast.plan.work import NO_WORK, ToolUse, Work

RULES = Board().rules


def test_completion_needs_work_under_rail() -> None:
    """A completion with no work since the last write is refused with the next thing to do, and taken after work."""
    attention = planned("rail")
    board = attention.board
    attention.before_request()
    refused = board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert refused.faults[0].code == "no_work"
    assert "First do item 1: A" in refused.text
    board.record_tool_use("bash")
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    attention.before_request()
    assert not board.write({"todos": [{"id": "2", "status": "completed"}]}).ok


def test_a_first_look_is_no_work_and_a_second_one_is() -> None:
    """Under `rail`, a model that only read is told to do the item; only then is it asked whether that is done."""
    attention = planned("rail", "Delete the file", "Rename it")
    board = attention.board
    done = {"todos": [{"id": "1", "status": "completed"}]}
    board.record_tool_use("read_file", read_only=True)
    now = "Now do item 1 with the tool that fits best: Delete the file"
    assert text_of(attention.before_request()) == f"So far you have only looked. {now}"
    assert [fault.code for fault in board.write(done).faults] == ["no_work"]
    assert not attention.offer().write
    board.record_tool_use("read_file", read_only=True)
    assert text_of(attention.before_request()) == f"So far you have only looked. {now}"
    board.record_tool_use("read_file", read_only=True)
    assert "done now?" in text_of(attention.before_request()), "some todos ask for nothing more"
    assert board.write(done).ok
    board.record_tool_use("read_file", read_only=True)
    assert text_of(attention.before_request()).startswith("So far you have only looked"), "each item is looked at anew"


def test_a_look_that_failed_is_a_failure() -> None:
    """A file that is not there has not been looked at."""
    attention = planned("rail")
    attention.board.record_tool_use("read_file", failed=True, read_only=True)
    work = attention.board.work
    assert (work.calls, work.looks, work.failures) == (0, 0, 1)


def test_open_todos_are_not_lost_by_omission_under_rail() -> None:
    """A shorter list keeps what is open, and the reply says so."""
    attention = planned("rail")
    attention.before_request()
    reply = attention.board.write({"todos": [{"content": "C"}]})
    assert [todo.content for todo in reply.plan.todos] == ["C", "A", "B"]
    assert "Kept what is still open: 1, 2." in reply.text


def test_gaps_are_named_and_not_refused_under_quiet() -> None:
    """Todos that jump to completed together, and open ones left out, are named in one short note each."""
    board = planned(QUIET.replace(one_write=False)).board
    jumped = board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "completed"}]})
    assert jumped.ok
    assert "1, 2 went from pending to completed at once" in jumped.text
    shorter = board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "completed"}]})
    assert shorter.ok
    assert "Left out while still open: 3 (C)." in shorter.text


def test_strict_dialects_are_left_as_they_are() -> None:
    """The notes and refusals of honest progress are off in the strict dialects unless a host asks for them."""
    board = Board(dialect="two-state")
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    reply = board.write({"todos": [{"content": "A", "status": "completed"}]})
    assert reply.text == "📋 当前任务列表：\n  1. ✅ [completed] A\n\n总计: 1 项 | 待处理: 0 | 已完成: 1"
    asked = Board(dialect="two-state", rules=Rules(work_before_done=True))
    asked.write({"todos": [{"content": "A"}]})
    assert not asked.write({"todos": [{"content": "A", "status": "completed"}]}).ok


@pytest.mark.parametrize(("evidence", "ok"), [("required", False), ("optional", True), ("none", True)])
def test_evidence_is_asked_for_as_the_rules_say(evidence: Evidence, ok: bool) -> None:
    """A completion without evidence is refused only where it is required."""
    board = Board(rules=Rules(evidence=evidence))
    board.write({"todos": [{"content": "A"}]})
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok is ok


def test_evidence_is_kept_and_shown() -> None:
    """The evidence of a completion is in the schema, in the plan and in its rendering."""
    board = Board(rules=Rules(evidence="required"))
    assert "evidence" in json.dumps(board.tool("anthropic"))
    assert "evidence" not in json.dumps(Board().tool("anthropic"))
    board.write({"todos": [{"content": "A"}]})
    assert board.write({"todos": [{"id": "1", "status": "completed", "evidence": "42 tests pass"}]}).ok
    assert board.plan.todos[0].evidence == "42 tests pass"
    assert "42 tests pass" in board.dialect.render(board.plan)


def test_the_same_write_again_is_told_apart_from_progress() -> None:
    """A write that changes nothing is answered with that, and with what is next."""
    board = Board()
    payload = {"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]}
    board.write(payload)
    assert board.write(payload).text == "Nothing changed. 0/2 done. Now 1: A"


def test_what_is_kept_waits_for_what_is_started() -> None:
    """A list that leaves out the todo in progress and starts another loses neither, and one is in progress."""
    board = Board(rules=Rules(keep_open=True))
    board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
    assert board.write({"todos": [{"content": "C", "status": "in_progress"}]}).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("A", "pending"),
        ("B", "pending"),
        ("C", "in_progress"),
    ]


def test_of_what_is_kept_no_more_runs_than_may() -> None:
    """Todos that were started under other rules wait, though the list says nothing of them."""
    before = Board(dialect="hermes")
    assert before.write({"todos": [{"id": id, "content": id, "status": "in_progress"} for id in "12"]}).ok
    board = Board(store=before.store, rules=Rules(keep_open=True))
    assert board.write({"todos": []}).ok
    assert [str(todo.status) for todo in board.plan.todos] == ["pending", "in_progress"]


def test_a_list_numbered_from_one_again_is_the_next_plan() -> None:
    """After a finished plan, new todos with its numbers are new: they start anew, and no old todo stays."""
    board = Board()
    board.write({"todos": [{"content": text, "status": "completed"} for text in "ABC"]})
    board.write({"todos": [{"id": "1", "content": "X", "status": "in_progress"}, {"id": "2", "content": "Y"}]})
    assert [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos] == [
        ("1", "X", "in_progress"),
        ("2", "Y", "pending"),
    ]
    assert board.plan.number == 2


@pytest.mark.parametrize(
    "todos",
    [
        pytest.param([{"id": "1", "content": "A, again", "status": "pending"}], id="one alone"),
        pytest.param([{"id": "1", "content": "A, again"}, {"id": "2", "content": "B"}], id="one as it was"),
        pytest.param([{"id": "2", "content": "X"}, {"id": "1", "content": "Y"}], id="in another order"),
        pytest.param([{"id": "1", "content": "X"}, {"id": "2", "status": "pending"}], id="one without words"),
    ],
)
def test_any_other_update_of_a_finished_plan_changes_it(todos: list[dict[str, str]]) -> None:
    """Only a list that plainly is a new one begins the next plan: what names finished todos is about them."""
    board = Board()
    board.write({"todos": [{"content": text, "status": "completed"} for text in "ABC"]})
    assert board.write({"todos": todos}).ok
    assert (len(board.plan.todos), board.plan.number) == (3, 1)


def todos_of(board: Board) -> list[tuple[str, str, str]]:
    """The plan of a board: ids, texts and statuses."""
    return [(todo.id, todo.content, str(todo.status)) for todo in board.plan.todos]


class TestUpdates:
    def test_an_update_names_nothing_that_it_keeps(self) -> None:
        """Where open todos must not be lost, an update by id cannot lose them, and its reply has no word of that."""
        board = Board(rules=Rules(keep_open=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        assert board.write({"todos": [{"id": "2", "content": "B2"}]}).text == "0/2 done. Next 1: A"

    @pytest.mark.parametrize("keep_open", [False, True])
    def test_it_does_not_stop_what_it_names_beside_what_it_starts(self, keep_open: bool) -> None:
        """An update that rewords the todo in progress and starts another one would leave two: it is refused."""
        board = Board(rules=Rules(keep_open=keep_open))
        board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
        reply = board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "2", "status": "in_progress"}]})
        assert [fault.code for fault in reply.faults] == ["focus"]

    def test_a_persons_edit_does_not_change_that(self) -> None:
        """Two in progress by id are refused, whether a person has edited the plan or not."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
        board.add("C")
        reply = board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "2", "status": "in_progress"}]})
        assert [fault.code for fault in reply.faults] == ["focus"]

    @pytest.mark.parametrize(("advance", "status"), [(True, "in_progress"), (False, "pending")])
    def test_the_next_todo_is_started_where_the_rules_say_so(self, advance: bool, status: str) -> None:
        """An update that finishes a todo starts the next one only under `advance`."""
        board = Board(rules=Rules(advance=advance))
        board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert todos_of(board) == [("1", "A", "completed"), ("2", "B", status)]

    def test_ids_in_a_first_list_are_taken(self) -> None:
        """Before there is a plan, a list with ids of any kind is the first list, not an update of nothing."""
        board = Board()
        assert board.write({"todos": [{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]}).ok
        assert todos_of(board) == [("a", "A", "pending"), ("b", "B", "pending")]

    def test_a_first_list_says_what_to_do(self) -> None:
        """An id without words, before there is a plan, is an update of nothing."""
        board = Board()
        reply = board.write({"todos": [{"id": "a", "content": "A"}, {"id": "b", "status": "completed"}]})
        assert [fault.code for fault in reply.faults] == ["unknown_id"] * 2
        assert board.plan.todos == ()

    def test_todos_of_an_open_plan_are_reworded_all_at_once(self) -> None:
        """New words for every todo make no new plan while something is open."""
        board = Board()
        board.write({"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]})
        board.write({"todos": [{"id": "1", "content": "X"}, {"id": "2", "content": "Y"}]})
        assert (board.plan.number, todos_of(board)) == (1, [("1", "X", "in_progress"), ("2", "Y", "pending")])

    def test_a_number_that_has_left_the_plan_is_not_a_new_one(self) -> None:
        """A list with a number that is gone is no next plan, and no number is given twice: it is refused."""
        board = Board()
        board.write({"todos": [{"content": "A"}, {"content": "B", "status": "completed"}]})
        board.remove("1")
        board.mark_edits_told()
        reply = board.write({"todos": [{"id": "1", "content": "X"}, {"id": "2", "content": "Y"}]})
        assert [fault.code for fault in reply.faults] == ["unknown_id"]

    def test_a_list_by_ids_that_has_finished_again_is_about_the_old_plan(self) -> None:
        """In a dialect of whole lists with ids, new words for what is finished begin no new plan."""
        board = Board(dialect="hermes")
        done = {"status": "completed"}
        board.write({"todos": [{"id": "1", "content": "A", **done}, {"id": "2", "content": "B", **done}]})
        board.write({"todos": [{"id": "1", "content": "A2", **done}, {"id": "2", "content": "B2", **done}]})
        assert (board.plan.number, todos_of(board)) == (1, [("1", "A2", "completed"), ("2", "B2", "completed")])

    def test_a_todo_may_not_wait_for_one_that_never_was(self) -> None:
        """A dependency on nothing is refused, and nothing changes."""
        board = Board(dialect="claude-tasks")
        board.write({"subject": "A", "description": "A"}, tool="TaskCreate")
        before = board.plan
        assert not board.write({"taskId": "1", "addBlockedBy": ["9"]}, tool="TaskUpdate").ok
        assert board.plan is before

    def test_it_is_one_revision_where_a_person_has_edited(self) -> None:
        """A write that tells the model of an edit is one change, like any other."""
        board = Board()
        board.write({"todos": [{"content": "A"}]})
        board.edit("1", content="A2")
        before = board.plan.revision
        board.write({"todos": [{"id": "1", "status": "in_progress"}]})
        assert (board.plan.revision, board.plan.edits, board.plan.seen) == (before + 1, (), ())


class TestFullPlans:
    def test_what_is_kept_beyond_the_limit_may_be_cancelled_by_id(self) -> None:
        """Open todos that are kept may be too many: an update that adds nothing is accepted, another is not."""
        board = Board(rules=Rules(keep_open=True, max_items=2))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        reply = board.write({"todos": [{"content": "C"}, {"content": "D"}]})
        assert "Kept what is still open: 1, 2. Cancel by id what is not needed." in reply.text
        assert board.write({"todos": [{"id": "1", "status": "cancelled"}]}).ok
        assert board.update([{"id": "2", "status": "cancelled"}]).ok
        more = board.write({"todos": [{"id": "1", "content": "A"}, {"id": "5", "content": "E"}]})
        assert [fault.message for fault in more.faults] == ["at most 2 todos, received 5"]

    def test_an_update_fills_a_plan_up_to_its_limit(self) -> None:
        """The last todo that there is room for is taken, the next is not."""
        board = Board(rules=Rules(max_items=2))
        board.write({"todos": [{"content": "A"}]})
        assert board.write({"todos": [{"id": "1", "content": "A"}, {"content": "B"}]}).ok
        reply = board.write({"todos": [{"id": "1", "content": "A"}, {"content": "C"}]})
        assert [fault.code for fault in reply.faults] == ["too_many"]


class TestKeptInFocus:
    def test_a_list_that_leaves_a_status_out_keeps_the_limit(self) -> None:
        """In a dialect that leaves alone what has no status, a todo in progress waits for the one that is started."""
        board = Board(dialect="hermes", rules=Rules(max_in_progress=1))
        board.write({"todos": [{"id": "1", "content": "A", "status": "in_progress"}, {"id": "2", "content": "B"}]})
        board.write({"todos": [{"id": "1", "content": "A"}, {"id": "2", "content": "B", "status": "in_progress"}]})
        assert todos_of(board) == [("1", "A", "pending"), ("2", "B", "in_progress")]

    def test_a_new_todo_without_a_status_does_not_run(self) -> None:
        """It takes the focus off nobody."""
        board = Board(dialect="hermes", rules=Rules(max_in_progress=1))
        board.write({"todos": [{"id": "1", "content": "A", "status": "in_progress"}]})
        board.write({"todos": [{"id": "1", "content": "A"}, {"id": "2", "content": "B"}]})
        assert todos_of(board) == [("1", "A", "in_progress"), ("2", "B", "pending")]

    def test_what_a_person_has_edited_waits_last(self) -> None:
        """Of two in progress that a list leaves out, the one that a person has just reworded goes on."""
        board = Board(rules=Rules(keep_open=True, max_in_progress=2))
        running = {"status": "in_progress"}
        board.write({"todos": [{"content": "A", **running}, {"content": "B", **running}]})
        board.edit("1", content="A2")
        board.write({"todos": [{"content": "C", **running}]})
        assert sorted(todos_of(board)) == [
            ("1", "A2", "in_progress"),
            ("2", "B", "pending"),
            ("3", "C", "in_progress"),
        ]

    def test_a_list_may_say_how_a_todo_is_called_while_it_runs_and_no_status(self) -> None:
        """It waits for the one that is started, like one of which nothing is said."""
        plan = Plan((Todo("1", "A", Status.IN_PROGRESS),), next_id=2)
        wishes = [Wish("1", "A", None, "Doing A"), Wish(None, "B", Status.IN_PROGRESS, "Doing B")]
        written = write(plan, Draft(wishes), Terms(RULES, "todos", NO_WORK), 1.0)
        assert isinstance(written, Written)
        assert [str(todo.status) for todo in written.plan.todos] == ["pending", "in_progress"]

    def test_what_another_agent_does_goes_on(self) -> None:
        """A todo that is claimed takes nothing from the model's own: a list without it starts another beside it."""
        board = Board(rules=Rules(keep_open=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        assert board.claim("helper", "1")
        board.mark_edits_told()
        assert board.write({"todos": [{"content": "B", "status": "in_progress"}]}).ok
        assert sorted(todos_of(board)) == [("1", "A", "in_progress"), ("2", "B", "in_progress")]

    def test_a_list_that_leaves_nothing_out_is_taken_as_it_is(self) -> None:
        """Where open todos must not be lost, a list that has them all needs no word."""
        board = Board(rules=Rules(keep_open=True))
        board.write({"todos": [{"content": "A"}]})
        assert board.write({"todos": [{"content": "B"}, {"content": "A"}]}).text == "Saved 2. 0/2 done. Next 2: B"
        assert todos_of(board) == [("2", "B", "pending"), ("1", "A", "pending")]

    def test_finished_todos_may_be_left_out(self) -> None:
        """Only what is open is kept, and only that is named."""
        board = Board(rules=Rules(keep_open=True))
        board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B"}]})
        reply = board.write({"todos": [{"content": "C"}]})
        assert reply.text.splitlines()[1:] == ["Kept what is still open: 2. Cancel by id what is not needed."]
        assert [content for _, content, _ in todos_of(board)] == ["B", "C"]


class TestProof:
    @pytest.mark.parametrize("status", ["cancelled", "blocked"])
    def test_a_plan_is_not_given_up_untried(self, status: str) -> None:
        """Without work, nothing may be left to do; after a call that failed, it may."""
        board = Board(rules=Rules(work_before_done=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        given_up = {"todos": [{"id": "1", "status": status}, {"id": "2", "status": status}]}
        (fault,) = board.write(given_up).faults
        assert fault.message == (
            "nothing was done since the last plan write. First do item 1: A. Then mark it completed"
        )
        assert (fault.path, fault.code, fault.field, fault.received) == ("todos", "no_work", "todos", "no open todo")
        board.record_tool_use("bash", failed=True)
        assert board.write(given_up).ok

    def test_one_todo_of_several_may_be_cancelled_untried(self) -> None:
        """As long as something is left to do, what is not needed goes."""
        board = Board(rules=Rules(work_before_done=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        assert board.write({"todos": [{"id": "1", "status": "cancelled"}]}).ok

    def test_where_nothing_could_be_done_nothing_need_be(self) -> None:
        """A plan that waits for others may be reworded and closed without work."""
        board = Board(rules=Rules(work_before_done=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        board.edit("1", status="blocked")
        board.edit("2", status="blocked")
        board.mark_edits_told()
        assert board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "2", "status": "cancelled"}]}).ok

    def test_what_was_completed_before_needs_no_work_again(self) -> None:
        """Other words for a finished todo are no completion."""
        board = Board(rules=Rules(work_before_done=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        board.record_tool_use("bash")
        board.write({"todos": [{"id": "1", "status": "completed"}]})
        assert board.write({"todos": [{"id": "1", "content": "A, at last"}]}).ok

    @pytest.mark.parametrize(
        ("statuses", "first", "received"),
        [
            (("completed", "pending"), "First do item 2: B", "1"),
            (("completed", "completed"), "First do some of it", "1, 2"),
        ],
    )
    def test_a_first_list_is_not_done_already(self, statuses: tuple[str, str], first: str, received: str) -> None:
        """A plan whose todos are completed from the start is refused, with what to do first where that is known."""
        board = Board(rules=Rules(work_before_done=True))
        todos = [{"content": text, "status": status} for text, status in zip("AB", statuses, strict=True)]
        (fault,) = board.write({"todos": todos}).faults
        assert fault.message == f"nothing was done since the last plan write. {first}. Then mark it completed"
        assert fault.received == received

    def test_missing_evidence_is_asked_for_by_its_place(self) -> None:
        """The fault says which todo it is and what is missing; a blank is no evidence."""
        board = Board(rules=Rules(evidence="required"))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        (fault,) = board.write({"todos": [{"id": "2", "status": "completed", "evidence": " "}]}).faults
        assert (fault.path, fault.message) == ("todos (id 2).evidence", "required: what shows that it is done")
        assert (fault.code, fault.field) == ("evidence", "evidence")

    def test_what_a_person_completed_is_completed(self) -> None:
        """Other words for it need neither work nor evidence, though it has none."""
        board = Board(rules=Rules(work_before_done=True, evidence="required"))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        board.edit("1", status="completed")
        board.mark_edits_told()
        assert board.write({"todos": [{"id": "1", "content": "A, at last"}]}).ok

    @pytest.mark.parametrize(("again", "ok"), [("mkdir a", True), ("mkdir b", False)])
    def test_what_fails_because_it_was_done_before_is_done(self, again: str, ok: bool) -> None:
        """A call that has succeeded for another todo is work for this one, too; any other failure is none."""
        board = Board(rules=Rules(work_before_done=True))
        board.write({"todos": [{"content": "A"}, {"content": "B"}]})
        board.record_tool_use("bash", {"command": "mkdir a"})
        assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
        board.record_tool_use("bash", {"command": again}, failed=True)
        assert board.write({"todos": [{"id": "2", "status": "completed"}]}).ok is ok

    def test_a_check_that_nobody_runs_is_no_proof(self) -> None:
        """A todo that has one needs work like any other, unless it is said that checks are run."""
        todo = Todo("1", "A", details=Details(check="make"))
        done = Draft([Wish("1", status=Status.COMPLETED)], merge=True)
        terms = Terms(RULES.replace(work_before_done=True), "todos", NO_WORK)
        plan = Plan((todo, Todo("2", "B")), next_id=3)
        assert isinstance(write(plan, done, terms, 1.0), Refusal)
        assert isinstance(write(plan, done, terms._replace(runs_checks=True), 1.0), Written)

    def test_a_plan_is_accepted_as_a_whole_list(self) -> None:
        """Unless it is said to come from an update."""
        terms = Terms(RULES, "todos", NO_WORK)
        for is_update, said in (
            (False, accept(Plan(), Plan(), terms)),
            (True, accept(Plan(), Plan(), terms, (), True)),
        ):
            assert isinstance(said, Written) and said.is_update is is_update


class TestWork:
    """What was done since the last write is kept with the todo that it was done for."""

    USES = (ToolUse("bash", "make"),)

    def worked(self, plan: Plan, *wishes: Wish, todo: str = "1", merge: bool = True) -> list[str]:
        """The ids of the todos that have the work after a write, which was done for one of them."""
        terms = Terms(RULES.replace(advance=False), "todos", Work(todo, self.USES))
        written = write(plan, Draft(wishes, merge=merge), terms, 1.0)
        assert isinstance(written, Written)
        return [each.id for each in written.plan.todos if each.work == self.USES]

    PLAN = Plan((Todo("1", "A", Status.IN_PROGRESS), Todo("2", "B"), Todo("3", "C")), next_id=4)

    @pytest.mark.parametrize(
        ("todo", "wishes", "found"),
        [
            ("1", [Wish("1", status=Status.COMPLETED)], "1"),
            ("1", [Wish("2", status=Status.COMPLETED)], "2"),
            ("2", [Wish("1", status=Status.COMPLETED), Wish("2", status=Status.COMPLETED)], "2"),
            ("1", [Wish("2", "B2")], "1"),
            ("1", [Wish(content="D", status=Status.COMPLETED)], "1"),
        ],
        ids=["its own", "another one", "a later one of two", "no completion", "a new todo that is done"],
    )
    def test_work_is_for_what_it_completes(self, todo: str, wishes: list[Wish], found: str) -> None:
        """It is the current todo's, unless the write completes others that were there, and not this one."""
        assert self.worked(self.PLAN, *wishes, todo=todo) == [found]

    def test_a_todo_that_is_left_out_has_no_work(self) -> None:
        """The work stays with the current one."""
        assert self.worked(self.PLAN, Wish(content="A"), Wish(content="C"), merge=False) == ["1"]

    def test_a_write_that_changes_nothing_keeps_no_work(self) -> None:
        """It stays in the journal until something changes."""
        assert self.worked(self.PLAN, Wish("2", "B")) == []

    def test_the_next_plan_begins_without_work(self) -> None:
        """What was done for the last plan is not for a todo that has the same number."""
        done = Plan((Todo("1", "A", Status.COMPLETED),), next_id=2)
        assert self.worked(done, Wish(content="B"), Wish(content="C"), merge=False) == []


class TestOwnChecks:
    def test_a_check_that_is_there_stays(self) -> None:
        """A model sets one where there is none, in new todos too, and says it again; it is told which it cannot set."""
        board = Board(rules=Rules(checks=True))
        for text, check in (("A", ""), ("B", "make b"), ("C", "make c"), ("D", "make d"), ("E", "make e")):
            board.add(text, check=check)
        board.mark_edits_told()
        todos = [
            {"id": "1", "check": "make a"},
            {"id": "2", "content": "B2"},
            {"id": "3", "check": "true"},
            {"id": "4", "check": "make d"},
            {"id": "5", "check": "true"},
            {"content": "F", "check": "make f"},
        ]
        reply = board.write({"todos": todos})
        assert reply.ok
        assert [todo.check for todo in board.plan.todos] == [f"make {letter}" for letter in "abcdef"]
        assert reply.text.splitlines()[1:] == ["The check of 3, 5 stays: only the user changes it."]


class TestGaps:
    @staticmethod
    def after(*statuses: str) -> Board:
        """A board whose todos A, B, C and so on have these statuses."""
        board = Board()
        texts = "ABCDEFGH"[: len(statuses)]
        todos = [{"content": text, "status": status} for text, status in zip(texts, statuses, strict=True)]
        assert board.write({"todos": todos}).ok
        return board

    @staticmethod
    def notes(board: Board, *todos: tuple[str, str]) -> list[str]:
        """What the reply to a whole list says beside its first line."""
        reply = board.write({"todos": [{"content": content, "status": status} for content, status in todos]})
        assert reply.ok
        return reply.text.splitlines()[1:]

    def test_several_that_jump_are_named(self) -> None:
        """The note is one line, and says what to do."""
        board = self.after("pending", "pending", "pending")
        assert self.notes(board, ("A", "completed"), ("B", "completed"), ("C", "pending")) == [
            "1, 2 went from pending to completed at once: make sure that each is done."
        ]

    def test_they_are_seen_after_work_too(self) -> None:
        """One call of another tool does not explain two todos that were never begun."""
        board = self.after("pending", "pending", "pending")
        board.record_tool_use("bash")
        assert self.notes(board, ("A", "completed"), ("B", "completed"), ("C", "pending")) == [
            "1, 2 went from pending to completed at once: make sure that each is done."
        ]

    @pytest.mark.parametrize("texts", ["ABC", "231", "312"])
    def test_they_are_seen_in_another_order_too(self, texts: str) -> None:
        """A list that is put in another order hides no jump, even if its texts read like ids."""
        board = Board()
        first, second, third = list(texts)
        todos = [{"content": text, "status": "pending"} for text in texts]
        assert board.write({"todos": [{**todos[0], "status": "in_progress"}, *todos[1:]]}).ok
        assert self.notes(board, (second, "completed"), (third, "completed"), (first, "in_progress")) == [
            "2, 3 went from pending to completed at once: make sure that each is done."
        ]

    def test_one_that_jumps_is_nothing_to_speak_of(self) -> None:
        """Small steps are done before they are marked as begun, also where a list has a new todo."""
        board = self.after("pending", "pending")
        assert self.notes(board, ("A", "completed"), ("B", "pending"), ("C", "pending")) == []

    def test_one_that_was_begun_has_not_jumped(self) -> None:
        """The todo in progress and one more, completed together, are no gap."""
        board = self.after("in_progress", "pending")
        assert self.notes(board, ("A", "completed"), ("B", "completed"), ("C", "pending")) == []

    def test_an_open_todo_that_another_takes_the_place_of_is_named(self) -> None:
        """A list of the same length may still have lost something."""
        board = self.after("pending", "pending")
        assert self.notes(board, ("A", "pending"), ("C", "pending")) == ["Left out while still open: 2 (B)."]

    def test_so_is_one_whose_place_is_taken_by_a_todo_with_its_own_id(self) -> None:
        """Where a list has ids of its own, one new id among the old ones may have cost a todo."""
        board = Board(dialect="qwen", rules=Rules(point_out=True))
        first, second, other = ({"id": id, "content": id, "status": "pending"} for id in ("a", "b", "c"))
        assert board.write({"todos": [first, second]}).ok
        assert board.write({"todos": [first, other]}).text.endswith("\nLeft out while still open: b (b).")

    def test_finished_ones_may_be_left_out_unsaid(self) -> None:
        """Only open todos are missed."""
        board = self.after("completed", "pending", "pending")
        assert self.notes(board, ("C", "pending")) == ["Left out while still open: 2 (B)."]

    def test_five_are_named_at_most(self) -> None:
        """A note stays short, however much is lost."""
        board = self.after(*["pending"] * 7)
        assert self.notes(board, ("A", "pending")) == ["Left out while still open: 2 (B), 3 (C), 4 (D), 5 (E), 6 (F)."]

    @pytest.mark.parametrize(("text", "quoted"), [("x" * 40, "x" * 40), ("x" * 41, f"{'x' * 39}…")])
    def test_a_long_text_is_named_shortened(self, text: str, quoted: str) -> None:
        """Forty characters are enough to know a todo again."""
        board = Board()
        board.write({"todos": [{"content": "A"}, {"content": text}]})
        assert self.notes(board, ("A", "pending")) == [f"Left out while still open: 2 ({quoted})."]


def test_a_tool_that_the_dialect_does_not_have_is_named() -> None:
    """The reply says which ones there are, and nothing is written; a known tool, or no tool, is fine."""
    board = Board(dialect="claude-tasks")
    (fault,) = board.write({"subject": "A", "description": "A"}, tool="TaskWrite").faults
    assert (fault.path, fault.code) == ("", "unknown_tool")
    assert fault.message == "no tool 'TaskWrite'; claude-tasks has TaskCreate, TaskUpdate, TaskGet, TaskList"
    assert board.plan.todos == ()
    assert board.write({"subject": "A", "description": "A"}, tool="TaskCreate").ok
    assert Board().write({"todos": []}).ok
