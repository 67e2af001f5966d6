"""The rules that a plan obeys, and the faults of what breaks them."""

import pytest

from holdfast import NO_LIMIT, Rules, Status, Todo, dialects
from holdfast.errors import UsageError
from holdfast.plan import DetailsWish, Draft, Plan, Wish
from holdfast.plan.checks import parse_check
from holdfast.plan.fault import IN_DOUBT, Fault
from holdfast.plan.rules import CEILING_ITEMS, CEILING_TEXT, PLAIN, check, check_against, check_result
from holdfast.plan.transitions import replace

STRICT = Rules(max_items=3, max_content=5, max_in_progress=1, statuses=(Status.PENDING, Status.IN_PROGRESS)).over(PLAIN)


def codes(*wishes: Wish, summary: str | None = None, merge: bool = False) -> list[tuple[str, object]]:
    """The places and codes of the faults of a draft under strict rules."""
    return [(fault.path, fault.code) for fault in check(Draft(wishes, summary, merge), STRICT)]


class TestRules:
    @pytest.mark.parametrize("name", ["max_items", "max_content", "max_in_progress"])
    @pytest.mark.parametrize("limit", [0, -1, 1.5, "5", (), True, float("inf")])
    def test_a_bad_limit_is_a_usage_error(self, name: str, limit: object) -> None:
        """A limit that is not a positive whole number is refused by its name when the rules are made."""
        with pytest.raises(UsageError) as caught:
            dialects.get("holdfast").with_rules(Rules(**{name: limit}))  # type: ignore[arg-type] # that is the point
        assert str(caught.value) == f"Rules({name}=…) takes a positive whole number or NO_LIMIT, received {limit!r}"

    @pytest.mark.parametrize("statuses", [(), ("done",), ("completed",), ("pending", "later"), "pending"])
    def test_bad_statuses_are_a_usage_error(self, statuses: object) -> None:
        """Unknown statuses, and a list without pending, with which nothing could begin, are refused."""
        with pytest.raises(UsageError, match=r"Rules\(statuses=…\) takes pending and others of pending, in_progress,"):
            dialects.get("holdfast").with_rules(Rules(statuses=statuses))  # type: ignore[arg-type] # that is the point

    @pytest.mark.parametrize("name", ["max_items", "max_content", "max_in_progress"])
    def test_the_smallest_limit_is_one(self, name: str) -> None:
        """A board may take a single todo, a single character, a single todo at once."""
        assert getattr(Rules(**{name: 1}), name) == 1  # type: ignore[arg-type] # the name is not known to the types

    @pytest.mark.parametrize("name", Rules._fields)
    def test_a_rule_that_is_none_is_not_given(self, name: str) -> None:
        """A host may pass on a setting that it does not have."""
        assert Rules(**{name: None}) == Rules()  # type: ignore[arg-type] # that is the point

    def test_what_is_not_said_is_as_the_dialect_has_it(self) -> None:
        """A host changes single rules; the others stay the dialect's own."""
        own = dialects.get("envelope").rules
        changed = dialects.get("envelope").with_rules(Rules(max_items=3)).rules
        assert changed == own._replace(max_items=3)

    def test_plain_rules_have_no_limits_and_no_habits(self) -> None:
        """A dialect has only the limits and habits that it names."""
        habits = (False, False, False, "none", False, False, False, "optional")
        assert tuple(PLAIN) == (NO_LIMIT, NO_LIMIT, NO_LIMIT, tuple(Status), *habits)

    @pytest.mark.parametrize(
        ("rules", "needs_proof"),
        [
            (Rules(), False),
            (Rules(evidence="optional"), False),
            (Rules(evidence="required"), True),
            (Rules(work_before_done=True), True),
            (Rules(work_before_done=True, evidence="required"), True),
        ],
    )
    def test_either_work_or_evidence_can_be_asked_for(self, rules: Rules, needs_proof: bool) -> None:
        """A completion needs something to speak for it if one of the two rules says so."""
        assert rules.over(PLAIN).needs_proof is needs_proof

    def test_rules_add_up(self) -> None:
        """Rules put over others keep what they do not change, one after the other."""
        dialect = dialects.get("holdfast").with_rules(Rules(max_items=3)).with_rules(Rules(max_content=9))
        assert (dialect.rules.max_items, dialect.rules.max_content) == (3, 9)

    def test_a_dialect_is_a_value(self) -> None:
        """Putting rules on a dialect makes another one, and leaves it as it is."""
        dialect = dialects.get("mini")
        dialect.with_rules(Rules(max_items=3))
        assert dialect.rules.max_items == 20


class TestChecking:
    def test_nothing_wrong(self) -> None:
        """A draft within the rules has no faults."""
        assert codes(Wish(content="12345", status=Status.IN_PROGRESS), Wish(content="B"), Wish(content="C")) == []

    def test_too_many(self) -> None:
        """The number of todos is limited."""
        assert codes(*[Wish(content="A")] * 4) == [("todos", "too_many")]

    @pytest.mark.parametrize(
        ("wish", "field"),
        [
            (Wish(content="123456"), "content"),
            (Wish(content="A", active_form="123456"), "activeForm"),
            (Wish(content="A", evidence="123456"), "evidence"),
        ],
    )
    def test_too_long(self, wish: Wish, field: str) -> None:
        """Every text of a todo is limited, and the fault names which one it was."""
        assert codes(Wish(content="A"), wish) == [(f"todos[1].{field}", "too_long")]

    def test_a_summary_is_no_content(self) -> None:
        """What the plan is for may be longer than a todo, up to the ceiling."""
        assert codes(summary="x" * CEILING_TEXT) == []
        assert check(Draft(summary="x" * 100_001), STRICT) == [
            Fault(
                "summary", "at most 100000 characters, received 100001", "too_long", None, "summary", 100_000, "100001"
            )
        ]

    def test_a_status_that_is_not_allowed(self) -> None:
        """A status outside the rules is a fault, though it is one of Holdfast's."""
        [fault] = check(Draft([Wish(content="A", status=Status.BLOCKED)]), STRICT)
        assert fault.path == "todos[0].status"
        assert fault.message == "expected one of pending, in_progress, received blocked"

    def test_too_much_at_once(self) -> None:
        """The number of todos in progress is limited."""
        running = Wish(content="A", status=Status.IN_PROGRESS)
        assert codes(running, running) == [("todos", "focus")]

    def test_an_id_given_twice(self) -> None:
        """In an update each id may stand once."""
        new = Wish(content="A")
        assert codes(Wish("1"), new, new, merge=True) == []
        assert codes(Wish("1"), new, Wish("1"), merge=True) == [("todos[2].id", "duplicate_id")]

    def test_every_fault_is_found(self) -> None:
        """A draft with several faults gets all of them."""
        bad = Wish(content="123456", status=Status.COMPLETED)
        running = Wish(content="A", status=Status.IN_PROGRESS)
        assert codes(bad, running, running, bad) == [
            ("todos", "too_many"),
            ("todos[0].content", "too_long"),
            ("todos[0].status", "status"),
            ("todos[3].content", "too_long"),
            ("todos[3].status", "status"),
            ("todos", "focus"),
        ]

    def test_no_limit_ends_at_the_ceiling(self) -> None:
        """Even where there is no limit, what can only be an accident is refused."""
        assert (CEILING_ITEMS, CEILING_TEXT) == (10_000, 100_000)
        rules = PLAIN._replace(max_items=NO_LIMIT, max_content=NO_LIMIT)
        assert check(Draft([Wish(content="A")] * CEILING_ITEMS), rules) == []
        assert [fault.code for fault in check(Draft([Wish(content="A")] * (CEILING_ITEMS + 1)), rules)] == ["too_many"]
        assert [fault.code for fault in check(Draft([Wish(content="A" * (CEILING_TEXT + 1))]), rules)] == ["too_long"]


class TestCheckingAgainstAPlan:
    PLAN = replace(Plan(), Draft([Wish(content=str(number)) for number in range(11)]), 1.0)

    def test_unknown_ids_are_told_with_the_known_ones_in_order(self) -> None:
        """The ids that there are come in the order of their numbers, 2 before 10."""
        [fault] = check_against(self.PLAN, Draft([Wish("1"), Wish("12")]))
        assert fault.path == "todos[1].id"
        assert fault.message == "no todo 12; the plan has 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"

    def test_a_new_todo_may_go_on_with_the_plans_numbers(self) -> None:
        """A model that numbers its new todos itself, on from the last one, means new todos, if they have a text."""
        assert check_against(self.PLAN, Draft([Wish("12", "New"), Wish("13", "Newer"), Wish("99999", "Newest")])) == []
        odd = check_against(self.PLAN, Draft([Wish("100000", "Too large for a number"), Wish("١٢", "Not our digits")]))
        assert [fault.received for fault in odd] == ["100000", "١٢"]
        shorter = self.PLAN._replace(todos=self.PLAN.todos[:5])
        stale = check_against(shorter, Draft([Wish("7", "It was one that is gone"), Wish("x", "No number")]))
        assert [fault.code for fault in stale] == ["unknown_id", "unknown_id"]

    def test_a_result_is_judged_as_a_whole(self) -> None:
        """The list that an update leaves is counted, with the ids of what runs."""
        running = replace(Plan(), Draft([Wish(content=text, status=Status.IN_PROGRESS) for text in "AB"]), 1.0)
        assert check_result(running._replace(todos=running.todos[:1] + self.PLAN.todos[:2]), STRICT, 0) == []
        [fault] = check_result(running, STRICT, 0)
        assert fault.path == "todos"
        assert (fault.code, fault.message) == ("focus", "at most 1 in_progress, received 2: ids 1, 2")
        assert [fault.code for fault in check_result(self.PLAN, STRICT, 0)] == ["too_many"]


class TestFaultsInFull:
    """A host acts on every part of a fault, and a model reads its words."""

    def test_of_a_draft(self) -> None:
        """Number, length, status, focus and ids given twice, each with place, words, limit and what was received."""
        wishes = [
            Wish("1", "123456", Status.COMPLETED, "1234567", "12345678"),
            Wish("1", "B", Status.IN_PROGRESS),
            Wish("2", "C", Status.IN_PROGRESS),
            Wish("3", "D"),
        ]
        assert check(Draft(wishes, merge=True), STRICT, "list") == [
            Fault("list", "at most 3 todos, received 4", "too_many", None, "list", 3, "4"),
            Fault("list[0].content", "at most 5 characters, received 6", "too_long", 0, "content", 5, "6"),
            Fault("list[0].activeForm", "at most 5 characters, received 7", "too_long", 0, "activeForm", 5, "7"),
            Fault("list[0].evidence", "at most 5 characters, received 8", "too_long", 0, "evidence", 5, "8"),
            Fault(
                "list[0].status",
                "expected one of pending, in_progress, received completed",
                "status",
                0,
                "status",
                (Status.PENDING, Status.IN_PROGRESS),
                "completed",
            ),
            Fault("list", "at most 1 in_progress, received 2", "focus", None, "list", 1, "2"),
            Fault("list[1].id", "id 1 is given twice", "duplicate_id", 1, "id", None, "1"),
        ]

    def test_of_details(self) -> None:
        """Texts beyond the ceiling, an unknown priority, and too many ids to wait for."""
        long = "x" * (CEILING_TEXT + 1)
        wish = Wish("1", "A", details=DetailsWish(long, "soon", ("1",) * (CEILING_ITEMS + 1), long, long))
        message, length = f"at most {CEILING_TEXT} characters, received {CEILING_TEXT + 1}", str(CEILING_TEXT + 1)
        ids = f"at most {CEILING_ITEMS} ids, received {CEILING_ITEMS + 1}"
        assert check(Draft([wish]), PLAIN) == [
            *[
                Fault(f"todos[0].{field}", message, "too_long", 0, field, CEILING_TEXT, length)
                for field in ("description", "owner", "metadata")
            ],
            Fault(
                "todos[0].priority",
                "expected one of high, medium, low, received 'soon'",
                "priority",
                0,
                "priority",
                ("high", "medium", "low"),
                "'soon'",
            ),
            Fault("todos[0].blockedBy", ids, "too_many_ids", 0, "blockedBy", CEILING_ITEMS, str(CEILING_ITEMS + 1)),
        ]

    def test_of_details_there_are_none_up_to_the_limits(self) -> None:
        """The longest texts and lists that are allowed, an emptied priority, and details that say nothing."""
        longest = "x" * CEILING_TEXT
        full = DetailsWish(longest, "low", ("1",) * CEILING_ITEMS, longest, longest)
        wishes = [Wish(content="A", details=details) for details in (full, DetailsWish(priority=""), DetailsWish())]
        assert check(Draft(wishes), PLAIN) == []

    def test_an_item_is_not_blamed_for_another(self) -> None:
        """Where one text is too long, those that are just as long as they may be are not named."""
        wishes = [Wish(content="12345", active_form="12345", evidence="12345"), Wish(content="123456")]
        assert [fault.path for fault in check(Draft(wishes), STRICT)] == ["todos[1].content"]

    def test_of_an_update(self) -> None:
        """The fault of an unknown id names the known ones; if there are none, it says what to do."""
        plan = replace(Plan(), Draft([Wish(content=text) for text in "ABC"]), 1.0)
        wishes = Draft([Wish("2"), Wish("9")], merge=True)
        assert check_against(plan, wishes, "list") == [
            Fault("list[1].id", "no todo 9; the plan has 1, 2, 3", "unknown_id", 1, "id", None, "9")
        ]
        first = check_against(Plan(), wishes)[0]
        assert first.message == "no todo 2; there is no plan yet: send todos with content and no id"

    def test_of_an_update_of_a_long_plan(self) -> None:
        """Of many ids, the first fifty are listed, and that there are more."""
        exactly, more = (replace(Plan(), Draft([Wish(content="A")] * count), 1.0) for count in (50, 51))
        unknown = Draft([Wish("999")], merge=True)
        assert check_against(exactly, unknown)[0].message.endswith(", 49, 50")
        assert check_against(more, unknown)[0].message.endswith(", 49, 50, …")

    def test_of_a_result(self) -> None:
        """The list that an update leaves is judged as a whole, and what is in progress is named."""
        plan = replace(Plan(), Draft([Wish(content=text, status=Status.IN_PROGRESS) for text in "ABCD"]), 1.0)
        assert check_result(plan, STRICT, 0, "list") == [
            Fault("list", "at most 3 todos, received 4", "too_many", None, "list", 3, "4"),
            Fault("list", "at most 1 in_progress, received 4: ids 1, 2, 3, 4", "focus", None, "list", 1, "4"),
        ]

    def test_of_a_write_that_may_have_been_kept(self) -> None:
        """Its code is one that hosts know by name: they read the plan before they write again."""
        assert IN_DOUBT == "in_doubt"

    def test_of_no_single_todo(self) -> None:
        """A fault of a whole write has no item, no field, no limit and nothing received."""
        assert Fault("", "m", "c") == ("", "m", "c", None, "", None, "")

    def test_of_rules(self) -> None:
        """An unknown kind of evidence is refused, and the known ones are named."""
        with pytest.raises(UsageError) as caught:
            Rules(evidence="maybe")  # type: ignore[arg-type] # what an unchecked host sends
        assert str(caught.value) == "Rules(evidence=…) is one of none, optional, required, received 'maybe'"


def test_a_proof_is_optional_or_required() -> None:
    """Any other word is refused with those there are."""
    assert Rules(proof="optional").proof == "optional" and Rules(proof="required").proof == "required"
    with pytest.raises(UsageError) as raised:
        Rules(proof="maybe")  # type: ignore[arg-type]  # what the types forbid, and a program may send
    assert str(raised.value) == "Rules(proof=…) is one of optional, required, received 'maybe'"


def test_a_check_that_cannot_be_read_is_a_fault_at_its_place() -> None:
    """With the reason, and what was received."""
    draft = Draft([Wish(content="a"), Wish(content="b", details=DetailsWish(check="file:"))])
    (fault,) = check(draft, PLAIN)
    assert (fault.path, fault.code, fault.item, fault.field) == ("todos[1].check", "check", 1, "check")
    assert fault.received == "'file:'" and fault.message and fault.message in str(parse_error("file:"))


def parse_error(text: str) -> UsageError:
    """Why a check cannot be read."""
    with pytest.raises(UsageError) as raised:
        parse_check(text)
    return raised.value


def test_ids_are_compared_only_in_an_update_of_several() -> None:
    """A whole list has its own rule for that."""
    twice = [Wish(id="1", content="a"), Wish(id="1", content="b")]
    assert [fault.code for fault in check(Draft(twice, merge=True), PLAIN)] == ["duplicate_id"]
    assert check(Draft(twice), PLAIN) == []
    assert check(Draft(twice[:1], merge=True), PLAIN) == []


def test_an_update_of_a_list_that_is_too_long_already_is_no_fault() -> None:
    """It may change what is there, and take away; what it may not is add."""
    rules, plan = Rules(max_items=2).over(PLAIN), Plan(tuple(Todo(str(at), "x") for at in range(3)))
    assert check_result(plan, rules, 3) == check_result(plan, rules, 4) == []
    assert [fault.code for fault in check_result(plan, rules, 2)] == ["too_many"]
