"""The tool `Task`: a subagent with a context and a plan of its own. Only its last words come back."""

from itertools import count

from ..events import Event, Subagent
from ..loop import Agent
from ..messages import words
from ..result import DONE, INTERRUPTED
from .tool import Failure, Tool, schema

NAME = "Task"


def task_tool(parent: Agent) -> Tool:
    """The tool for one agent. A subagent has its parent's model, tools and limits, but no subagents of its own."""
    numbers = count(1)

    def task(description: str, prompt: str) -> str:
        return _work(parent, f"task-{next(numbers)}", description, prompt)

    return Tool(
        NAME,
        "Give a part of the work to a subagent that begins with an empty context. You get its last words.",
        schema({"description": "in a few words", "prompt": "all that the subagent must know and do"}),
        task,
    )


def _child(parent: Agent, name: str) -> Agent:
    """A subagent that knows nothing yet."""
    return Agent(
        parent.model,
        parent.session,
        [tool for tool in parent.tools.values() if tool.name != NAME],
        parent.instructions,
        parent.budget.left(),
        parent.permission,
        board=parent.session.subagent(name),
    )


def _work(parent: Agent, name: str, description: str, prompt: str) -> str:
    """Let a subagent work. Whatever becomes of it, its plan goes with it."""
    session = parent.session
    session.dismiss(name)  # what a crash may have left under its name
    child = _child(parent, name)

    def tell(event: Event) -> None:
        parent.emit(Subagent(name, description, event))

    fall_silent = child.on_event(tell)
    parent.attention.subagents(1)
    try:
        result = child.run(prompt)
    finally:
        parent.attention.subagents(0)
        fall_silent()
        session.dismiss(name)
        parent.budget.tokens += child.budget.tokens
        parent.tokens_in += child.tokens_in
        parent.tokens_out += child.tokens_out
    if result.reason == INTERRUPTED:
        raise KeyboardInterrupt
    if result.reason != DONE:
        raise Failure(f"the subagent ended early ({result.reason}). Its last words: {words(child.messages[-1])}")
    return result.text
