"""Hermes Agent's todo tool: the whole list, with the ids that it wants."""

import time

started = time.perf_counter()
from tools.todo_tool import TODO_SCHEMA, TodoStore, todo_tool  # noqa: E402 the import is what is timed  # pyright: ignore[reportMissingImports] an environment of its own

loaded = time.perf_counter() - started

from service import Item, serve  # noqa: E402 isort:skip

store = TodoStore()


def call(todos: list[Item]) -> dict[str, list[Item]]:
    """The call for a list."""
    keys = ("content", "status")
    return {"todos": [{"id": str(id), **{key: todo[key] for key in keys}} for id, todo in enumerate(todos, 1)]}


serve([TODO_SCHEMA], call, lambda payload: todo_tool(payload["todos"], store=store), loaded)
