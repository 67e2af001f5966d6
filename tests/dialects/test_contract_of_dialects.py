"""What is true of every dialect: one suite, run on all of them."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import LISTS, call, few_texts, hostile_texts, obeyed, statuses

from holdfast import Board, Change, Plan, Rules, Status, Todo, dialects
from holdfast.dialects import WIRE_FORMS, Dialect, DialectName, WireForm

every_dialect = pytest.mark.parametrize("name", LISTS)

WRONG_VALUES: list[Any] = [None, 7, 1.5, True, [], {}, ["pending"], {"content": "A"}]


def board_of(name: DialectName, **rules: Any) -> Board:
    """A board with two todos on it, that a listener is listening to."""
    board = Board(dialect=name, rules=Rules(**rules), clock=lambda: 1.0)
    assert board.write(call(board.dialect, ("A", "pending"), ("B", "completed"))).ok
    return board


def refuses(board: Board, payload: object) -> list[str]:
    """The messages of a payload that is refused, after a check that nothing else happened."""
    before, heard = board.plan, list[Change]()
    unsubscribe = board.on_change(heard.append)
    reply = board.write(payload)
    unsubscribe()
    assert not reply.ok and reply.faults, f"{payload!r} was accepted"
    assert board.plan is before and reply.plan is before
    assert heard == []
    return [f"{fault.path}: {fault.message}" for fault in reply.faults]


@every_dialect
class TestWrites:
    def test_the_whole_list_replaces_the_old_one(self, name: DialectName) -> None:
        """One call carries the whole list: what it leaves out is gone, what it says again keeps its id."""
        board = board_of(name)
        first, second = (todo.id for todo in board.plan.todos)
        assert board.write(call(board.dialect, ("C", "pending"), ("A", "completed"))).ok
        new, old = board.plan.todos
        assert (new.content, str(new.status)) == ("C", "pending") and new.id not in (first, second)
        assert (old.id, old.content, str(old.status)) == (first, "A", "completed")

    def test_an_empty_list_clears(self, name: DialectName) -> None:
        """An empty list is allowed, and takes every todo off the plan."""
        board = board_of(name)
        assert board.write(call(board.dialect)).ok
        assert board.plan.todos == ()

    def test_a_missing_list_is_a_fault_or_a_look(self, name: DialectName) -> None:
        """No list is not an empty list: it is a fault, or where the dialect says so, it asks for the list."""
        board = board_of(name)
        payload, before = call(board.dialect), board.plan
        del payload[board.dialect.form.list_field]
        if board.dialect.form.absent_reads:
            reply = board.write(payload)
            assert reply.ok and "A" in reply.text and "B" in reply.text and board.plan is before
        else:
            assert board.dialect.form.list_field in refuses(board, payload)[0]

    def test_blank_content_is_refused(self, name: DialectName) -> None:
        """A todo must not be blank; only two-state takes it as it is."""
        board = board_of(name)
        for blank in ("", " ", "\n\t", "\u3000"):
            payload = call(board.dialect, ("A", "pending"), (blank, "pending"))
            if name == "two-state":
                assert board.write(payload).ok
                assert board.plan.todos[1].content == blank
            else:
                refuses(board, payload)

    def test_an_unknown_status_is_refused(self, name: DialectName) -> None:
        """A word that means no status is a fault that shows it, quoted."""
        board = board_of(name)
        assert "'sleeping'" in refuses(board, call(board.dialect, ("A", "sleeping")))[0]

    def test_two_in_progress_are_refused(self, name: DialectName) -> None:
        """At most one todo is in progress, but where the dialect wants several; two-state has no such status at all."""
        board = board_of(name)
        two = call(board.dialect, ("A", "in_progress"), ("B", "in_progress"))
        if name in ("langchain", "kimi", "hermes"):
            assert board.write(two).ok
        else:
            refuses(board, two)
        assert board.write(call(board.dialect, ("A", "in_progress"))).ok == (name != "two-state")

    def test_a_json_text_is_read(self, name: DialectName) -> None:
        """The payload, and the list in it, may come as JSON text."""
        board = board_of(name)
        payload = call(board.dialect, ("X", "pending"))
        field = board.dialect.form.list_field
        for wrapped in (json.dumps(payload), {**payload, field: json.dumps(payload[field])}):
            board.write(call(board.dialect))
            assert board.write(wrapped).ok
            assert [todo.content for todo in board.plan.todos] == ["X"]


def item_schema(dialect: Dialect) -> Any:
    """The schema of one item."""
    return dialect.schema["properties"][dialect.form.list_field]["items"]


def text_places() -> Iterator[tuple[str, str]]:
    """Every place in every dialect where nothing but a text belongs."""
    for name in LISTS:
        dialect = dialects.get(name)
        around, items = dialect.schema["properties"], item_schema(dialect)["properties"]
        yield from ((name, field) for field in around if around[field]["type"] == "string")
        yield from ((name, f"item.{field}") for field in items if items[field]["type"] == "string")


def is_clear(messages: list[str]) -> bool:
    """Whether messages are fit for a person and for a model: they never show how Python writes a value or a type."""
    pythonic = ("None", "<class", "dict", "True", "object at 0x")
    return all(message.strip() and not any(word in message for word in pythonic) for message in messages)


class TestWrongTypes:
    @every_dialect
    @pytest.mark.parametrize("value", WRONG_VALUES, ids=repr)
    def test_in_place_of_the_payload(self, name: DialectName, value: object) -> None:
        """A payload of another form is a fault; only the default takes a bare list, and some a call for a look."""
        board = board_of(name)
        if (name == "holdfast" and value == []) or board.dialect.is_look(value):
            assert board.write(value).ok
        else:
            assert is_clear(refuses(board, value))

    @every_dialect
    @pytest.mark.parametrize("value", [value for value in WRONG_VALUES if not isinstance(value, list)], ids=repr)
    def test_in_place_of_the_list(self, name: DialectName, value: object) -> None:
        """A value that is not a list is a fault."""
        board, before = board_of(name), board_of(name).plan
        payload = {**call(board.dialect), board.dialect.form.list_field: value}
        if board.dialect.is_look(payload):
            assert board.write(payload).ok and board.plan == before
        else:
            assert is_clear(refuses(board, payload))

    @every_dialect
    @pytest.mark.parametrize("value", [None, 7, 1.5, True, [], "A", ["A"]], ids=repr)
    def test_in_place_of_an_item(self, name: DialectName, value: object) -> None:
        """An item that is no object is a fault."""
        board = board_of(name)
        payload = call(board.dialect, ("A", "pending"))
        payload[board.dialect.form.list_field].append(value)
        assert is_clear(refuses(board, payload))

    @pytest.mark.parametrize(("name", "place"), list(text_places()))
    @pytest.mark.parametrize("value", WRONG_VALUES, ids=repr)
    def test_in_place_of_a_text(self, name: DialectName, place: str, value: object) -> None:
        """A number as content, a list as status, null for anything: each is a fault with its place."""
        board = board_of(name)
        payload = call(board.dialect, ("A", "pending"))
        field = place.removeprefix("item.")
        (payload if field == place else payload[board.dialect.form.list_field][0])[field] = value
        form = board.dialect.form
        if (form.keeps_ids or form.partial) and field == "id" and value == 7:  # a number names a todo, too
            assert board.write(payload).ok
            return
        messages = refuses(board, payload)
        assert is_clear(messages)
        assert field in messages[0]


@every_dialect
class TestRendering:
    @given(
        todos=st.lists(st.tuples(hostile_texts | few_texts, statuses, st.just("") | hostile_texts), max_size=4),
        summary=hostile_texts,
    )
    def test_no_text_breaks_its_line(self, name: str, todos: list[tuple[str, Status, str]], summary: str) -> None:
        """Rendering any plan, no control character gets through, and there are as many lines as without them."""
        dialect = dialects.get(name)
        hostile = [Todo(str(id), *todo) for id, todo in enumerate(todos, 1)]
        tame = [todo._replace(content="x", active_form="y" * bool(todo.active_form)) for todo in hostile]
        shown = dialect.render(Plan(tuple(hostile), summary))
        assert obeyed(shown) <= {"\n"}
        assert shown.count("\n") == dialect.render(Plan(tuple(tame), "s")).count("\n")

    @given(text=hostile_texts.filter(str.strip))
    def test_no_text_breaks_a_reply(self, name: DialectName, text: str) -> None:
        """A reply has as many lines whatever the todos say, and no control character gets through to the model."""
        board = Board(dialect=name)
        tame = board.write(call(board.dialect, ("x", "completed"), ("x", "pending")))
        board.write(call(board.dialect))
        reply = board.write(call(board.dialect, (text, "completed"), (text, "pending")))
        assert reply.ok
        assert obeyed(reply.text) <= {"\n"}
        assert reply.text.count("\n") == tame.text.count("\n")

    @given(text=hostile_texts)
    def test_no_text_breaks_a_message(self, name: DialectName, text: str) -> None:
        """Text of the payload that a fault quotes is on its line, and harmless."""
        board = Board(dialect=name)
        payload = call(board.dialect, ("A", f"not {text}"))
        payload[board.dialect.form.list_field][0][f"key {text}"] = 1
        reply = board.write(payload)
        assert not reply.ok
        assert all(not obeyed(fault.message) for fault in reply.faults)
        assert obeyed(reply.text) <= {"\n"}

    def test_what_is_stored_is_what_was_given(self, name: DialectName) -> None:
        """Line breaks and control characters inside a text are stored as they came."""
        board = Board(dialect=name)
        board.write(call(board.dialect, ("A\nB\x1b[2J\u202eC", "pending")))
        assert board.plan.todos[0].content == "A\nB\x1b[2J\u202eC"


def schema_in(tool: dict[str, Any], form: str) -> Any:
    """The input schema, at the place where a provider looks for it."""
    match form:
        case "anthropic":
            return tool["input_schema"]
        case "mcp":
            return tool["inputSchema"]
        case "openai":
            return tool["function"]["parameters"]
        case _:
            return tool["parameters"]


@every_dialect
class TestTheDefinition:
    @pytest.mark.parametrize("form", WIRE_FORMS)
    def test_its_schema_is_valid(self, name: DialectName, form: WireForm) -> None:
        """In every wire form there is a valid JSON Schema of an object, where the provider looks for it."""
        schema = schema_in(Board(dialect=name).tool(form), form)
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object" and bool(schema.get("required")) != dialects.get(name).form.absent_reads
        assert schema == dialects.get(name).schema

    def test_its_shapes(self, name: DialectName) -> None:
        """Each wire form has exactly the keys that its provider takes."""
        board = Board(dialect=name)
        assert set(board.tool("anthropic")) == {"name", "description", "input_schema"}
        assert set(board.tool("openai")) == {"type", "function"}
        assert set(board.tool("openai")["function"]) == {"name", "description", "parameters"}
        assert set(board.tool("openai-responses")) == {"type", "name", "description", "parameters", "strict"}
        assert set(board.tool("mcp")) == {"name", "description", "inputSchema", "annotations"}
        assert set(board.tool("json")) == {"name", "description", "parameters"}
        assert board.tool("openai")["type"] == board.tool("openai-responses")["type"] == "function"
        assert board.tool() == board.tool("json")

    @pytest.mark.parametrize("form", WIRE_FORMS)
    def test_its_name_is_one_that_providers_take(self, name: DialectName, form: WireForm) -> None:
        """A tool's name has only letters, digits, dashes and underscores, and its description says something."""
        tool = Board(dialect=name).tool(form)
        tool = tool.get("function", tool)
        assert tool["name"].replace("_", "").replace("-", "").isalnum() and len(tool["name"]) <= 64
        assert tool["description"].strip()

    def test_it_never_changes(self, name: DialectName) -> None:
        """Definition and prompt are the same bytes before and after many writes and edits, so prompt caches hold."""
        board = Board(dialect=name)
        before = [json.dumps(board.tool(form)) for form in WIRE_FORMS], board.prompt
        for number in range(30):
            board.write(call(board.dialect, (f"todo {number}", "pending"), ("done", "completed")))
            board.add("more")
            board.write({"nonsense": number})
        assert ([json.dumps(board.tool(form)) for form in WIRE_FORMS], board.prompt) == before

    @pytest.mark.parametrize("form", WIRE_FORMS)
    def test_it_is_the_callers_to_change(self, name: DialectName, form: WireForm) -> None:
        """What a host does to a definition shows neither in the next one nor in what is accepted."""
        board = Board(dialect=name)
        before = copy.deepcopy(board.tool(form))
        tool = board.tool(form)
        schema_in(tool, form)["properties"].clear()
        schema_in(tool, form)["required"].append("nonsense")
        tool.clear()
        assert board.tool(form) == before
        assert Board(dialect=name).tool(form) == before

    def test_a_prompt_says_something(self, name: str) -> None:
        """There is a text for the system prompt, and it names the tool."""
        dialect = dialects.get(name)
        assert dialect.tool_name in dialect.prompt


@every_dialect
class TestRulesOfTheHost:
    def test_a_number_of_items(self, name: DialectName) -> None:
        """`max_items` stands in the schema, and one more is refused."""
        board = board_of(name, max_items=2)
        assert board.dialect.schema["properties"][board.dialect.form.list_field]["maxItems"] == 2
        assert board.write(call(board.dialect, ("A", "pending"), ("B", "pending"))).ok
        assert "2" in refuses(board, call(board.dialect, *[("A", "pending")] * 3))[0]

    def test_a_length_of_texts(self, name: DialectName) -> None:
        """`max_content` stands in the schema, and one character more is refused."""
        board = board_of(name, max_content=10)
        parts = item_schema(board.dialect)["properties"]
        texts = [part for field, part in parts.items() if "maxLength" in part and field != "id"]
        assert [part["maxLength"] for part in texts] == [10] * len(texts) and texts
        assert board.write(call(board.dialect, ("x" * 6, "pending"))).ok
        assert "10" in refuses(board, call(board.dialect, ("x" * 11, "pending")))[0]

    def test_more_statuses(self, name: DialectName) -> None:
        """`statuses` stand in the schema, and every one of them is taken, also those that the dialect has not."""
        board = board_of(name, statuses=tuple(Status))
        assert item_schema(board.dialect)["properties"]["status"]["enum"] == list(board.dialect.form.words.values())
        assert board.write(call(board.dialect, *[(f"todo {status}", str(status)) for status in Status])).ok
        assert [todo.status for todo in board.plan.todos] == list(Status)
        assert obeyed(board.dialect.render(board.plan)) <= {"\n"}

    def test_fewer_statuses(self, name: DialectName) -> None:
        """A status that the host takes away is gone from the schema, and refused."""
        board = board_of(name, statuses=(Status.PENDING, Status.COMPLETED))
        words = board.dialect.form.words
        assert item_schema(board.dialect)["properties"]["status"]["enum"] == ["pending", words[Status.COMPLETED]]
        refuses(board, call(board.dialect, ("A", "in_progress")))

    def test_several_in_progress(self, name: DialectName) -> None:
        """`max_in_progress` is the number that may run at once."""
        board = board_of(name, max_in_progress=2, statuses=(Status.PENDING, Status.IN_PROGRESS, Status.COMPLETED))
        running = [(text, "in_progress") for text in "ABC"]
        assert board.write(call(board.dialect, *running[:2])).ok
        assert "2" in refuses(board, call(board.dialect, *running))[0]
