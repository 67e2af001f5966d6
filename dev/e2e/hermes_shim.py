"""Hermes Agent's own todo module, played by ours: a plugin for pytest, in the process that runs Hermes' tests."""

import json
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from holdfast import Board, Reply, dialects

HERMES = dialects.get("hermes")


class TodoStoreStandIn:
    """Their list of one agent: a board."""

    def __init__(self) -> None:
        self.board = Board(dialect="hermes")

    def write(self, todos: Sequence[Mapping[str, Any]], merge: bool = False) -> list[dict[str, Any]]:
        """Write a list. A bad one raises, where the list must not be taken for written."""
        reply = self.board.write({"todos": todos, "merge": merge})
        if not reply.ok:
            raise ValueError(in_their_words(reply))
        return self.read()

    def read(self) -> list[dict[str, Any]]:
        """The list as the model sees it."""
        return HERMES.items(self.board.plan)

    def has_items(self) -> bool:
        """Whether there is anything."""
        return bool(self.board.plan.todos)

    def format_for_injection(self) -> str | None:
        """What is said after a compaction."""
        return self.board.resume() or None


def todo_tool(
    todos: Sequence[Mapping[str, Any]] | None = None, merge: bool = False, store: TodoStoreStandIn | None = None
) -> str:
    """Their tool, called as a function."""
    if store is None:
        return json.dumps({"error": "no store"})
    reply = store.board.write({} if todos is None else {"todos": todos, "merge": merge})
    return reply.text if reply.ok else json.dumps({"error": in_their_words(reply)})


def in_their_words(reply: Reply) -> str:
    """What is wrong with a write."""
    is_empty = any(fault.path.endswith(".content") and fault.code in ("blank", "missing") for fault in reply.faults)
    return "empty or missing content" if is_empty else reply.text


module = ModuleType("tools.todo_tool")
vars(module).update(
    TodoStore=TodoStoreStandIn,
    todo_tool=todo_tool,
    MAX_TODO_ITEMS=HERMES.rules.max_items,
    MAX_TODO_CONTENT_CHARS=HERMES.rules.max_content,
)
package = ModuleType("tools")
package.__path__ = []
sys.modules.update({"tools": package, "tools.todo_tool": module})
