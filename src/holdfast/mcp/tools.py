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

WRITTEN: dict[str, Any] = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, **_COUNTS},
    "required": ["reply", *_COUNTS],
    "additionalProperties": False,
}
"""What a write gives programs. Some clients show it to the model in the reply's place, so it is hardly longer."""

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

SHOWN: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "todos": {"type": "array", "items": _TODO}, **_COUNTS},
    "required": ["summary", "todos", *_COUNTS],
    "additionalProperties": False,
}
"""What reading the plan gives programs."""

_READ = {
    "name": READ,
    "description": "Your plan as it stands now, with what people changed in it.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    "outputSchema": SHOWN,
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}


def definitions(dialect: str) -> list[types.Tool]:
    """Every tool of a dialect. They never change while a server runs."""
    tools = [{**tool, "outputSchema": WRITTEN} for tool in Board(dialect=dialects.get(dialect)).tools("mcp")]
    if not any(tool["annotations"]["readOnlyHint"] for tool in tools):
        tools.append(_READ)
    return [types.Tool.model_validate(tool) for tool in tools]


def called(board: Board, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    """What a tool of the dialect answers. Raises StoreError if the plan cannot be read."""
    return _shown(board) if name == READ else _written(board, name, arguments)


def unknown(name: str, tools: Sequence[types.Tool]) -> types.CallToolResult:
    """What a call of a tool answers that there is not."""
    return refused(f"There is no tool {describe(name)}; the tools are {', '.join(tool.name for tool in tools)}.")


def refused(text: str) -> types.CallToolResult:
    """A call that was not taken, in words for the model."""
    return types.CallToolResult(content=[types.TextContent(text=encodable(text))], is_error=True)


def _written(board: Board, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    reply = board.write({} if arguments is None else arguments, tool=name)
    text = encodable(reply.text)
    return _result(board, text, {"reply": text, **_counts(reply.plan)}, is_error=not reply.ok)


def _shown(board: Board) -> types.CallToolResult:
    """The plan. The model has seen people's edits then: they are marked as told first, so that none is told unseen."""
    board.mark_edits_told()
    plan = board.plan
    todos = [{"id": id, "content": encodable(content), "status": str(status)} for id, content, status, *_ in plan.todos]
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
