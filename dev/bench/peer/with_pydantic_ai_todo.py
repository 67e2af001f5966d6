"""pydantic-ai-todo's capability: its tool's own validator, then its function."""

import time

started = time.perf_counter()
from pydantic_ai_todo import TodoCapability  # noqa: E402 the import is what is timed

loaded = time.perf_counter() - started

from pydantic_ai import FunctionToolset, RunContext  # noqa: E402 isort:skip
from pydantic_ai.models.test import TestModel  # noqa: E402 isort:skip
from pydantic_ai.usage import RunUsage  # noqa: E402 isort:skip
from service import run, serve  # noqa: E402 isort:skip

capability = TodoCapability()
toolset = capability.get_toolset()
assert isinstance(toolset, FunctionToolset)
context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
schema = toolset.tools["write_todos"].function_schema


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    items = zip(contents, statuses, strict=True)
    payload = {"todos": [{"content": c, "status": s, "active_form": c} for c, s in items]}
    return payload, run(schema.call(schema.validator.validate_python(payload), context))


tools = [[tool.name, tool.description, tool.function_schema.json_schema] for tool in toolset.tools.values()]
serve([tools, capability.get_instructions()], write, loaded)
