"""What the `envelope` dialect refuses, in which words and in which order; and what goes wrong inside."""

import pytest
from envelope_calls import EXAMPLE, NOT_GIVEN, a_board, call, envelope, todo

from holdfast import Change, Rules
from holdfast.errors import StoreError
from holdfast.plan import Plan
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore


def refusal_message(payload: object) -> str:
    """The message that a bad payload gets, with everything checked that holds for each of them."""
    board = a_board()
    board.write(EXAMPLE)
    before, heard = board.plan, list[Change]()
    board.on_change(heard.append)
    reply = board.write(payload)
    data = envelope(reply)
    message = data["text"]
    assert data == {
        "status": "error",
        "data": {},
        "text": message,
        "stats": {"time_ms": 0},
        "context": {"cwd": ".", "params_input": payload},
        "error": {"code": "INVALID_PARAM", "message": message},
    }
    assert not reply.ok
    assert [(fault.code, fault.message) for fault in reply.faults] == [("INVALID_PARAM", message)]
    assert board.plan is before
    assert heard == []
    assert message
    assert "None" not in message
    return str(message)


FAULTS = [
    pytest.param({"todos": []}, "summary: required, received nothing", id="summary is required"),
    pytest.param(call(summary=""), "summary: must not be blank, received ''", id="summary is not empty"),
    pytest.param(call(summary=" \n"), "summary: must not be blank, received '  '", id="summary is not blank"),
    pytest.param(call(summary=None), "summary: expected text, received null", id="summary is not null"),
    pytest.param(call(summary=5), "summary: expected text, received the number 5", id="summary is text"),
    pytest.param(call(summary=["S"]), "summary: expected text, received a list", id="summary is no list"),
    pytest.param(
        {"summary": "S"},
        "todos: required: the list of todos (todos: [] clears the plan), received nothing",
        id="a missing list is an error, never a wipe",
    ),
    pytest.param({**call(), "todos": None}, "todos: expected a list, received null", id="todos is not null"),
    pytest.param({**call(), "todos": {}}, "todos: expected a list, received an object", id="todos is no object"),
    pytest.param({**call(), "todos": 3}, "todos: expected a list, received the number 3", id="todos is no number"),
    pytest.param(
        call(*(todo(f"step {number}") for number in range(11))),
        "todos: at most 10 todos, received 11",
        id="at most 10 items",
    ),
    pytest.param(
        call(todo(status="in_progress"), todo("B", "in_progress")),
        "todos: at most 1 in_progress, received 2",
        id="at most one in progress",
    ),
    pytest.param([], "expected an object, received a list", id="the input is no list"),
    pytest.param(None, "expected an object, received null", id="the input is not null"),
]

ITEM_FAULTS = [
    pytest.param(None, ": expected an object, received null", id="an item is not null"),
    pytest.param("B", ": expected an object, received 'B'", id="an item is no text"),
    pytest.param([], ": expected an object, received a list", id="an item is no list"),
    pytest.param(todo(NOT_GIVEN), ".content: required, received nothing", id="content is required"),
    pytest.param(todo(""), ".content: must not be blank, received ''", id="content is not empty"),
    pytest.param(todo(" \t"), ".content: must not be blank, received '  '", id="content is not blank"),
    pytest.param(todo(None), ".content: expected text, received null", id="content is not null"),
    pytest.param(todo(5), ".content: expected text, received the number 5", id="content is no number"),
    pytest.param(todo(True), ".content: expected text, received true", id="content is not true"),
    pytest.param(todo({"a": 1}), ".content: expected text, received an object", id="content is no object"),
    pytest.param(todo("字" * 61), ".content: at most 60 characters, received 61", id="at most 60 characters"),
    pytest.param(todo(status=NOT_GIVEN), ".status: required, received nothing", id="status is required"),
    pytest.param(
        todo(status="done"),
        ".status: expected one of pending, in_progress, completed, cancelled, received 'done'",
        id="status is one of four",
    ),
    pytest.param(
        todo(status="PENDING"),
        ".status: expected one of pending, in_progress, completed, cancelled, received 'PENDING'",
        id="status is in small letters",
    ),
    pytest.param(
        todo(status="blocked"),
        ".status: expected one of pending, in_progress, completed, cancelled, received 'blocked'",
        id="a status of other dialects is refused",
    ),
    pytest.param(todo(status=["pending"]), ".status: expected text, received a list", id="status is no list"),
    pytest.param(todo(status=None), ".status: expected text, received null", id="status is not null"),
    pytest.param(
        todo(extra=1), ": unknown key 'extra'; an item has content, id, status", id="unknown item keys are refused"
    ),
    pytest.param(
        todo(activeForm="Doing"),
        ": unknown key 'activeForm'; an item has content, id, status",
        id="a key of other dialects is unknown here",
    ),
    pytest.param(todo(id=None), ".id: expected text, received null", id="an ignored id is not null"),
    pytest.param(todo(id=7), ".id: expected text, received the number 7", id="an ignored id is text"),
]


@pytest.mark.parametrize(("payload", "message"), FAULTS)
def test_a_fault_is_told_and_changes_nothing(payload: object, message: str) -> None:
    """The message names parameter, index, limit and what was received; the old list stays, no listener is called."""
    assert refusal_message(payload) == message


@pytest.mark.parametrize(("item", "message"), ITEM_FAULTS)
def test_a_fault_of_an_item_names_its_place(item: object, message: str) -> None:
    """A fault of the second of two items is reported with its path and its index, as the design's own tests want it."""
    field, _, words = message.partition(": ")
    assert refusal_message(call(todo(), item)) == f"todos[1]{field} (index 1): {words}"


@pytest.mark.parametrize(
    ("payload", "start"),
    [
        pytest.param({"todos": None}, "summary: ", id="summary before the list"),
        pytest.param(call(*[None] * 11, summary=None), "summary: ", id="summary before the number of items"),
        pytest.param(call(todo(5), summary=None), "summary: ", id="summary before the items"),
        pytest.param(call(*[None] * 11), "todos: at most 10 todos", id="number of items before the items"),
        pytest.param(
            call(*[todo(status="in_progress")] * 11), "todos: at most 10 todos", id="number of items before the focus"
        ),
        pytest.param(
            call(todo(), None, todo(5)), "todos[1] (index 1): expected an object", id="an item before the next item"
        ),
        pytest.param(
            call(todo(extra=1), None), "todos[0] (index 0): unknown key", id="a whole item before the next item"
        ),
        pytest.param(call(todo(5, "done", extra=1)), "todos[0].content (index 0): ", id="content before status"),
        pytest.param(
            call(todo("", 5)), "todos[0].content (index 0): must not be blank", id="content before status's type"
        ),
        pytest.param(call(todo("x" * 61, "done")), "todos[0].content (index 0): at most 60", id="length before status"),
        pytest.param(
            call(todo("x" * 61, extra=1)), "todos[0].content (index 0): at most 60", id="length before unknown keys"
        ),
        pytest.param(
            call(todo(status="done", extra=1)), "todos[0].status (index 0): ", id="status before unknown keys"
        ),
        pytest.param(call(todo(b=1, a=2)), "todos[0] (index 0): unknown key 'b'", id="unknown keys as they come"),
        pytest.param(
            call(todo(status="in_progress"), todo("B", "in_progress"), todo(extra=1)),
            "todos[2] (index 2): unknown key",
            id="the items before the focus",
        ),
    ],
)
def test_the_first_failure_in_the_order_of_checks_is_the_message(payload: object, start: str) -> None:
    """`summary` → `todos` is a list → number of items → each item → number in progress."""
    assert refusal_message(payload).startswith(start)


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"summary": "S", "todos": [}'])
def test_a_text_that_is_no_json_is_a_fault(text: str) -> None:
    """A broken JSON text is answered like any other bad input."""
    assert refusal_message(text).startswith("not valid JSON: ")


def test_limits_of_a_host_are_in_the_messages() -> None:
    """The rules that `Rules` changes are checked and named in messages."""
    board = a_board(rules=Rules(max_items=2, max_content=5, max_in_progress=2))
    many = call(*[todo()] * 3, summary="S")
    long = call(todo("123456"), summary="S")
    busy = call(todo("A", "in_progress"), todo("B", "in_progress"), summary="S")
    assert envelope(board.write(many))["text"] == "todos: at most 2 todos, received 3"
    assert envelope(board.write(long))["text"] == "todos[0].content (index 0): at most 5 characters, received 6"
    assert envelope(board.write(busy))["status"] == "success"


class Broken(MemoryStore):
    """A store that works until it gets an error to raise."""

    def __init__(self) -> None:
        super().__init__()
        self.on_load: Exception | None = None
        self.on_commit: Exception | None = None

    def load(self, key: Key) -> Plan:
        """The plan, or the trouble."""
        if self.on_load is not None:
            raise self.on_load
        return super().load(key)

    def commit(self, key: Key, change: Change) -> None:
        """Keep a change, or raise the trouble."""
        if self.on_commit is not None:
            raise self.on_commit
        super().commit(key, change)


@pytest.mark.parametrize(
    ("verb", "trouble"),
    [
        pytest.param("on_load", StoreError("the disk is full"), id="a store that cannot be read"),
        pytest.param("on_commit", StoreError("the disk is full"), id="a store that cannot be written"),
        pytest.param(
            "on_load",
            RuntimeError("the disk is\nfull"),
            id="anything else while reading",
        ),
        pytest.param("on_commit", RuntimeError("the disk is\nfull"), id="anything else while writing"),
    ],
)
def test_anything_unexpected_is_an_internal_error(
    verb: str, trouble: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """What goes wrong inside is an envelope too, with the code INTERNAL_ERROR; the plan is as it was."""
    store = Broken()
    board = a_board(store=store)
    board.write(EXAMPLE)
    before = board.plan
    setattr(store, verb, trouble)
    data = envelope(board.write(call(todo("B"))))
    setattr(store, verb, None)
    assert (data["status"], data["data"], data["stats"]) == ("error", {}, {"time_ms": 0})
    assert data["error"] == {"code": "INTERNAL_ERROR", "message": data["text"]}
    assert "the disk is full" in data["text"]
    assert data["context"] == {"cwd": ".", "params_input": call(todo("B"))}
    assert board.plan == before


def test_a_listener_that_fails_does_not_undo_the_write(caplog: pytest.LogCaptureFixture) -> None:
    """The write stands and is a success; the failure is logged."""

    def broken(change: Change) -> None:
        raise RuntimeError("no screen")

    board = a_board()
    board.on_change(broken)
    assert envelope(board.write(EXAMPLE))["status"] == "success"
    assert len(board.plan.todos) == 3
    assert "no screen" in caplog.text
