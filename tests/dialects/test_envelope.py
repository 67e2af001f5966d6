"""The `envelope` dialect against its contract: each case names the rule that it proves."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from envelope_calls import BLOCK, EXAMPLE, JSON, a_board, call, envelope, todo

from holdfast import NO_LIMIT, Board, Notice, Rules, Status
from holdfast.dialects import WireForm, get
from holdfast.dialects.envelope import SNIPPET

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
"""Section 3.2 of the contract, word for word."""


class TestDefinition:
    """What the model is given."""

    def test_the_definition_is_that_of_the_contract(self) -> None:
        """Name, description and every key of the contract's schema are there; only limits are added."""
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
    def test_the_schema_is_really_sent_in_full(self, form: WireForm, path: tuple[str, ...]) -> None:
        """Every wire form carries the whole schema, `additionalProperties: false` included."""
        sent: Any = a_board().tool(form)
        for key in path:
            sent = sent[key]
        assert sent == get("envelope").schema
        assert sent["properties"]["todos"]["items"]["additionalProperties"] is False

    def test_the_limits_of_a_host_stand_in_the_schema(self) -> None:
        """What a host changes through `Rules`, the model is told; without a limit, nothing is said."""
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

    def test_the_short_prompt_is_an_option(self) -> None:
        """Hosts that want the contract's short text have it, word for word."""
        assert SNIPPET == (
            "Tool: TodoWrite\n"
            "Use this tool only for multi-step tasks. Maintain a single in_progress item.\n"
            "Always submit the full current list. Mark completed immediately, cancelled if no longer needed.\n"
            "Always provide a concise overall summary in `summary`."
        )


class TestSuccess:
    """What a good write gets."""

    def test_the_example_gets_the_envelope_of_the_contract(self) -> None:
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
        data = envelope(Board(dialect="envelope", clock=lambda: next(times)).write(EXAMPLE))
        assert data["stats"]["time_ms"] == milliseconds
        assert type(data["stats"]["time_ms"]) is int

    def test_stats_count_every_status(self) -> None:
        """The total and a count for each of the four statuses, in the contract's order."""
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
        """The four statuses of the contract are all there are."""
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
        """Once the model was told, its write counts again, and the envelope is a plain success."""
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
        """The contract's short text for the system prompt."""
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
    """What our schema has beyond the contract; anything of the contract that ours lacks or changes fails."""
    assert seed.keys() <= ours.keys(), path
    added = {f"{path}{key}": ours[key] for key in ours if key not in seed}
    for key, value in seed.items():
        if isinstance(value, dict):
            added |= _additions(value, ours[key], f"{path}{key}.")
        else:
            assert ours[key] == value, f"{path}{key}"
    return added
