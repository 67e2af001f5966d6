"""The prompts, for people: start a piece of work with a plan, or continue the plan that is open."""

from collections.abc import Mapping

import mcp_types as types

from ..board import Board
from ..board.handover import offer, open_plan_elsewhere
from ..errors import UsageError
from ..stores import StoredPlan
from ..text import describe
from .tools import encodable

PLAN = "plan"
RESUME = "resume"
TASK = "task"
NOTHING_OPEN = "Nothing is open in the plan."

PROMPTS = [
    types.Prompt(
        name=PLAN,
        title="Plan a piece of work",
        description="Begin a piece of work with a plan, and work it off.",
        arguments=[types.PromptArgument(name=TASK, description="what to do", required=True)],
    ),
    types.Prompt(
        name=RESUME,
        title="Go on with the plan",
        description="Bring the open todos back before the model.",
        arguments=[],
    ),
]


def plan_to_resume(name: str, board: Board) -> StoredPlan | None:
    """The open plan of another conversation, for the prompt `resume` in one that has none. Raises StoreError."""
    if name != RESUME or board.plan.open:
        return None
    return open_plan_elsewhere(board.store, board.key.session)


def get(
    name: str, arguments: Mapping[str, str] | None, board: Board, elsewhere: StoredPlan | None = None
) -> types.GetPromptResult:
    """A prompt for the model. Raises UsageError for an unknown prompt or a missing task, and StoreError."""
    if name == RESUME:
        carried = "" if elsewhere is None else offer(elsewhere, board.dialect.tool_name, is_asked=True)
        return _message(board.resume() or carried or NOTHING_OPEN)
    if name != PLAN:
        raise UsageError(f"no prompt {describe(name)}; there are {PLAN} and {RESUME}")
    task = ((arguments or {}).get(TASK) or "").strip()
    if not task:
        raise UsageError(f"the prompt {PLAN} needs {TASK}: what to do")
    return _message(f"{task}\n\n{board.prompt}\nWrite the plan now, before anything else. Then work it off.")


def _message(text: str) -> types.GetPromptResult:
    content = types.TextContent(text=encodable(text))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])
