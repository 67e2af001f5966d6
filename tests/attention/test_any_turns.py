"""The driver of attention through any turns, by Hypothesis: over any course of them, no reminder breaks a rule."""

import json

from attended import text_of
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from holdfast import Board, Plan, Status
from holdfast.attention.driver import Attention
from holdfast.attention.policies import QUIET, RAIL, Policy

TEXTS = st.sampled_from(["Read", "Plan", "Build", "Test", "Ship", "</plan>", "Tidy up"])
STATUSES = st.sampled_from(["pending", "completed", "cancelled", "blocked"])


class Turns(RuleBasedStateMachine):
    """Random turns of a host: writes, work, edits by people, compactions, ends; what must hold is checked at each."""

    @initialize(policy=st.sampled_from([QUIET, RAIL, QUIET.replace(holds=2)]))
    def begin(self, policy: Policy) -> None:
        """A fresh board under some policy."""
        self.policy = policy
        self.board = Board(policy=policy)
        self.attention = Attention(self.board)
        self.definition = json.dumps([self.board.tool(form) for form in ("anthropic", "openai", "mcp")])
        self.since_write = 1  # the request below
        self.since_stated = 1000
        self.named = 0
        self.worked = 0
        self.hidden = False
        self.untold = False
        self.wrote_this_turn = False
        self.attention.before_request()

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
        self.since_write = self.named = 0
        if reply.plan.revision != before.revision:
            self.worked = 0
        self.since_stated = 1000

    def is_honest(self, before: Plan, after: Plan) -> None:
        """Under `rail` nothing is completed or finished by words alone, and no open todo is lost."""
        known = {todo.id for todo in before.todos if todo.status is Status.COMPLETED}
        new = [todo for todo in after.todos if todo.status is Status.COMPLETED and todo.id not in known]
        if not self.worked and not any(todo.work for todo in new):
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
        self.board.record_tool_use("bash")
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
        self.attention.after_compaction()
        self.hidden = True

    @rule()
    def request(self) -> None:
        """A request is about to be sent."""
        plan = self.board.plan
        tail = text_of(self.attention.before_request())
        self.wrote_this_turn = False
        if self.hidden and plan.open:
            assert tail.startswith("<plan>"), "a plan out of sight comes back on the very next request"
            assert all(f"{todo.id}. [{todo.status}]" in tail for todo in plan.open)
            self.named = 0
        elif self.untold:
            assert "The user changed the plan" in tail
        elif not plan.open:
            has_ended = plan.is_finished or (plan.revision > 0 and not plan.todos)  # or the model has emptied it
            done = ["All todos are done. End now with a short answer to the user."] if has_ended else []
            first = ["First write the plan with TodoWrite: one todo for every step of the task."]
            assert tail in ([*first, *done] if self.policy.name == "rail" else [""])
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
        """A plan neither written nor stated in ten requests is named, three times at most; otherwise it is silent."""
        assert bool(tail) is (self.since_write >= 10 and self.since_stated >= 10 and self.named < 3)
        self.named += bool(tail)

    @precondition(lambda self: self.policy.holds)
    @rule()
    def end(self) -> None:
        """The model wants to end its turn, again and again: the gate holds it a few times at most."""
        held = 0
        while text_of(self.attention.before_stop()):
            held += 1
            assert self.board.plan.next is not None
            assert held <= self.policy.holds
        assert self.attention.stop_reason

    def teardown(self) -> None:
        """What a cached API saw never changed."""
        if hasattr(self, "board"):
            assert self.definition == json.dumps([self.board.tool(form) for form in ("anthropic", "openai", "mcp")])


TestTurns = Turns.TestCase
TestTurns.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
