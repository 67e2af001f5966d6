"""Calls of the `envelope` dialect, and what a board answers: for the tests of every part of its contract."""

import json
from typing import Any

from holdfast import Board, Reply

JSON = dict[str, Any]

EXAMPLE: JSON = {
    "summary": "修复 multi_edit 重叠检测并完善文档",
    "todos": [
        {"content": "修复重叠检测", "status": "in_progress"},
        {"content": "更新文档", "status": "pending"},
        {"content": "性能优化脚本", "status": "cancelled"},
    ],
}
"""Section 5.1 of the contract."""

BLOCK = """--- TODO UPDATE ---
[▶] 修复重叠检测
[ ] 更新文档
[~] 性能优化脚本
-------------------"""

NOT_GIVEN: Any = object()


def todo(content: object = "A", status: object = "pending", **more: object) -> JSON:
    """A valid item by default; a field that is NOT_GIVEN is left out."""
    item = {"content": content, "status": status, **more}
    return {key: value for key, value in item.items() if value is not NOT_GIVEN}


def call(*todos: object, summary: object = "Ship it") -> JSON:
    """A whole payload around some items."""
    return {"summary": summary, "todos": list(todos)}


def a_board(**options: Any) -> Board:
    """An envelope board on which no time passes."""
    return Board(dialect="envelope", clock=lambda: 0.0, **options)


def envelope(reply: Reply) -> JSON:
    """The envelope of a reply, the same in its text and in its data."""
    assert reply.data is not None
    assert json.loads(reply.text) == reply.data
    return reply.data
