"""LangChain's own todo middleware, played by ours: a plugin for pytest, in the process that runs LangChain's tests."""

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

import langchain.agents.middleware.todo as origin
import pytest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from holdfast import Board, dialects
from holdfast.adapters.langchain import HoldfastMiddleware, PlanState

LANGCHAIN = dialects.get("langchain")


class TodoListStandIn(HoldfastMiddleware):
    """Our middleware with the arguments and attributes of theirs."""

    def __init__(self, *, system_prompt: str | None = None, tool_description: str | None = None) -> None:
        super().__init__(dialect="langchain", prompt=system_prompt, description=tool_description)
        self.system_prompt = self.runs.prompt(LANGCHAIN)
        self.tool_description = self.runs.tools(LANGCHAIN)[0].description


class WriteTodosStandIn:
    """Their tool, called outside of an agent."""

    name = "write_todos"

    def invoke(self, call: Mapping[str, Any]) -> Command[Any]:
        """The update of the state by one call. Raises ValueError for a bad one."""
        reply = Board(dialect="langchain").write(call["args"])
        if not reply.ok:
            raise ValueError(f"{len(reply.faults)} validation error for write_todos")
        message = ToolMessage(reply.text, tool_call_id=call["id"])
        return Command(update={"todos": LANGCHAIN.items(reply.plan), "messages": [message]})


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


stand_in = TodoListStandIn()
for name, replacement in {
    "WRITE_TODOS_SYSTEM_PROMPT": stand_in.system_prompt,
    "WRITE_TODOS_TOOL_DESCRIPTION": stand_in.tool_description,
    "PlanningState": PlanState,
    "TodoListMiddleware": TodoListStandIn,
    "write_todos": WriteTodosStandIn(),
}.items():
    setattr(origin, name, replacement)
