"""What the reader makes of a payload: each wish, and each fault with its place, its words and its code."""

from typing import Any

import pytest

from holdfast import Board, Rules, Status, dialects
from holdfast.dialects.dialect import STATUS_WORDS
from holdfast.dialects.reading.form import Form, Use
from holdfast.dialects.reading.payload import read as read_form
from holdfast.plan import DetailsWish, Draft, Wish
from holdfast.plan.fault import Fault
from holdfast.plan.rules import CEILING_ITEMS, Evidence
from holdfast.plan.rules import PLAIN as PLAIN_RULES

PLAIN = {"content": "A", "status": "pending"}
ACTIVE = {**PLAIN, "activeForm": "Doing A"}
OWN = Form(
    STATUS_WORDS,
    id=Use.OPTIONAL,
    check=Use.OPTIONAL,
    default_status=Status.PENDING,
    partial=True,
    aliases={"text": "content"},
)
"""A form of one's own: an update by id, or new todos."""
CLAUDE_STATUSES = (Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED)


def read(name: str, payload: object, rules: Rules | None = None) -> tuple[Draft, list[Fault]]:
    """What a dialect makes of a payload."""
    dialect = dialects.get(name)
    return (dialect if rules is None else dialect.with_rules(rules)).read(payload)


def read_items(name: str, *items: object, rules: Rules | None = None, **more: object) -> tuple[list[Wish], list[Fault]]:
    """What a dialect makes of a list of items, with this beside it."""
    draft, faults = read(name, {**more, dialects.get(name).form.list_field: list(items)}, rules)
    return list(draft.wishes), faults


def wrong(path: str, item: int | None, field: str, expected: str, received: str) -> Fault:
    """The fault of a value of another type."""
    return Fault(path, f"expected {expected}, received {received}", "type", item, field, expected, received)


def blank(path: str, item: int | None, field: str) -> Fault:
    """The fault of a text with nothing in it."""
    return Fault(path, "must not be blank", "blank", item, field, None, "' '")


def absent(path: str, item: int | None, field: str, limit: object = None) -> Fault:
    """The fault of a field that is not there."""
    return Fault(path, "required", "missing", item, field, limit, "nothing")


def half(path: str, field: str) -> Fault:
    """The fault of a text that nobody can encode."""
    message = "not valid text: half of a surrogate pair"
    return Fault(path, message, "type", 0, field, "text", "a lone surrogate")


@pytest.mark.parametrize(
    ("name", "item", "wish"),
    [
        ("holdfast", PLAIN, Wish(content="A", status=Status.PENDING)),
        ("holdfast", {"content": "é", "status": "pending"}, Wish(content="é", status=Status.PENDING)),
        ("holdfast", {"content": " A ", "status": "Done"}, Wish(content=" A ", status=Status.COMPLETED)),
        ("holdfast", {"content": "A"}, Wish(content="A", status=Status.PENDING)),
        ("holdfast", {"id": "7"}, Wish("7")),
        ("holdfast", {"id": " 7 ", "content": "A"}, Wish("7", "A")),
        ("holdfast", {"id": 7}, Wish("7")),
        ("holdfast", {"id": -7}, Wish("-7")),
        ("holdfast", {"id": "x" * 64}, Wish("x" * 64)),
        ("holdfast", {"id": 10**64 - 1}, Wish("9" * 64)),
        ("holdfast", {**PLAIN, "activeForm": " "}, Wish(None, "A", Status.PENDING, " ")),
        ("holdfast", {**PLAIN, "active_form": "a"}, Wish(None, "A", Status.PENDING, "a")),
        ("holdfast", {**PLAIN, "active_form": "a", "activeForm": "b"}, Wish(None, "A", Status.PENDING, "b")),
        ("claude-code", ACTIVE, Wish(None, "A", Status.PENDING, "Doing A")),
        ("claude-code", {**ACTIVE, "content": "é"}, Wish(None, "é", Status.PENDING, "Doing A")),
        ("claude-code", {**ACTIVE, "activeForm": "é"}, Wish(None, "A", Status.PENDING, "é")),
        ("codex", {"step": "A", "status": "pending"}, Wish(None, "A", Status.PENDING)),
        ("two-state", {"content": " "}, Wish(None, " ", Status.PENDING)),
        ("mini", {**PLAIN, "activeForm": " B ", "content": " A "}, Wish(None, "A", Status.PENDING, "B")),
        ("mini", {**ACTIVE, "status": "PENDING", "x": 1}, Wish(None, "A", Status.PENDING, "Doing A")),
        ("opencode", {**PLAIN, "priority": "high"}, Wish(None, "A", Status.PENDING, details=DetailsWish(None, "high"))),
        ("envelope", {**PLAIN, "id": "7"}, Wish(None, "A", Status.PENDING)),
        ("qwen", {**PLAIN, "id": "7"}, Wish("7", "A", Status.PENDING)),
        (
            "qwen",
            {**PLAIN, "id": "7", "blockedBy": ["2", "2", 3, " 4 "]},
            Wish("7", "A", Status.PENDING, details=DetailsWish(blocked_by=("2", "3", "4"))),
        ),
        (
            "qwen",
            {**PLAIN, "id": "7", "blockedBy": '["2"]'},
            Wish("7", "A", Status.PENDING, details=DetailsWish(blocked_by=("2",))),
        ),
        (
            "qwen",
            {**PLAIN, "id": "7", "blockedBy": ()},
            Wish("7", "A", Status.PENDING, details=DetailsWish(blocked_by=())),
        ),
    ],
)
def test_what_an_item_asks_for(name: str, item: dict[str, object], wish: Wish) -> None:
    """Every field as the dialect takes it: under its own key, or another, trimmed where it trims."""
    assert read_items(name, item, summary="S") == ([wish], [])


@pytest.mark.parametrize(
    ("name", "item", "faults"),
    [
        ("holdfast", 7, [wrong("todos[0]", 0, "", "an object", "the number 7")]),
        ("holdfast", {**PLAIN, "content": 7}, [wrong("todos[0].content", 0, "content", "text", "the number 7")]),
        ("holdfast", {**PLAIN, "content": b"A"}, [wrong("todos[0].content", 0, "content", "text", "a bytes")]),
        ("holdfast", {**PLAIN, "content": " "}, [blank("todos[0].content", 0, "content")]),
        ("holdfast", {**PLAIN, "content": "\ud800"}, [half("todos[0].content", "content")]),
        ("holdfast", {"status": "pending"}, [absent("todos[0].content", 0, "content")]),
        ("holdfast", {**PLAIN, "status": 7}, [wrong("todos[0].status", 0, "status", "text", "the number 7")]),
        ("holdfast", {**PLAIN, "status": ["pending"]}, [wrong("todos[0].status", 0, "status", "text", "a list")]),
        ("claude-code", PLAIN, [absent("todos[0].activeForm", 0, "activeForm")]),
        (
            "claude-code",
            {"content": "A", "activeForm": "B"},
            [absent("todos[0].status", 0, "status", CLAUDE_STATUSES)],
        ),
        (
            "claude-code",
            {**ACTIVE, "activeForm": 7},
            [wrong("todos[0].activeForm", 0, "activeForm", "text", "the number 7")],
        ),
        ("claude-code", {**ACTIVE, "activeForm": " "}, [blank("todos[0].activeForm", 0, "activeForm")]),
        ("claude-code", {**ACTIVE, "activeForm": "\ud800"}, [half("todos[0].activeForm", "activeForm")]),
        ("claude-code", {**ACTIVE, "content": " "}, [blank("todos[0].content", 0, "content")]),
        ("opencode", PLAIN, [absent("todos[0].priority", 0, "priority")]),
        ("opencode", {**PLAIN, "priority": " "}, [blank("todos[0].priority", 0, "priority")]),
        ("opencode", {**PLAIN, "priority": "\ud800"}, [half("todos[0].priority", "priority")]),
        ("codex", {"step": 7, "status": "pending"}, [wrong("plan[0].step", 0, "step", "text", "the number 7")]),
        ("envelope", {**PLAIN, "id": 7}, [wrong("todos[0].id", 0, "id", "text", "the number 7")]),
        ("qwen", PLAIN, [absent("todos[0].id", 0, "id")]),
        ("qwen", {"id": "1", "status": "pending"}, [absent("todos[0].content", 0, "content")]),
        ("holdfast", {"id": True}, [wrong("todos[0].id", 0, "id", "text", "true")]),
        ("holdfast", {"id": None}, [wrong("todos[0].id", 0, "id", "text", "null")]),
        ("holdfast", {"id": 10**64}, [wrong("todos[0].id", 0, "id", "text", "a number")]),
        ("holdfast", {"id": " "}, [blank("todos[0].id", 0, "id")]),
        (
            "holdfast",
            {"id": "a\u3164"},
            [wrong("todos[0].id", 0, "id", "an id of at most 64 plain characters", "'a\ufffd'")],
        ),
        ("holdfast", {"id": "a\nb"}, [wrong("todos[0].id", 0, "id", "an id of at most 64 plain characters", "'a b'")]),
        (
            "holdfast",
            {"id": "x" * 65},
            [wrong("todos[0].id", 0, "id", "an id of at most 64 plain characters", f"'{'x' * 39}…'")],
        ),
        (
            "qwen",
            {**PLAIN, "id": "1", "blockedBy": ["2", True, "", "a\nb"]},
            [
                wrong("todos[0].blockedBy[1]", 0, "blockedBy[1]", "an id", "true"),
                wrong("todos[0].blockedBy[2]", 0, "blockedBy[2]", "an id", "''"),
                wrong("todos[0].blockedBy[3]", 0, "blockedBy[3]", "an id", "'a b'"),
            ],
        ),
        (
            "qwen",
            {**PLAIN, "id": "1", "blockedBy": 7},
            [wrong("todos[0].blockedBy", 0, "blockedBy", "a list of ids", "the number 7")],
        ),
    ],
)
def test_what_is_wrong_with_an_item(name: str, item: object, faults: list[Fault]) -> None:
    """The fault says where it is, what was expected and what came."""
    assert read_items(name, item, summary="S")[1] == faults


def test_ids_in_a_text_that_is_no_json_are_told_as_that_text() -> None:
    """The fault shows what came, where a list of ids was expected."""
    (fault,) = read_items("qwen", {**PLAIN, "id": "1", "blockedBy": "2, 3"})[1]
    assert fault == wrong("todos[0].blockedBy", 0, "blockedBy", "a list of ids", "'2, 3'")


def test_what_is_right_in_a_list_of_ids_is_read() -> None:
    """One bad id does not hide the others."""
    (wish,), faults = read_items("qwen", {**PLAIN, "id": "1", "blockedBy": ["2", True, "3"]})
    assert wish.details == DetailsWish(blocked_by=("2", "3"))
    assert len(faults) == 1


@pytest.mark.parametrize(
    ("description", "partial", "item", "missing"),
    [
        (Use.REQUIRED, False, PLAIN, ["description"]),
        (Use.REQUIRED, False, {**PLAIN, "description": ""}, []),
        (Use.REQUIRED, True, {"id": "1"}, []),
        (Use.REQUIRED, True, {"id": 1}, []),
        (Use.REQUIRED, True, {"content": "A"}, ["description"]),
        (Use.OPTIONAL, False, {"content": "A"}, []),
        (Use.OPTIONAL, False, {"text": "A"}, []),
    ],
)
def test_a_description_is_asked_for_where_a_form_says_so(
    description: Use, partial: bool, item: dict[str, object], missing: list[str]
) -> None:
    """A form of one's own says what an item must have; one that names a todo by its id may leave all else out."""
    own = OWN._replace(description=description, partial=partial)
    assert [fault.field for fault in read_form({"todos": [item]}, own, PLAIN_RULES)[1]] == missing


def test_an_item_with_an_id_may_leave_out_what_is_asked_of_a_new_one() -> None:
    """Of a todo that is there, everything is known."""
    own = Form(STATUS_WORDS, id=Use.OPTIONAL, active_form=Use.REQUIRED, priority=Use.REQUIRED, partial=True)
    for id in ("1", 1):
        assert read_form({"todos": [{"id": id}]}, own, PLAIN_RULES) == (Draft([Wish("1")], merge=True), [])


def test_another_key_or_a_number_for_an_id_reads_like_the_usual_ones() -> None:
    """A new todo is pending. In a list with ids, a status that is not named is left alone."""
    new, known = {"text": "A"}, {"id": 1, "check": "make test"}
    assert read_form({"todos": [new]}, OWN, PLAIN_RULES)[0].wishes == [Wish(content="A", status=Status.PENDING)]
    assert read_form({"todos": [new, known]}, OWN, PLAIN_RULES) == (
        Draft([Wish(content="A"), Wish("1", details=DetailsWish(check="make test"))], merge=True),
        [],
    )


def test_a_summary_that_a_form_does_not_ask_for_may_be_missing() -> None:
    """Also where something else stands beside the list."""
    own = OWN._replace(summary=Use.OPTIONAL, remarks=("why",))
    draft, faults = read_form({"todos": [], "why": "to show it"}, own, PLAIN_RULES)
    assert (draft.summary, faults) == (None, [])


def test_the_second_item_has_the_second_place() -> None:
    """Places are counted from 0, and an item that could not be read leaves its place empty."""
    wishes, faults = read_items("holdfast", 7, PLAIN, {"status": "pending"})
    assert wishes == [Wish(), Wish(content="A", status=Status.PENDING), Wish(status=Status.PENDING)]
    assert [fault.path for fault in faults] == ["todos[0]", "todos[2].content"]


@pytest.mark.parametrize(
    ("name", "item", "path", "key", "keys"),
    [
        ("holdfast", {**PLAIN, "colour": 1}, "todos[0]", "'colour'", ["activeForm", "content", "id", "status"]),
        ("claude-code", {**ACTIVE, "id": "1"}, "todos[0]", "'id'", ["activeForm", "content", "status"]),
        ("codex", {"step": "A", "status": "pending", "content": "A"}, "plan[0]", "'content'", ["status", "step"]),
    ],
)
def test_a_key_that_nobody_knows(name: str, item: object, path: str, key: str, keys: list[str]) -> None:
    """It is named, with those that there are."""
    message = f"unknown key {key}; an item has {', '.join(keys)}"
    assert read_items(name, item)[1] == [Fault(path, message, "unknown_key", 0, key, keys, key)]


class TestStatuses:
    @pytest.mark.parametrize("word", ["Pending", "blocked"])
    def test_a_word_that_the_dialect_does_not_have(self, word: str) -> None:
        """The fault names the known ones, and the unknown one as it came."""
        message = f"expected one of pending, in_progress, completed, received '{word}'"
        fault = Fault("todos[0].status", message, "status", 0, "status", CLAUDE_STATUSES, f"'{word}'")
        assert read_items("claude-code", {**ACTIVE, "status": word})[1] == [fault]

    def test_a_word_in_other_letters_is_told_as_it_came(self) -> None:
        """Also where the case of letters does not matter."""
        (fault,) = read_items("holdfast", {"content": "A", "status": "Sleeping"})[1]
        assert fault.received == "'Sleeping'"

    def test_a_word_that_the_rules_lend(self) -> None:
        """What the rules allow is taken, though the dialect itself has no such word."""
        rules = Rules(statuses=(*CLAUDE_STATUSES, Status.BLOCKED))
        wishes, faults = read_items("claude-code", {**ACTIVE, "status": "blocked"}, rules=rules)
        assert (wishes[0].status, faults) == (Status.BLOCKED, [])

    def test_a_list_with_ids_leaves_a_status_alone_that_it_does_not_name(self) -> None:
        """Of no item, with an id or without; a list without ids begins with what is pending."""
        items = {"id": "1", "content": "A"}, {"content": "B"}, {"content": "C", "status": "completed"}
        assert [wish.status for wish in read_items("hermes", *items)[0]] == [None, None, Status.COMPLETED]
        assert [wish.status for wish in read_items("hermes", *items[1:])[0]] == [Status.PENDING, Status.COMPLETED]

    def test_only_where_ids_name_todos_a_list_with_them_is_an_update(self) -> None:
        """In a dialect of whole lists they only say which todo is which."""
        item = {"id": "1", "content": "A", "status": "pending"}
        merges = {name: read(name, {"todos": [item]})[0].merge for name in ("holdfast", "hermes", "qwen")}
        assert merges == {"holdfast": True, "hermes": False, "qwen": False}


def test_an_id_given_twice_in_a_whole_list() -> None:
    """The second one is at fault, blanks around it or not."""
    fault = Fault("todos[1].id", "id 1 is given twice", "duplicate_id", 1, "id", None, "1")
    assert read_items("qwen", {**PLAIN, "id": "1"}, {**PLAIN, "id": " 1 "})[1] == [fault]


@pytest.mark.parametrize("evidence", ["optional", "required"])
def test_evidence_is_read_where_the_rules_have_it(evidence: Evidence) -> None:
    """It may be blank or missing as far as the reader goes, and must be text."""
    rules = Rules(evidence=evidence)
    for item, found in (
        ({**PLAIN, "evidence": "42 pass"}, "42 pass"),
        ({**PLAIN, "evidence": " "}, " "),
        (PLAIN, None),
    ):
        wishes, faults = read_items("holdfast", item, rules=rules)
        assert (wishes[0].evidence, faults) == (found, [])
    fault = wrong("todos[0].evidence", 0, "evidence", "text", "the number 7")
    assert read_items("holdfast", {**PLAIN, "evidence": 7}, rules=rules)[1] == [fault]


def test_five_hundred_faults_are_kept() -> None:
    """More would help nobody; and no more are made."""
    faults = read_items("two-state", *[{"content": 7, "colour": 1}] * 300)[1]
    assert len(faults) == 500
    assert faults[-1].path == "todos[249].content"
    assert len(read_items("two-state", *[{"content": 7}] * 499)[1]) == 499


class TestTasks:
    """The one dialect whose todos have a description, an owner and metadata."""

    @staticmethod
    def board() -> Board:
        """A board with a task."""
        board = Board(dialect="claude-tasks")
        assert board.write({"subject": "A", "description": "a"}, tool="TaskCreate").ok
        return board

    @pytest.mark.parametrize(
        ("more", "path", "message"),
        [
            ({"description": 7}, "description", "expected text, received the number 7"),
            ({"owner": 7}, "owner", "expected text, received the number 7"),
            ({"metadata": 7}, "metadata", "expected an object, received the number 7"),
            ({"metadata": {"a": {1, 2}}}, "metadata", "expected an object that JSON can hold, received an object"),
            (
                {"metadata": {"a": float("nan")}},
                "metadata",
                "expected an object that JSON can hold, received an object",
            ),
        ],
    )
    def test_what_is_wrong_with_a_detail(self, more: dict[str, Any], path: str, message: str) -> None:
        """The fault has the field's own name, and nothing changes."""
        board = self.board()
        before = board.plan
        reply = board.write({"taskId": "1", **more}, tool="TaskUpdate")
        assert [(fault.path.rpartition(".")[2], fault.message, fault.code) for fault in reply.faults] == [
            (path, message, "type")
        ]
        assert reply.faults[0].field == path
        assert board.plan is before

    def test_details_are_kept_as_they_came(self) -> None:
        """A description may be blank, metadata are compact, and fields that are not given stay."""
        board = self.board()
        assert board.write({"taskId": "1", "metadata": {"a": [1, "é"]}, "owner": "me"}, tool="TaskUpdate").ok
        details = board.plan.todos[0].details
        assert (details.description, details.owner, details.metadata) == ("a", "me", '{"a":[1,"\\u00e9"]}')
        assert board.write({"taskId": "1", "description": " "}, tool="TaskUpdate").ok
        assert board.plan.todos[0].details.description == " "
        assert board.plan.todos[0].details.owner == "me"

    def test_a_description_is_asked_for(self) -> None:
        """A new task must have a description, even if it is blank."""
        board = Board(dialect="claude-tasks")
        (fault,) = board.write({"subject": "A"}, tool="TaskCreate").faults
        assert (fault.code, fault.field) == ("missing", "description")
        assert board.write({"subject": "A", "description": ""}, tool="TaskCreate").ok

    def test_what_cannot_be_a_tasks_number(self) -> None:
        """The fault says what was expected: no id is made of it."""
        board = self.board()
        for id in (True, None, "", " ", "x" * 65, "a\nb", 10**64):
            (fault,) = board.write({"taskId": id, "status": "completed"}, tool="TaskUpdate").faults
            assert (fault.path, fault.code, fault.field, fault.limit) == ("taskId", "type", "taskId", "an id")
        (unknown,) = board.write({"taskId": "x" * 64, "status": "completed"}, tool="TaskUpdate").faults
        assert unknown.code == "unknown_id"
        assert board.write({"taskId": " 1 ", "status": "completed"}, tool="TaskUpdate").ok
        assert board.write({"taskId": 1, "status": "pending"}, tool="TaskUpdate").ok


class TestBesideTheList:
    @pytest.mark.parametrize(
        ("name", "more", "summary", "faults"),
        [
            ("holdfast", {}, None, []),
            ("holdfast", {"summary": " "}, " ", []),
            ("holdfast", {"summary": 7}, None, [wrong("summary", None, "summary", "text", "the number 7")]),
            ("envelope", {"summary": " S "}, "S", []),
            ("envelope", {}, None, [absent("summary", None, "summary")]),
            ("envelope", {"summary": " "}, None, [blank("summary", None, "summary")]),
            ("claude-code", {"summary": 7}, None, []),
            ("codex", {"explanation": ""}, None, []),
            ("codex", {"explanation": 7}, None, [wrong("explanation", None, "explanation", "text", "the number 7")]),
        ],
    )
    def test_texts(self, name: str, more: dict[str, object], summary: str | None, faults: list[Fault]) -> None:
        """A summary where the dialect has one, a remark where it takes one; all else is not looked at."""
        field = dialects.get(name).form.list_field
        draft, found = read(name, {**more, field: []})
        assert (draft.summary, found) == (summary, faults)


NOT_JSON = "not valid JSON: Expecting value: line 1 column 1 (char 0)"


class TestLists:
    @pytest.mark.parametrize(
        ("name", "payload", "fault"),
        [
            ("holdfast", {"todos": 7}, wrong("todos", None, "todos", "a list", "the number 7")),
            ("holdfast", {"todos": '"x"'}, wrong("todos", None, "todos", "a list", "'x'")),
            ("holdfast", {"todos": "x"}, Fault("todos", NOT_JSON, "not_json", None, "todos", None, "'x'")),
            ("holdfast", 7, wrong("", None, "", "an object", "the number 7")),
            ("holdfast", "7", wrong("", None, "", "an object", "the number 7")),
            ("holdfast", "x", Fault("", NOT_JSON, "not_json", None, "", None, "'x'")),
            ("claude-code", [ACTIVE], wrong("", None, "", "an object", "a list")),
            ("roo", {"todos": ["A"]}, wrong("todos", None, "todos", "text, a line a todo", "a list")),
        ],
    )
    def test_what_is_none(self, name: str, payload: object, fault: Fault) -> None:
        """The fault says what came in its place."""
        assert read(name, payload) == (Draft(), [fault])

    @pytest.mark.parametrize(("name", "empty"), [("holdfast", "[]"), ("roo", '""')])
    def test_a_list_that_is_missing(self, name: str, empty: str) -> None:
        """The fault says how a plan is cleared, in case that was meant."""
        message = f"required: the list of todos (todos: {empty} clears the plan)"
        assert read(name, {})[1] == [Fault("todos", message, "missing", None, "todos", None, "nothing")]

    @pytest.mark.parametrize(
        "payload",
        [
            {"todos": [PLAIN]},
            {"todos": (PLAIN,)},
            {"todos": '[{"content": "A", "status": "pending"}]'},
            '{"todos": [{"content": "A", "status": "pending"}]}',
            b'{"todos": [{"content": "A", "status": "pending"}]}',
            bytearray(b'{"todos": [{"content": "A", "status": "pending"}]}'),
            [PLAIN],
            '[{"content": "A", "status": "pending"}]',
        ],
    )
    def test_in_any_wrapping(self, payload: object) -> None:
        """A list is a list, as an object, as a text, as bytes, or with nothing around it."""
        assert read("holdfast", payload) == (Draft([Wish(content="A", status=Status.PENDING)]), [])

    def test_a_list_that_is_a_text(self) -> None:
        """A dialect of texts reads its lines."""
        wishes = read("roo", {"todos": "[ ] A\n[x] B"})[0].wishes
        assert [(wish.content, wish.status) for wish in wishes] == [("A", Status.PENDING), ("B", Status.COMPLETED)]

    def test_no_list_is_longer_than_the_ceiling(self) -> None:
        """More is not read at all, whatever the rules; the fault has the dialect's own limit where that is lower."""
        full = [{"content": "A"}] * CEILING_ITEMS
        assert read("two-state", {"todos": full})[1] == []
        for name, limit in (("two-state", CEILING_ITEMS), ("envelope", 10)):
            draft, faults = read(name, {"summary": "S", "todos": [*full, {"content": "A"}]})
            received = str(CEILING_ITEMS + 1)
            message = f"at most {limit} todos, received {received}"
            assert faults == [Fault("todos", message, "too_many", None, "todos", limit, received)]
            assert draft.wishes == ()

    def test_what_is_wrong_beside_it_is_told_too(self) -> None:
        """A missing summary and a value that is not a list are two faults."""
        assert [fault.path for fault in read("envelope", {"todos": 7})[1]] == ["summary", "todos"]
        assert [fault.path for fault in read("envelope", {"todos": [0] * (CEILING_ITEMS + 1)})[1]] == [
            "summary",
            "todos",
        ]
