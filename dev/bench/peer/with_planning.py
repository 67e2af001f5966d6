"""pydantic-ai-harness' Planning, in memory: its tool's own validator, then its function; no one hears events."""

import time
from typing import Any

started = time.perf_counter()
from pydantic_ai_harness.planning import InMemoryPlanStore, Planning  # noqa: E402 the import is what is timed  # pyright: ignore[reportMissingImports] an environment of its own

loaded = time.perf_counter() - started

from pydantic_ai import RunContext  # noqa: E402 isort:skip
from pydantic_ai.models.test import TestModel  # noqa: E402 isort:skip
from pydantic_ai.usage import RunUsage  # noqa: E402 isort:skip
from service import Item, run, serve  # noqa: E402 isort:skip


class Silent(RunContext[Any]):
    """A context outside a run: events go nowhere."""

    async def emit(self, event: Any) -> Any:
        """To nobody."""
        return event


capability = Planning(store=InMemoryPlanStore())
toolset: Any = capability.get_toolset()
context = Silent(deps=None, model=TestModel(), usage=RunUsage())
schema = toolset.tools["write_plan"].function_schema
[field] = schema.json_schema["required"]


def call(todos: list[Item]) -> dict[str, list[Item]]:
    """The call for a list."""
    return {field: [{"content": todo["content"], "status": todo["status"]} for todo in todos]}


def write(payload: dict[str, list[Item]]) -> str:
    """The reply to a call."""
    return str(run(schema.call(schema.validator.validate_python(payload), context)))


tools = [[tool.name, tool.description, tool.function_schema.json_schema] for tool in toolset.tools.values()]
serve([tools, str(capability.get_instructions())], call, write, loaded)
