"""pydantic-ai-harness' Planning, in memory: its tool's own validator, then its function; no one hears events."""

import time
from typing import Any

started = time.perf_counter()
from pydantic_ai_harness.planning import InMemoryPlanStore, Planning  # noqa: E402 the import is what is timed  # pyright: ignore[reportMissingImports] an environment of its own

loaded = time.perf_counter() - started

from pydantic_ai import RunContext  # noqa: E402 isort:skip
from pydantic_ai.models.test import TestModel  # noqa: E402 isort:skip
from pydantic_ai.usage import RunUsage  # noqa: E402 isort:skip
from service import run, serve  # noqa: E402 isort:skip


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


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    payload = {field: [{"content": c, "status": s} for c, s in zip(contents, statuses, strict=True)]}
    return payload, str(run(schema.call(schema.validator.validate_python(payload), context)))


tools = [[tool.name, tool.description, tool.function_schema.json_schema] for tool in toolset.tools.values()]
serve([tools, str(capability.get_instructions())], write, loaded)
