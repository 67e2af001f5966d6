"""The tools: the dialect's own, and one to read the plan. What goes wrong is a result that the model can act on."""

from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types

from .. import dialects
from ..board import Board
from ..plan import Plan, Status
from ..text import describe
from .identity import META_KEY

READ = "TodoRead"

_COUNTS = {"done": {"type": "integer"}, "total": {"type": "integer"}, "revision": {"type": "integer"}}

WRITE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, **_COUNTS},
    "required": ["reply", *_COUNTS],
    "additionalProperties": False,
}
"""What a write returns to programs. Some clients show it to the model instead of the reply, so it is hardly longer."""

_TODO = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "content": {"type": "string"},
        "status": {"type": "string", "enum": [str(status) for status in Status]},
    },
    "required": ["id", "content", "status"],
    "additionalProperties": False,
}

READ_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "todos": {"type": "array", "items": _TODO}, **_COUNTS},
    "required": ["summary", "todos", *_COUNTS],
    "additionalProperties": False,
}
"""What reading the plan returns to programs."""

_READ_TOOL = {
    "name": READ,
    "description": "Your plan as it stands now, with what people changed in it.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    "outputSchema": READ_SCHEMA,
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}


def definitions(dialect: str) -> list[types.Tool]:
    """Every tool of a dialect. They never change while a server runs."""
    tools = [{**tool, "outputSchema": WRITE_SCHEMA} for tool in Board(dialect=dialects.get(dialect)).tools("mcp")]
    if not any(tool["annotations"]["readOnlyHint"] for tool in tools):
        tools.append(_READ_TOOL)
    return [types.Tool.model_validate(tool) for tool in tools]


def call(board: Board, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    """What a tool answers. Raises StoreError if the plan cannot be read."""
    return _read(board) if name == READ else _write(board, name, arguments)


def unknown_tool(name: str, tools: Sequence[types.Tool]) -> types.CallToolResult:
    """What the call of an unknown tool answers."""
    return error_result(f"There is no tool {describe(name)}; the tools are {', '.join(tool.name for tool in tools)}.")


def error_result(text: str) -> types.CallToolResult:
    """A call that failed, in words for the model."""
    return types.CallToolResult(content=[types.TextContent(text=encodable(text))], is_error=True)


def _write(board: Board, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    reply = board.write({} if arguments is None else arguments, tool=name)
    text = encodable(reply.text)
    return _result(board, text, {"reply": text, **_counts(reply.plan)}, is_error=not reply.ok)


def _read(board: Board) -> types.CallToolResult:
    """The plan. The model sees people's edits in it, so they are marked as told: first, so that none is missed."""
    board.mark_edits_told()
    plan = board.plan
    todos = [{"id": todo.id, "content": encodable(todo.content), "status": str(todo.status)} for todo in plan.todos]
    data = {"summary": encodable(plan.summary), "todos": todos, **_counts(plan)}
    return _result(board, encodable(board.dialect.render(plan)), data)


def _result(board: Board, text: str, data: Mapping[str, Any], is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=data,
        is_error=is_error,
        _meta={META_KEY: encodable(board.key.session)},
    )


def _counts(plan: Plan) -> dict[str, int]:
    return {"done": len(plan.done), "total": len(plan.todos), "revision": plan.revision}


def encodable(text: str) -> str:
    """The text without halves of a pair, which a person's shell can leave in it and no JSON may carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
