"""LangChain's TodoListMiddleware: its tool, called as the framework calls it."""

import time

started = time.perf_counter()
from langchain.agents.middleware import TodoListMiddleware  # noqa: E402 the import is what is timed

loaded = time.perf_counter() - started

from langchain.tools import ToolRuntime  # noqa: E402 isort:skip
from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: E402 isort:skip
from service import Item, serve  # noqa: E402 isort:skip

middleware = TodoListMiddleware()
[tool] = middleware.tools
runtime = ToolRuntime(state={}, context=None, config={}, stream_writer=lambda _: None, tool_call_id="1", store=None)


def call(todos: list[Item]) -> dict[str, list[Item]]:
    """The call for a list."""
    return {"todos": [{"content": todo["content"], "status": todo["status"]} for todo in todos]}


def write(payload: dict[str, list[Item]]) -> str:
    """The reply to a call."""
    return str(tool.invoke({**payload, "runtime": runtime}).update["messages"][0].text)


serve([convert_to_openai_tool(tool)["function"], middleware.system_prompt], call, write, loaded)
