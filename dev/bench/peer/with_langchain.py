"""LangChain's TodoListMiddleware: its tool, called as the framework calls it."""

import time

started = time.perf_counter()
from langchain.agents.middleware import TodoListMiddleware  # noqa: E402 the import is what is timed

loaded = time.perf_counter() - started

from langchain.tools import ToolRuntime  # noqa: E402 isort:skip
from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: E402 isort:skip
from service import serve  # noqa: E402 isort:skip

middleware = TodoListMiddleware()
[tool] = middleware.tools
runtime = ToolRuntime(state={}, context=None, config={}, stream_writer=lambda _: None, tool_call_id="1", store=None)


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    payload = {"todos": [{"content": c, "status": s} for c, s in zip(contents, statuses, strict=True)]}
    command = tool.invoke({**payload, "runtime": runtime})
    return payload, command.update["messages"][0].text


serve([convert_to_openai_tool(tool)["function"], middleware.system_prompt], write, loaded)
