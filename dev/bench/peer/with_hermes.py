"""Hermes Agent's todo tool: the whole list, with the ids that it wants."""

import time

started = time.perf_counter()
from tools.todo_tool import TODO_SCHEMA, TodoStore, todo_tool  # noqa: E402 the import is what is timed  # pyright: ignore[reportMissingImports] an environment of its own

loaded = time.perf_counter() - started

from service import serve  # noqa: E402 isort:skip

store = TodoStore()


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    items = enumerate(zip(contents, statuses, strict=True), 1)
    payload = {"todos": [{"id": str(id), "content": c, "status": s} for id, (c, s) in items]}
    return payload, todo_tool(payload["todos"], store=store)


serve([TODO_SCHEMA], write, loaded)
