"""The tool as a typed function: its signature says what the schema says, and a call is a write."""

import inspect
from typing import Any, get_type_hints

import pytest
from agents import function_tool
from langchain_core.tools import StructuredTool
from pydantic import TypeAdapter

from holdfast import Board, Plan, Todo, UsageError, dialects
from holdfast.dialects import DialectName

PLAN = Plan((Todo("1", "Read the code"), Todo("2", "Fix the bug")))


@pytest.mark.parametrize("name", dialects.names())
def test_a_call_of_the_function_is_a_write(name: DialectName) -> None:
    """Every dialect's own calls go through, and the answer is what the model reads."""
    board, other = Board(dialect=name), Board(dialect=name)
    functions = {function.__name__: function for function in board.functions()}
    for tool, payload in board.dialect.calls(PLAN):
        assert functions[tool](**payload) == other.write(payload, tool).text
    assert [todo.content for todo in board.plan.todos] == ["Read the code", "Fix the bug"]


@pytest.mark.parametrize("name", dialects.names())
def test_the_signature_says_what_the_schema_says(name: DialectName) -> None:
    """Parameters, which of them are required, and the types inside, as a framework reads them."""
    board = Board(dialect=name)
    for function, tool in zip(board.functions(), board.dialect.tools, strict=True):
        assert (function.__name__, function.__doc__) == (tool.name, tool.description)
        parameters = inspect.signature(function).parameters
        required = [key for key, one in parameters.items() if one.default is inspect.Parameter.empty]
        assert set(parameters) == set(tool.schema["properties"])
        assert set(required) == set(tool.schema.get("required", []))
        for key, hint in get_type_hints(function).items():
            if key != "return":
                TypeAdapter(hint)  # pydantic understands it


def test_a_status_that_is_not_in_the_schema_is_not_in_the_type() -> None:
    """The words of a status are a closed set, and each field of a todo has its type."""
    hint = get_type_hints(Board(dialect="codex").function())["plan"]
    todos = TypeAdapter(hint)
    good = [{"step": "A", "status": "pending"}]
    assert todos.validate_python(good) == good
    for bad in ([{"step": "A", "status": "maybe"}], [{"step": 1, "status": "pending"}], [{"status": "pending"}], "A"):
        with pytest.raises(ValueError, match="validation error"):
            todos.validate_python(bad)


def test_a_bad_call_is_answered_like_any_other() -> None:
    """A framework that checks nothing passes it on, and the model reads what was wrong."""
    write: Any = Board().function()
    assert "todos: expected a list" in write(todos=7)
    with pytest.raises(UsageError, match="claude-tasks has 4 tools"):
        Board(dialect="claude-tasks").function()


def test_frameworks_take_it_as_it_is() -> None:
    """LangChain and the OpenAI Agents SDK make a tool of it with nothing more."""
    board = Board()
    tool = StructuredTool.from_function(board.function())
    assert tool.invoke({"todos": [{"content": "A"}]}) == "Saved 1. 0/1 done. Next 1: A"
    other = function_tool(Board(dialect="codex").function(), strict_mode=False)
    assert other.name == "update_plan" and "plan" in other.params_json_schema["properties"]
