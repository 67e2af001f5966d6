"""OpenHands' task_tracker: the command `plan` with the whole list, in its own words."""

import os
import time

os.environ["OPENHANDS_SUPPRESS_BANNER"] = "1"  # it goes to where the answers go
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no price list is fetched, and none is waited for
os.environ["LOG_LEVEL"] = "ERROR"

started = time.perf_counter()
from openhands.tools.task_tracker import TaskTrackerTool  # noqa: E402 the import is what is timed  # pyright: ignore[reportMissingImports] an environment of its own

loaded = time.perf_counter() - started

from types import SimpleNamespace  # noqa: E402
from typing import Any  # noqa: E402

from service import Item, serve  # noqa: E402 isort:skip

WORDS = {"pending": "todo", "in_progress": "in_progress", "completed": "done"}

tool = TaskTrackerTool.create(SimpleNamespace(persistence_dir=None))[0]


def call(todos: list[Item]) -> dict[str, Any]:
    """The call for a list."""
    tasks = [{"title": todo["content"], "status": WORDS[todo["status"]]} for todo in todos]
    return {"command": "plan", "task_list": tasks}


def write(payload: dict[str, Any]) -> str:
    """The reply to a call."""
    observation = tool(tool.action_from_arguments(payload))
    return "".join(part.text for part in observation.to_llm_content)


serve([tool.to_openai_tool()], call, write, loaded)
