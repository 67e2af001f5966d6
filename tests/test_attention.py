"""The driver of attention: over any course of turns, no reminder breaks a rule."""

import json
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from holdfast import Board, Plan, Rules, Session, Status, Todo, dialects
from holdfast.attention import Attention
from holdfast.dialects import Call
from holdfast.errors import UsageError
from holdfast.policies import MINI, QUIET, RAIL, Policy

TEXTS = st.sampled_from(["Read", "Plan", "Build", "Test", "Ship", "</plan>", "Tidy up"])
STATUSES = st.sampled_from(["pending", "completed", "cancelled", "blocked"])


def planned(policy: str | Policy = "quiet", *contents: str) -> Attention:
    """Attention to a board with a plan of these todos, its first turn begun."""
    attention = Attention(Board(), policy)
    attention.tail()
    assert attention.board.write({"todos": [{"content": content} for content in contents or ("A", "B", "C")]}).ok
    return attention


class Turns(RuleBasedStateMachine):
    """Random turns of a host: writes, work, edits by people, compactions, ends; what must hold is checked at each."""

    @initialize(policy=st.sampled_from([QUIET, RAIL, QUIET._replace(holds=2)]))
    def begin(self, policy: Policy) -> None:
        """A fresh board under some policy."""
        self.policy = policy
        self.board = Board()
        self.attention = Attention(self.board, policy)
        self.definition = json.dumps([self.board.tool(form) for form in ("anthropic", "openai", "mcp")])
        self.since_write = 1  # the request below
        self.since_stated = 1000
        self.worked = 0
        self.hidden = False
        self.untold = False
        self.wrote_this_turn = False
        self.attention.tail()

    def wrote(self, payload: object) -> None:
        """One write by the model, and what must be true of it."""
        before = self.board.plan
        reply = self.board.write(payload)
        if self.wrote_this_turn:
            assert not reply.ok, "two writes in one turn"
            assert reply.faults[0].code == "second_write"
        if not reply.ok:
            assert self.board.plan == before
            return
        assert ("The user changed the plan" in reply.text) is self.untold
        if self.policy.name == "rail":
            self.is_honest(before, reply.plan)
        self.untold, self.hidden, self.wrote_this_turn = False, False, True
        self.since_write = self.worked = 0
        self.since_stated = 1000

    def is_honest(self, before: Plan, after: Plan) -> None:
        """Under `rail` nothing is completed or finished by words alone, and no open todo is lost."""
        if not self.worked:
            assert not (before.next is not None and after.next is None)
            completed = {todo.id for todo in after.todos if todo.status is Status.COMPLETED}
            if before.number == after.number:
                assert completed <= {todo.id for todo in before.todos if todo.status is Status.COMPLETED}
        if before.number == after.number:
            assert {todo.id for todo in before.open} <= {todo.id for todo in after.todos}

    @rule(contents=st.lists(TEXTS, max_size=4, unique=True), status=STATUSES)
    def write_the_whole_list(self, contents: list[str], status: str) -> None:
        """The model writes a whole list."""
        self.wrote({"todos": [{"content": content, "status": status} for content in contents]})

    @rule(ids=st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True), status=STATUSES)
    def update_by_id(self, ids: list[int], status: str) -> None:
        """The model says what became of some todos."""
        self.wrote({"todos": [{"id": str(id), "status": status} for id in ids]})

    @rule(payload=st.sampled_from(["{", {}, {"todos": None}, {"todos": [{"content": ""}]}]))
    def write_nonsense(self, payload: object) -> None:
        """The model writes something that cannot be read."""
        self.wrote(payload)

    @rule()
    def work(self) -> None:
        """The model uses another tool."""
        self.board.worked("bash")
        self.worked += 1

    @rule(id=st.integers(1, 6), status=STATUSES)
    def a_person_edits(self, id: int, status: str) -> None:
        """A person changes a todo behind the model's back."""
        self.board.edit(str(id), status=status)
        self.untold = bool(self.board.plan.edits)

    @rule(content=TEXTS)
    def a_person_adds(self, content: str) -> None:
        """A person adds a todo behind the model's back."""
        self.board.add(content)
        self.untold = bool(self.board.plan.edits)

    @rule()
    def compact(self) -> None:
        """The conversation is compacted: the model no longer sees its plan."""
        self.attention.note(sees_plan=False)
        self.hidden = True

    @rule()
    def request(self) -> None:
        """A request is about to be sent."""
        plan = self.board.plan
        tail = self.attention.tail()
        self.wrote_this_turn = False
        if self.hidden and plan.open:
            assert tail.startswith("<plan>"), "a plan out of sight comes back on the very next request"
            assert all(f"{todo.id}. [{todo.status}]" in tail for todo in plan.open)
        elif self.untold:
            assert "The user changed the plan" in tail
        elif not plan.open:
            assert tail in ("", "First write the plan with TodoWrite: one todo for every step of the task.")
        elif self.policy.name != "rail":
            self.is_quiet(tail)
        if tail.startswith("<"):
            self.since_stated = 0
        self.hidden = self.hidden and not plan.open
        self.untold = bool(self.board.plan.edits)
        self.since_write += 1
        self.since_stated += 1

    @rule(times=st.integers(2, 12))
    def several_requests(self, times: int) -> None:
        """The model works on for a while without a word about its plan."""
        for _ in range(times):
            self.request()

    def is_quiet(self, tail: str) -> None:
        """A plan neither written nor stated in ten requests is named; otherwise there is silence."""
        assert bool(tail) is (self.since_write >= 10 and self.since_stated >= 10)

    @precondition(lambda self: self.policy.holds)
    @rule()
    def end(self) -> None:
        """The model wants to end its turn, again and again: the gate holds it a few times at most."""
        held = 0
        while self.attention.hold():
            held += 1
            assert self.board.plan.next is not None
            assert held <= self.policy.holds
        assert self.attention.last_stop

    def teardown(self) -> None:
        """What a cached API saw never changed."""
        if hasattr(self, "board"):
            assert self.definition == json.dumps([self.board.tool(form) for form in ("anthropic", "openai", "mcp")])


TestTurns = Turns.TestCase
TestTurns.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


def test_an_unknown_policy_is_named() -> None:
    """A policy that is none is refused with the names of those that are."""
    with pytest.raises(UsageError, match="off, quiet, rail, mini"):
        Attention(Board(), "loud")


def test_the_first_of_two_writes_in_a_turn_counts() -> None:
    """The second write of a turn gets a clear error and changes nothing; the next turn may write again."""
    attention = planned()
    second = attention.board.write({"todos": [{"content": "Other"}]})
    assert not second.ok
    assert "one plan write a turn" in second.text
    attention.tail()
    assert attention.board.write({"todos": [{"content": "Other"}]}).ok


def test_a_refused_write_does_not_use_up_the_turn() -> None:
    """A write with faults changed nothing, so the turn may still write."""
    attention = Attention(Board())
    attention.tail()
    assert not attention.board.write({}).ok
    assert attention.board.write({"todos": [{"content": "A"}]}).ok


def test_completion_needs_work_under_rail() -> None:
    """A completion with no work since the last write is refused with the next thing to do, and taken after work."""
    attention = planned("rail")
    board = attention.board
    attention.tail()
    refused = board.write({"todos": [{"id": "1", "status": "completed"}]})
    assert refused.faults[0].code == "no_work"
    assert "First do item 1: A" in refused.text
    board.worked("bash")
    assert board.write({"todos": [{"id": "1", "status": "completed"}]}).ok
    attention.tail()
    assert not board.write({"todos": [{"id": "2", "status": "completed"}]}).ok


def test_open_todos_are_not_lost_by_omission_under_rail() -> None:
    """A shorter list keeps what is open, and the reply says so."""
    attention = planned("rail")
    attention.tail()
    reply = attention.board.write({"todos": [{"content": "C"}]})
    assert [todo.content for todo in reply.plan.todos] == ["C", "A", "B"]
    assert "Kept what is still open: 1, 2." in reply.text


def test_gaps_are_named_and_not_refused_under_quiet() -> None:
    """Todos that jump to completed together, and open ones left out, are named in one short note each."""
    board = planned("quiet").board
    board.gates.clear()
    jumped = board.write({"todos": [{"id": "1", "status": "completed"}, {"id": "2", "status": "completed"}]})
    assert jumped.ok
    assert "1, 2 went from pending to completed at once" in jumped.text
    shorter = board.write({"todos": [{"content": "A", "status": "completed"}, {"content": "B", "status": "completed"}]})
    assert shorter.ok
    assert "Left out while still open: 3 (C)." in shorter.text


def test_the_seeds_dialects_are_left_as_they_are() -> None:
    """No note and no refusal of honest progress changes a seed's dialect unless a host asks for it."""
    board = Board("two-state")
    board.write({"todos": [{"content": "A"}, {"content": "B"}]})
    reply = board.write({"todos": [{"content": "A", "status": "completed"}]})
    assert reply.text == "📋 当前任务列表：\n  1. ✅ [completed] A\n\n总计: 1 项 | 待处理: 0 | 已完成: 1"
    asked = Board("two-state", rules=Rules(work_before_done=True))
    asked.write({"todos": [{"content": "A"}]})
    assert not asked.write({"todos": [{"content": "A", "status": "completed"}]}).ok


@pytest.mark.parametrize(("evidence", "ok"), [("required", False), ("optional", True), ("none", True)])
def test_evidence_is_asked_for_as_the_rules_say(evidence: str, ok: bool) -> None:
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


def test_a_plan_from_before_is_restated_in_a_new_process() -> None:
    """A driver that starts on a board with open work restates it at once: this conversation has not seen it."""
    first = planned()
    again = Attention(Board(store=first.board.store))
    assert again.tail().startswith("<plan>")
    assert again.tail() == ""


def test_a_persons_edit_is_told_once() -> None:
    """The next request says what a person changed; the one after it does not."""
    attention = planned()
    attention.board.edit("2", content="B, carefully")
    assert 'now reads "B, carefully"' in attention.tail()
    assert attention.is_news
    assert attention.tail() == ""
    assert not attention.is_news
    assert attention.board.plan.edits == ()


def test_progress_arms_the_gate_again_and_rewording_does_not() -> None:
    """Only a change of status counts as progress."""
    attention = planned(RAIL._replace(holds=1))
    assert attention.hold()
    assert not attention.hold()
    assert attention.last_stop == "no progress after 1 reminders"
    attention.tail()
    attention.board.write({"todos": [{"id": "1", "content": "A, reworded"}]})
    assert not attention.hold()
    attention.tail()
    attention.board.write({"todos": [{"id": "1", "status": "in_progress"}]})
    assert "3 of 3 todos are still open" in attention.hold()
    assert attention.last_stop == "held: 3 todos open"


def test_every_decision_of_the_gate_is_told() -> None:
    """A host hears why a model was held, and why it was let go."""
    decisions: list[str] = []
    session = Session()
    attention = session.attend("rail", on_stop=decisions.append)
    attention.tail()
    session.board.write({"todos": [{"content": "A"}]})
    attention.hold()
    attention.note(asked_user=True)
    attention.hold()
    assert decisions == ["held: 1 todos open", "it waits for the user's answer"]


def test_the_gate_is_armed_again_when_the_user_speaks() -> None:
    """An interruption lets the model go until the user speaks again."""
    attention = planned("rail")
    attention.note(interrupted=True)
    assert not attention.hold()
    attention.heard_user()
    assert attention.hold()


def test_new_words_of_the_user_come_before_the_old_plan_under_rail() -> None:
    """A model on the rails does not run past a change of mind: it is told, once, to plan anew before anything else."""
    attention = planned("rail")
    attention.heard_user()
    assert attention.tail().startswith("The user has spoken. First write the plan anew with TodoWrite")
    assert attention.offer()[:3] == (True, False, False)
    assert attention.tail() == "Now do item 1 with the tool that fits best: A"
    attention.heard_user()
    assert "First write the plan anew" in attention.tail()
    assert attention.board.write({"todos": [{"id": "1", "content": "A2"}, {"id": "4", "content": "D"}]}).ok
    assert attention.tail() == "Now do item 1 with the tool that fits best: A2"
    assert [todo.content for todo in attention.board.plan.todos] == ["A2", "B", "C", "D"]


def test_new_words_of_the_user_without_open_work_are_not_talked_into() -> None:
    """After a finished plan, and under `quiet`, a user's words need no plan."""
    for policy, status in (("quiet", "pending"), ("rail", "cancelled")):
        attention = planned(policy)
        attention.tail()
        attention.board.worked("bash")
        assert attention.board.write({"todos": [{"id": id, "status": status} for id in "123"]}).ok
        attention.heard_user()
        assert attention.tail() == ""


def test_mini_opens_with_its_first_reminder_once() -> None:
    """The first reminder of seed 004 opens the first message, and comes at no later point."""
    attention = Attention(Board("mini"), MINI)
    assert attention.opening() == "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
    assert attention.opening() == ""
    assert attention.tail() == ""


def test_the_same_write_again_is_told_apart_from_progress() -> None:
    """A write that changes nothing is answered with that, and with what is next."""
    board = Board()
    payload = {"todos": [{"content": "A", "status": "in_progress"}, {"content": "B"}]}
    board.write(payload)
    assert board.write(payload).text == "Nothing changed. 0/2 done. Now 1: A"


@pytest.mark.parametrize("counter", [None, lambda text: len(text)])
def test_tokens_are_counted_for_a_session(counter: Callable[[str], int] | None) -> None:
    """Definition, prompt, calls, replies and reminders are counted, over subagents too, by any counter."""
    session = Session() if counter is None else Session(counter=counter)
    attention = session.attend("rail")
    before = session.tokens
    assert before.definition > 0
    assert before.prompt > 0
    assert before[2:] == (0, 0, 0)
    attention.tail()
    session.board.write({"todos": [{"content": "A"}]})
    session.subagent("helper").write({"todos": [{"content": "A"}]})
    session.dismiss("helper")
    after = session.tokens
    assert min(after) > 0
    assert after.total == sum(after)
    if counter is not None:
        assert after.calls == 2 * len('{"todos":[{"content":"A"}]}')


@pytest.mark.parametrize("name", dialects.names())
def test_what_cannot_be_done_can_be_given_up_in_every_dialect(name: str) -> None:
    """Under `rail` no model is asked for a status that its tool refuses: a dialect without blocked is lent the word."""
    board = Board(name)
    attention = Attention(board, "rail")
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    for _ in range(2):
        board.worked("bash", failed=True)
    asked = attention.tail()
    if name == "roo":  # a text with no mark for it
        assert "blocked" not in asked
        return
    assert "blocked" in asked
    blocked = board.plan._replace(todos=(board.plan.todos[0]._replace(status=Status.BLOCKED), *board.plan.todos[1:]))
    if board.dialect.mark:
        arguments = json.loads(board.dialect.mark.format(id="1", status="blocked"))
        call = Call(board.dialect.mark_tool or board.dialect.tool_name, arguments)
        assert f"{call.tool} " in asked
    else:
        (call,) = board.dialect.calls(blocked)
    reply = board.write(call.payload, tool=call.tool)
    assert reply.ok, reply.text
    assert board.plan.todos[0].status is Status.BLOCKED


def test_a_first_look_is_no_work_and_a_second_one_is() -> None:
    """Under `rail`, a model that only read is told to do the item; only then is it asked whether that is done."""
    attention = planned("rail", "Delete the file", "Rename it")
    board = attention.board
    done = {"todos": [{"id": "1", "status": "completed"}]}
    board.worked("read_file", looked=True)
    assert (
        attention.tail() == "So far you have only looked. Now do item 1 with the tool that fits best: Delete the file"
    )
    assert [fault.code for fault in board.write(done).faults] == ["no_work"]
    assert not attention.offer().write
    board.worked("read_file", looked=True)
    assert "done now?" in attention.tail()
    assert board.write(done).ok
    board.worked("read_file", looked=True)
    assert attention.tail().startswith("So far you have only looked"), "each item is looked at anew"


def test_a_look_that_failed_is_a_failure() -> None:
    """A file that is not there has not been looked at."""
    attention = planned("rail")
    attention.board.worked("read_file", failed=True, looked=True)
    assert (attention.board.looks, attention.board.work, attention.board.failures) == (0, 0, 1)


@pytest.mark.parametrize("name", dialects.names())
def test_a_write_is_narrowed_only_to_what_the_dialect_takes(name: str) -> None:
    """What a host offers under `rail`, the tool takes: a dialect of whole lists is not narrowed to one todo."""
    jsonschema = pytest.importorskip("jsonschema")
    board = Board(name)
    attention = Attention(board, "rail")
    for tool, payload in board.dialect.calls(Plan((Todo("1", "A"), Todo("2", "B")))):
        assert board.write(payload, tool=tool).ok
    board.worked("bash")
    attention.tail()
    schema = attention.offer().schema
    assert (schema is None) == (name != "holdfast")
    if schema is not None:
        mark = json.loads(board.dialect.mark.format(id="1", status="completed"))
        jsonschema.validate(mark, schema)
        assert board.write(mark).ok
