"""The tool `Task`: a subagent with its own context and plan. Only its last message comes back."""

from itertools import count

from ..events import Subagent
from ..loop import Agent
from ..messages import message_text
from ..result import DONE, INTERRUPTED
from .tool import AgentTool, ToolFailure, schema

NAME = "Task"


def task_tool(parent: Agent) -> AgentTool:
    """The tool for one agent. A subagent has its parent's model, tools and limits, but cannot have subagents."""
    numbers = count(1)

    def task(description: str, prompt: str) -> str:
        return _run_subagent(parent, f"task-{next(numbers)}", description, prompt)

    return AgentTool(
        NAME,
        "Give a part of the work to a subagent that begins with an empty context. You get its last words.",
        schema({"description": "in a few words", "prompt": "all that the subagent must know and do"}),
        task,
    )


def _make_subagent(parent: Agent, name: str) -> Agent:
    """A subagent with an empty context."""
    return Agent(
        parent.model,
        parent.session,
        [tool for tool in parent.tools.values() if tool.name != NAME],
        system=parent.instructions,
        limits=parent.budget.left(),
        permission=parent.permission,
        board=parent.session.subagent(name),
    )


def _run_subagent(parent: Agent, name: str, description: str, prompt: str) -> str:
    """Let a subagent work. However that ends, its plan ends with it."""
    session = parent.session
    session.dismiss(name)  # a crash may have left a plan under this name
    child = _make_subagent(parent, name)

    unsubscribe = child.on_event(lambda event: parent.emit(Subagent(name, description, event)))
    parent.attention.subagents(1)
    try:
        result = child.run(prompt)
    finally:
        parent.attention.subagents(0)
        unsubscribe()
        session.dismiss(name)
        parent.budget.tokens += child.budget.tokens
        parent.tokens_in += child.tokens_in
        parent.tokens_out += child.tokens_out
    if result.reason == INTERRUPTED:
        raise KeyboardInterrupt
    if result.reason != DONE:
        raise ToolFailure(
            f"the subagent ended early ({result.reason}). Its last words: {message_text(child.messages[-1])}"
        )
    return result.text
