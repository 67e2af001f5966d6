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

from service import serve  # noqa: E402 isort:skip

WORDS = {"pending": "todo", "in_progress": "in_progress", "completed": "done"}

tool = TaskTrackerTool.create(SimpleNamespace(persistence_dir=None))[0]


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    items = zip(contents, statuses, strict=True)
    payload = {"command": "plan", "task_list": [{"title": c, "status": WORDS[s]} for c, s in items]}
    observation = tool(tool.action_from_arguments(payload))
    return payload, "".join(part.text for part in observation.to_llm_content)


serve([tool.to_openai_tool()], write, loaded)
