"""pydantic-ai-todo's capability: its tool's own validator, then its function."""

import time

started = time.perf_counter()
from pydantic_ai_todo import TodoCapability  # noqa: E402 the import is what is timed

loaded = time.perf_counter() - started

from pydantic_ai import FunctionToolset, RunContext  # noqa: E402 isort:skip
from pydantic_ai.models.test import TestModel  # noqa: E402 isort:skip
from pydantic_ai.usage import RunUsage  # noqa: E402 isort:skip
from service import Item, run, serve  # noqa: E402 isort:skip

capability = TodoCapability()
toolset = capability.get_toolset()
assert isinstance(toolset, FunctionToolset)
context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
schema = toolset.tools["write_todos"].function_schema


def call(todos: list[Item]) -> dict[str, list[Item]]:
    """The call for a list."""
    names = {"content": "content", "status": "status", "active_form": "activeForm"}
    return {"todos": [{key: todo[name] for key, name in names.items()} for todo in todos]}


def write(payload: dict[str, list[Item]]) -> str:
    """The reply to a call."""
    return str(run(schema.call(schema.validator.validate_python(payload), context)))


tools = [[tool.name, tool.description, tool.function_schema.json_schema] for tool in toolset.tools.values()]
serve([tools, capability.get_instructions()], call, write, loaded)
