"""The `envelope` dialect against seed 000: each case names the rule of SEEDS.md that it proves."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import NO_LIMIT, Board, Change, Notice, Reply, Rules, Status
from holdfast.dialects import get
from holdfast.dialects.envelope import SNIPPET, recap
from holdfast.errors import StoreError
from holdfast.plan import Plan, Todo
from holdfast.stores import Key
from holdfast.stores.memory import MemoryStore

JSON = dict[str, Any]

SEED_DEFINITION: JSON = {
    "name": "TodoWrite",
    "description": "Overwrite the todo list with the current complete list. "
    "Framework persists and returns the updated list and recap.",
    "parameters": {
        "type": "object",
        "properties": {
            "summary": {"type": "string", "description": "Overall task summary (required by the model)."},
            "todos": {
                "type": "array",
                "description": "The full todo list (overwrites existing list).",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "Todo text."},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed", "cancelled"],
                            "description": "Todo status.",
                        },
                        "id": {"type": "string", "description": "Optional todo id (framework may assign/reuse)."},
                    },
                    "required": ["content", "status"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["summary", "todos"],
    },
}
"""Section 3.2 of the seed, word for word."""

EXAMPLE: JSON = {
    "summary": "修复 multi_edit 重叠检测并完善文档",
    "todos": [
        {"content": "修复重叠检测", "status": "in_progress"},
        {"content": "更新文档", "status": "pending"},
        {"content": "性能优化脚本", "status": "cancelled"},
    ],
}
"""Section 5.1 of the seed."""

BLOCK = """--- TODO UPDATE ---
[▶] 修复重叠检测
[ ] 更新文档
[~] 性能优化脚本
-------------------"""

SECOND = "todos[1]"
NOT_GIVEN: Any = object()


def todo(content: object = "A", status: object = "pending", **more: object) -> JSON:
    """An item, right unless told otherwise; a field that is NOT_GIVEN is left out."""
    item = {"content": content, "status": status, **more}
    return {key: value for key, value in item.items() if value is not NOT_GIVEN}


def call(*todos: object, summary: object = "Ship it") -> JSON:
    """A whole payload around some items."""
    return {"summary": summary, "todos": list(todos)}


def a_board(**options: Any) -> Board:
    """An envelope board on which no time passes."""
    return Board("envelope", clock=lambda: 0.0, **options)


def envelope(reply: Reply) -> JSON:
    """The envelope of a reply, the same in its text and in its data."""
    assert reply.data is not None
    assert json.loads(reply.text) == reply.data
    return reply.data


def told(payload: object) -> str:
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


class TestDefinition:
    """What the model is given."""

    def test_the_definition_is_that_of_the_seed(self) -> None:
        """Name, description and every key of the seed's schema are there; only limits are added."""
        ours = a_board().tool("json")
        assert _additions(SEED_DEFINITION, ours) == {
            "parameters.properties.todos.maxItems": 10,
            "parameters.properties.todos.items.properties.content.maxLength": 60,
        }

    @pytest.mark.parametrize(
        ("form", "path"),
        [
            ("anthropic", ("input_schema",)),
            ("openai", ("function", "parameters")),
            ("openai-responses", ("parameters",)),
            ("mcp", ("inputSchema",)),
        ],
    )
    def test_the_schema_is_really_sent_in_full(self, form: str, path: tuple[str, ...]) -> None:
        """Every wire form carries the whole schema, `additionalProperties: false` included."""
        sent: Any = a_board().tool(form)
        for key in path:
            sent = sent[key]
        assert sent == get("envelope").schema
        assert sent["properties"]["todos"]["items"]["additionalProperties"] is False

    def test_the_limits_of_a_host_stand_in_the_schema(self) -> None:
        """What a host changes through `Rules`, the model is told; a limit that is none is not."""
        todos = a_board(rules=Rules(max_items=3, max_content=NO_LIMIT)).tool()["parameters"]["properties"]["todos"]
        assert todos["maxItems"] == 3
        assert "maxLength" not in todos["items"]["properties"]["content"]

    def test_the_prompt_has_the_rules_of_section_9(self) -> None:
        """When, which statuses, when to update, how to send, how to word it, and that changes are written."""
        prompt = a_board().prompt
        heads = [line.split(":")[0] for line in prompt.splitlines()[1:]]
        assert heads == ["- When", "- Statuses", "- Updates", "- Form", "- Wording"]
        for word in ("three or more steps", "at most one in_progress", "cancelled", "complete list", "`summary`"):
            assert word in prompt

    def test_the_seeds_own_snippet_is_an_option(self) -> None:
        """Hosts that want the seed's short text have it, word for word."""
        assert SNIPPET == (
            "Tool: TodoWrite\n"
            "Use this tool only for multi-step tasks. Maintain a single in_progress item.\n"
            "Always submit the full current list. Mark completed immediately, cancelled if no longer needed.\n"
            "Always provide a concise overall summary in `summary`."
        )


class TestSuccess:
    """What a good write gets."""

    def test_the_seeds_example_gets_the_seeds_envelope(self) -> None:
        """The example of section 5.1, with the text of section 7, and nothing beside the allowed keys."""
        assert envelope(a_board().write(EXAMPLE)) == {
            "status": "success",
            "data": {
                "todos": [
                    {"id": "t1", "content": "修复重叠检测", "status": "in_progress"},
                    {"id": "t2", "content": "更新文档", "status": "pending"},
                    {"id": "t3", "content": "性能优化脚本", "status": "cancelled"},
                ],
                "recap": "[1/3] In progress: 修复重叠检测. Pending: 更新文档. Cancelled: 性能优化脚本.",
                "summary": "修复 multi_edit 重叠检测并完善文档",
            },
            "text": BLOCK,
            "stats": {"time_ms": 0, "total": 3, "pending": 1, "in_progress": 1, "completed": 0, "cancelled": 1},
            "context": {"cwd": ".", "params_input": EXAMPLE},
        }

    @pytest.mark.parametrize(
        ("ticks", "milliseconds"),
        [
            pytest.param([0.0, 0.0, 2.0009], 2000, id="whole milliseconds"),
            pytest.param([5.0, 5.0, 4.0], 0, id="at least 0, even when the clock goes back"),
        ],
    )
    def test_time_ms_is_a_whole_number(self, ticks: list[float], milliseconds: int) -> None:
        """`stats.time_ms` is a whole number, at least 0."""
        times = iter(ticks)
        data = envelope(Board("envelope", clock=lambda: next(times)).write(EXAMPLE))
        assert data["stats"]["time_ms"] == milliseconds
        assert type(data["stats"]["time_ms"]) is int

    def test_stats_count_every_status(self) -> None:
        """The total and a count for each of the four statuses, in the seed's order."""
        todos = [todo(f"{status}", status) for status in ("completed", "cancelled", "cancelled", "pending")]
        stats = envelope(a_board().write(call(*todos)))["stats"]
        assert list(stats) == ["time_ms", "total", "pending", "in_progress", "completed", "cancelled"]
        assert list(stats.values()) == [0, 4, 1, 0, 1, 2]

    def test_a_status_that_a_host_adds_is_counted_and_shown(self) -> None:
        """The counts add up to the total, whatever statuses a host allows."""
        board = a_board(rules=Rules(statuses=tuple(Status)))
        data = envelope(board.write(call(todo("A"), todo("B", "blocked"))))
        assert data["stats"] == {
            "time_ms": 0,
            "total": 2,
            "pending": 1,
            "in_progress": 0,
            "completed": 0,
            "cancelled": 0,
            "blocked": 1,
        }
        assert data["text"].splitlines()[1:3] == ["[ ] A", "[!] B"]

    def test_the_json_is_short(self) -> None:
        """Text in other scripts stands as it is: escaped, it would cost the model several times the tokens."""
        assert "修复重叠检测" in a_board().write(EXAMPLE).text

    def test_one_call_replaces_the_whole_list(self) -> None:
        """What the second call does not name is gone."""
        board = a_board()
        board.write(EXAMPLE)
        board.write(call(todo("B")))
        assert [item.content for item in board.plan.todos] == ["B"]

    def test_ids_are_new_at_every_write_by_position(self) -> None:
        """A todo that moves up gets the id of its new place."""
        board = a_board()
        board.write(call(todo("A"), todo("B")))
        data = envelope(board.write(call(todo("B"), todo("C"))))["data"]
        assert [(item["id"], item["content"]) for item in data["todos"]] == [("t1", "B"), ("t2", "C")]

    @pytest.mark.parametrize("id", ["t2", "todo_123", "", "  ", "x" * 1000], ids=repr)
    def test_ids_sent_by_the_model_are_ignored(self, id: str) -> None:
        """Whatever the id says, the list is replaced and counted by position."""
        board = a_board()
        board.write(call(todo("A"), todo("B")))
        data = envelope(board.write(call(todo("C", id=id), todo("D", id=id))))["data"]
        assert [(item["id"], item["content"]) for item in data["todos"]] == [("t1", "C"), ("t2", "D")]

    def test_text_is_stored_trimmed(self) -> None:
        """Blanks around contents and summary are taken off, inside they stay."""
        data = envelope(a_board().write(call(todo("\n  Fix  it\t "), summary="  Ship it \n")))["data"]
        assert data["todos"][0]["content"] == "Fix  it"
        assert data["summary"] == "Ship it"

    @pytest.mark.parametrize(
        "payload",
        [
            pytest.param(call(*(todo(f"step {number}") for number in range(10))), id="10 items"),
            pytest.param(call(todo("字" * 60)), id="60 characters, however many bytes"),
            pytest.param(call(todo("  " + "x" * 60 + "  ")), id="60 characters without the blanks around"),
            pytest.param(call(todo(status="in_progress")), id="one in progress"),
            pytest.param(call(todo(status="completed")), id="none in progress"),
            pytest.param(
                call(todo(), summary="s" * 61),
                id="60 characters are the limit of a content, not of the summary",
            ),
            pytest.param(call(todo("A"), todo("A")), id="the same content twice"),
        ],
    )
    def test_what_is_within_the_limits_is_taken(self, payload: JSON) -> None:
        """The limits themselves are allowed: 10 items, 60 characters, one in progress."""
        assert envelope(a_board().write(payload))["status"] == "success"

    @pytest.mark.parametrize("status", ["pending", "in_progress", "completed", "cancelled"])
    def test_every_status_is_taken(self, status: str) -> None:
        """The four statuses of the seed are all there are."""
        assert a_board().write(call(todo(status=status))).plan.todos[0].status == status

    def test_an_empty_list_clears(self) -> None:
        """`[]` is allowed; the summary that came with it is still echoed."""
        board = a_board()
        board.write(EXAMPLE)
        data = envelope(board.write(call(summary=" Nothing left ")))
        assert board.plan.todos == ()
        assert data["status"] == "success"
        assert data["data"] == {"todos": [], "recap": "[0/0] In progress: None.", "summary": "Nothing left"}
        assert data["text"] == f"--- TODO UPDATE ---\n{'-' * 19}"

    def test_a_list_sent_as_json_text_is_read(self) -> None:
        """Models that send the list as a text are understood."""
        board = a_board()
        board.write({"summary": "S", "todos": json.dumps([todo("A")])})
        assert [item.content for item in board.plan.todos] == ["A"]

    @pytest.mark.parametrize(
        ("status", "mark"),
        [("pending", "[ ]"), ("in_progress", "[▶]"), ("completed", "[✓]"), ("cancelled", "[~]")],
    )
    def test_the_marks_of_the_users_block(self, status: str, mark: str) -> None:
        """Each status has its mark."""
        text = envelope(a_board().write(call(todo("A", status))))["text"]
        assert text == f"--- TODO UPDATE ---\n{mark} A\n-------------------"

    def test_line_breaks_and_control_characters_break_no_line(self) -> None:
        """Such a content is stored as given, and shown on one line that a terminal cannot obey."""
        hostile = "a\nb\r\x1b[2J\u2028\u202ec"
        reply = a_board().write(call(todo(hostile, "in_progress")))
        data = envelope(reply)
        assert data["data"]["todos"][0]["content"] == hostile
        assert data["text"].splitlines()[1] == "[▶] a b ␛[2J \ufffdc"
        assert data["data"]["recap"] == "[0/1] In progress: a b ␛[2J \ufffdc."
        assert reply.text.isprintable()

    def test_a_listeners_notice_stands_under_the_block(self) -> None:
        """What a listener has to say is a line more for the user, and its fields are in `data`."""
        board = a_board()
        board.on_change(lambda change: Notice("(Saved to x)", {"persisted_to": "x"}))
        data = envelope(board.write(EXAMPLE))
        assert data["text"] == f"{BLOCK}\n(Saved to x)"
        assert data["data"]["persisted_to"] == "x"


class TestParamsInput:
    """`context.params_input` is the input exactly as received."""

    @pytest.mark.parametrize(
        "payload",
        [
            pytest.param(EXAMPLE, id="a good call"),
            pytest.param({**EXAMPLE, "why": {"nested": [1, 2.5, None, True]}}, id="with keys that nobody asked for"),
            pytest.param(call(todo("  A  ", id="7")), id="with blanks and ids"),
            pytest.param({"summary": "S", "todos": '[{"content": "A", "status": "pending"}]'}, id="a list as text"),
            pytest.param({"todos": None}, id="a bad call"),
            pytest.param([1, "x"], id="a list"),
            pytest.param(None, id="null"),
            pytest.param(3.5, id="a number"),
            pytest.param("{not json", id="a text that is no JSON"),
            pytest.param('{"todos": [], "todos": []}', id="a JSON text with a key twice"),
            pytest.param("[1, NaN]", id="a text that only looks like JSON"),
            pytest.param({"summary": "\ud83d", "todos": []}, id="half of a surrogate pair"),
        ],
    )
    def test_it_is_what_was_sent(self, payload: object) -> None:
        """Good or bad, whatever JSON can hold comes back unchanged."""
        assert envelope(a_board().write(payload))["context"] == {"cwd": ".", "params_input": payload}

    def test_json_text_comes_back_as_its_value(self) -> None:
        """Arguments that arrive as JSON text, as with OpenAI, are echoed as the object they are."""
        assert envelope(a_board().write(json.dumps(EXAMPLE)))["context"]["params_input"] == EXAMPLE

    def test_any_mapping_comes_back_as_an_object(self) -> None:
        """A host may pass a mapping of its own."""
        data = envelope(a_board().write(MappingProxyType(EXAMPLE)))
        assert data["status"] == "success"
        assert data["context"]["params_input"] == EXAMPLE

    def test_it_does_not_change_when_the_host_changes_the_payload(self) -> None:
        """The reply holds a copy: what a host does to its payload afterwards is not seen in it."""
        payload = call(todo("A"))
        data = envelope(a_board().write(payload))
        payload["todos"][0]["content"] = "changed"
        assert data["context"]["params_input"] == call(todo("A"))

    @pytest.mark.parametrize(
        ("payload", "instead"),
        [
            pytest.param(call(todo(content=b"bytes")), "an object that JSON cannot hold", id="bytes"),
            pytest.param(call(todo(content=float("nan"))), "an object that JSON cannot hold", id="not a number"),
            pytest.param(call(todo(content={1, 2})), "an object that JSON cannot hold", id="a set"),
            pytest.param({("a", "b"): 1}, "an object that JSON cannot hold", id="a key that is no text"),
            pytest.param(b"\xff", "a bytes that JSON cannot hold", id="bytes that are no text"),
            pytest.param(
                {**EXAMPLE, "more": "x" * 100_000}, "more than 100000 characters of JSON", id="more than anybody reads"
            ),
        ],
    )
    def test_what_json_cannot_hold_is_described(self, payload: object, instead: str) -> None:
        """An input that no JSON can hold, or that would bury the model, is named instead of echoed."""
        assert envelope(a_board().write(payload))["context"]["params_input"] == f"not echoed: {instead}"

    def test_a_long_input_is_echoed(self) -> None:
        """The limit is counted in characters, whatever the script, and far above every real list."""
        payload = {**EXAMPLE, "more": "字" * 99_000}
        assert envelope(a_board().write(payload))["context"]["params_input"] == payload

    def test_nesting_of_any_depth_gets_an_envelope(self) -> None:
        """However deep an input is nested, the reply is valid JSON and nothing is raised."""
        deep: object = "bottom"
        for depth in range(1200):
            deep = [deep]
            if depth > 850:  # around the depth at which Python's own writer gives up
                assert envelope(a_board().write({**EXAMPLE, "more": deep}))["status"] == "success"


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
    pytest.param(call(todo(), None), f"{SECOND}: expected an object, received null", id="an item is not null"),
    pytest.param(call(todo(), "B"), f"{SECOND}: expected an object, received 'B'", id="an item is no text"),
    pytest.param(call(todo(), []), f"{SECOND}: expected an object, received a list", id="an item is no list"),
    pytest.param(
        call(todo(), todo(NOT_GIVEN)), f"{SECOND}.content: required, received nothing", id="content is required"
    ),
    pytest.param(
        call(todo(), todo("")), f"{SECOND}.content: must not be blank, received ''", id="content is not empty"
    ),
    pytest.param(
        call(todo(), todo(" \t")), f"{SECOND}.content: must not be blank, received '  '", id="content is not blank"
    ),
    pytest.param(call(todo(), todo(None)), f"{SECOND}.content: expected text, received null", id="content is not null"),
    pytest.param(
        call(todo(), todo(5)), f"{SECOND}.content: expected text, received the number 5", id="content is no number"
    ),
    pytest.param(call(todo(), todo(True)), f"{SECOND}.content: expected text, received true", id="content is not true"),
    pytest.param(
        call(todo(), todo({"a": 1})), f"{SECOND}.content: expected text, received an object", id="content is no object"
    ),
    pytest.param(
        call(todo(), todo("字" * 61)),
        f"{SECOND}.content: at most 60 characters, received 61",
        id="at most 60 characters",
    ),
    pytest.param(
        call(todo(), todo(status=NOT_GIVEN)), f"{SECOND}.status: required, received nothing", id="status is required"
    ),
    pytest.param(
        call(todo(), todo(status="done")),
        f"{SECOND}.status: expected one of pending, in_progress, completed, cancelled, received 'done'",
        id="status is one of four",
    ),
    pytest.param(
        call(todo(), todo(status="PENDING")),
        f"{SECOND}.status: expected one of pending, in_progress, completed, cancelled, received 'PENDING'",
        id="status is in small letters",
    ),
    pytest.param(
        call(todo(), todo(status="blocked")),
        f"{SECOND}.status: expected one of pending, in_progress, completed, cancelled, received 'blocked'",
        id="a status of other dialects is refused",
    ),
    pytest.param(
        call(todo(), todo(status=["pending"])),
        f"{SECOND}.status: expected text, received a list",
        id="status is no list",
    ),
    pytest.param(
        call(todo(), todo(status=None)), f"{SECOND}.status: expected text, received null", id="status is not null"
    ),
    pytest.param(
        call(todo(), todo(extra=1)),
        f"{SECOND}: unknown key 'extra'; an item has content, id, status",
        id="unknown item keys are refused",
    ),
    pytest.param(
        call(todo(), todo(activeForm="Doing")),
        f"{SECOND}: unknown key 'activeForm'; an item has content, id, status",
        id="a key of other dialects is unknown here",
    ),
    pytest.param(
        call(todo(), todo(id=None)), f"{SECOND}.id: expected text, received null", id="an ignored id is not null"
    ),
    pytest.param(
        call(todo(), todo(id=7)), f"{SECOND}.id: expected text, received the number 7", id="an ignored id is text"
    ),
    pytest.param(
        call(todo(status="in_progress"), todo("B", "in_progress")),
        "todos: at most 1 in_progress, received 2",
        id="at most one in progress",
    ),
    pytest.param([], "expected an object, received a list", id="the input is no list"),
    pytest.param(None, "expected an object, received null", id="the input is not null"),
]


@pytest.mark.parametrize(("payload", "message"), FAULTS)
def test_a_fault_is_told_and_changes_nothing(payload: object, message: str) -> None:
    """The message names parameter, index, limit and what was received; the old list stays, nobody is told."""
    assert told(payload) == message


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
        pytest.param(call(todo(), None, todo(5)), "todos[1]: expected an object", id="an item before the next item"),
        pytest.param(call(todo(extra=1), None), "todos[0]: unknown key", id="a whole item before the next item"),
        pytest.param(call(todo(5, "done", extra=1)), "todos[0].content: ", id="content before status"),
        pytest.param(call(todo("", 5)), "todos[0].content: must not be blank", id="content before status's type"),
        pytest.param(call(todo("x" * 61, "done")), "todos[0].content: at most 60", id="length before status"),
        pytest.param(call(todo("x" * 61, extra=1)), "todos[0].content: at most 60", id="length before unknown keys"),
        pytest.param(call(todo(status="done", extra=1)), "todos[0].status: ", id="status before unknown keys"),
        pytest.param(call(todo(b=1, a=2)), "todos[0]: unknown key 'b'", id="unknown keys as they come"),
        pytest.param(
            call(todo(status="in_progress"), todo("B", "in_progress"), todo(extra=1)),
            "todos[2]: unknown key",
            id="the items before the focus",
        ),
    ],
)
def test_the_first_failure_in_the_order_of_checks_is_the_message(payload: object, start: str) -> None:
    """`summary` → `todos` is a list → number of items → each item → number in progress."""
    assert told(payload).startswith(start)


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"summary": "S", "todos": [}'])
def test_a_text_that_is_no_json_is_a_fault(text: str) -> None:
    """A broken JSON text is answered like any other bad input."""
    assert told(text).startswith("not valid JSON: ")


def test_limits_of_a_host_are_in_the_messages() -> None:
    """What `Rules` changes is what is checked and told."""
    board = a_board(rules=Rules(max_items=2, max_content=5, max_in_progress=2))
    many = call(*[todo()] * 3, summary="S")
    long = call(todo("123456"), summary="S")
    busy = call(todo("A", "in_progress"), todo("B", "in_progress"), summary="S")
    assert envelope(board.write(many))["text"] == "todos: at most 2 todos, received 3"
    assert envelope(board.write(long))["text"] == "todos[0].content: at most 5 characters, received 6"
    assert envelope(board.write(busy))["status"] == "success"


class TestRecap:
    """The plan on one short line."""

    @pytest.mark.parametrize(
        ("todos", "expected"),
        [
            pytest.param([], "[0/0] In progress: None.", id="no item"),
            pytest.param(
                [("A", "completed"), ("B", "in_progress"), ("C", "pending")],
                "[1/3] In progress: B. Pending: C.",
                id="completed items are counted, not named",
            ),
            pytest.param(
                [("A", "completed"), ("B", "cancelled")],
                "[2/2] In progress: None. Cancelled: B.",
                id="done is completed and cancelled; None when nothing is in progress",
            ),
            pytest.param(
                [("A", "pending"), ("B", "pending"), ("C", "pending"), ("D", "pending")],
                "[0/4] In progress: None. Pending: A; B; C.",
                id="at most 3 pending",
            ),
            pytest.param(
                [("A", "cancelled"), ("B", "cancelled"), ("C", "cancelled")],
                "[3/3] In progress: None. Cancelled: A; B.",
                id="at most 2 cancelled",
            ),
            pytest.param(
                [("A", "in_progress"), ("B", "in_progress")],
                "[0/2] In progress: A.",
                id="one in progress, where a host allows several",
            ),
            pytest.param([("a\nb", "in_progress")], "[0/1] In progress: a b.", id="on one line"),
        ],
    )
    def test_its_parts(self, todos: list[tuple[str, str]], expected: str) -> None:
        """Counts, then what runs, what is next, what was dropped; absent parts are left out."""
        board = a_board(rules=Rules(max_in_progress=2))
        reply = board.write(call(*(todo(content, status) for content, status in todos)))
        assert envelope(reply)["data"]["recap"] == expected

    def test_ten_long_items_stay_under_300_characters(self) -> None:
        """The longest items that are allowed are shortened with an ellipsis; counts and current item are kept."""
        statuses = ["in_progress", *["pending"] * 4, *["cancelled"] * 3, *["completed"] * 2]
        todos = [todo(f"{number}{'x' * 59}", status) for number, status in enumerate(statuses)]
        text = envelope(a_board().write(call(*todos)))["data"]["recap"]
        assert 280 < len(text) < 300
        assert text.startswith("[5/10] In progress: 0xxx")
        assert text.count("…") == 6
        assert [text.count(f"{number}x") for number in range(10)] == [1, 1, 1, 1, 0, 1, 1, 0, 0, 0]

    def test_short_items_are_not_shortened_for_long_ones(self) -> None:
        """Only what is long loses characters."""
        todos = [todo("Current", "in_progress"), *(todo("y" * 100) for _ in range(3))]
        text = recap(a_board(rules=Rules(max_content=NO_LIMIT)).write(call(*todos)).plan)
        assert text.startswith("[0/4] In progress: Current. Pending: yyy")
        assert 290 < len(text) < 300

    @given(
        st.lists(
            st.tuples(st.text(min_size=1) | st.text("x", min_size=100, max_size=5000), st.sampled_from(list(Status)))
        )
    )
    def test_it_is_always_one_line_under_300_characters(self, items: list[tuple[str, Status]]) -> None:
        """Whatever a plan holds, its counts and its current item are in the recap, on one line, within the limit."""
        plan = Plan(tuple(Todo(str(number), content, status) for number, (content, status) in enumerate(items)))
        text = recap(plan)
        assert len(text) < 300
        assert len(text.splitlines()) == 1
        assert text.startswith(f"[{len(plan.done)}/{len(plan.todos)}] In progress: ")
        if plan.current is not None and plan.current.content.isalnum():
            assert f"In progress: {plan.current.content[:1]}" in text


class Broken(MemoryStore):
    """A store that works until it is told what to raise."""

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


class TestPartial:
    """A person's edit stood in the way of the model's write."""

    def test_the_model_is_told_that_its_write_was_taken_in_part(self) -> None:
        """The person's words win; the envelope is `partial`, says so, and shows the list as it now is."""
        board = a_board()
        board.write(EXAMPLE)
        board.edit("2", content="更新 README")
        data = envelope(board.write(EXAMPLE))
        assert data["status"] == "partial"
        assert [item["content"] for item in data["data"]["todos"]] == ["修复重叠检测", "更新 README", "性能优化脚本"]
        assert "更新 README" in data["data"]["note"]
        assert data["text"].splitlines()[-1] == data["data"]["note"]
        assert "error" not in data

    def test_after_that_the_model_may_change_it(self) -> None:
        """Once told, the model's word counts again, and the envelope is a plain success."""
        board = a_board()
        board.write(EXAMPLE)
        board.edit("2", content="更新 README")
        board.write(EXAMPLE)
        data = envelope(board.write(call(todo("Other"))))
        assert data["status"] == "success"
        assert "note" not in data["data"]
        assert [item["content"] for item in data["data"]["todos"]] == ["Other"]


class TestSnapshots:
    """Every text of this dialect that a model or a person reads."""

    def test_definition(self, snapshot: Callable[[str, str], None]) -> None:
        """The tool definition as the model gets it."""
        snapshot("envelope-definition.json", _pretty(a_board().tool("json")))

    def test_prompt(self, snapshot: Callable[[str, str], None]) -> None:
        """The text for the system prompt."""
        snapshot("envelope-prompt.txt", a_board().prompt)

    def test_snippet(self, snapshot: Callable[[str, str], None]) -> None:
        """The seed's short text for the system prompt."""
        snapshot("envelope-snippet.txt", SNIPPET)

    def test_replies(self, snapshot: Callable[[str, str], None]) -> None:
        """A success, an error, a partial success and a cleared list."""
        board = a_board()
        replies = {"success": board.write(EXAMPLE), "error": board.write(call(todo(status="done")))}
        board.edit("2", status="completed")
        replies |= {"partial": board.write(EXAMPLE), "cleared": board.write(call())}
        snapshot("envelope-replies.json", _pretty({name: envelope(reply) for name, reply in replies.items()}))


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _additions(seed: Mapping[str, Any], ours: Mapping[str, Any], path: str = "") -> JSON:
    """What ours has beyond the seed; anything of the seed that ours lacks or changes fails."""
    assert seed.keys() <= ours.keys(), path
    added = {f"{path}{key}": ours[key] for key in ours if key not in seed}
    for key, value in seed.items():
        if isinstance(value, dict):
            added |= _additions(value, ours[key], f"{path}{key}.")
        else:
            assert ours[key] == value, f"{path}{key}"
    return added
