"""The slash commands of a person in conversation with an agent."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ..dialects import Reply
from ..errors import HoldfastError
from ..plan import Status
from .loop import Agent
from .messages import Model
from .screen import plan_text

GO = "The plan is accepted. Write it down as todos if it has several steps, and do the work now."


class LineOutcome(NamedTuple):
    """What a line leads to: something to show, a task for the agent, or the end."""

    text: str = ""
    task: str = ""
    quits: bool = False


class SlashContext(NamedTuple):
    """What the commands work on: the agent, how to open another model, and the last tool result."""

    agent: Agent
    open_model: Callable[[str], Model]
    unfold: Callable[[], str]


class SlashCommand(NamedTuple):
    """One command: its name, what it takes, and what it is for."""

    name: str
    takes: str
    help: str
    run: Callable[[SlashContext, str], LineOutcome]


def take_line(line: str, context: SlashContext) -> LineOutcome:
    """What to do with a line that the person typed. In plan mode, `go` starts the work."""
    line = line.strip()
    if context.agent.session.plan_mode and line.lower() == "go":
        context.agent.session.plan_mode = False
        return LineOutcome(task=GO)
    if not line.startswith("/"):
        return LineOutcome(task=line)
    name, _, argument = line.partition(" ")
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        return LineOutcome(f"unknown command {name}; /help lists them")
    argument = argument.strip()
    if command.takes and not command.takes.startswith("[") and not argument:
        return LineOutcome(f"{command.name} needs {command.takes}")
    try:
        return command.run(context, argument)
    except HoldfastError as error:
        return LineOutcome(str(error))


def _mark(context: SlashContext, id: str, status: Status) -> LineOutcome:
    return _plan_or_faults(context.agent.board.edit(id, status=status))


def _plan(context: SlashContext, _: str) -> LineOutcome:
    session = context.agent.session
    session.plan_mode = not session.plan_mode
    return LineOutcome(
        "plan mode: the agent looks and plans; `go` starts the work" if session.plan_mode else "plan mode is off"
    )


def _compact(context: SlashContext, _: str) -> LineOutcome:
    return LineOutcome() if context.agent.compact() else LineOutcome("there is nothing to sum up yet")


def _model(context: SlashContext, name: str) -> LineOutcome:
    if name:
        context.agent.model = context.open_model(name)
    return LineOutcome(f"the model is {model_name(context.agent)}")


def model_name(agent: Agent) -> str:
    """What the model of an agent is called."""
    return str(getattr(agent.model, "name", type(agent.model).__name__))


def _help(context: SlashContext, _: str) -> LineOutcome:
    rows = [(f"{command.name} {command.takes}".rstrip(), command.help) for command in COMMANDS]
    return LineOutcome("\n".join(f"{name:<16}{help}" for name, help in rows) + "\nCtrl-C stops the agent, Ctrl-D ends")


def _plan_or_faults(reply: Reply) -> LineOutcome:
    if reply.ok:
        return LineOutcome(plan_text(reply.plan))
    return LineOutcome("; ".join(fault.message for fault in reply.faults))


COMMANDS = (
    SlashCommand("/todos", "", "show the plan", lambda context, _: LineOutcome(plan_text(context.agent.board.plan))),
    SlashCommand("/add", "TEXT", "add a todo", lambda context, text: _plan_or_faults(context.agent.board.add(text))),
    SlashCommand("/done", "ID", "mark a todo as completed", partial(_mark, status=Status.COMPLETED)),
    SlashCommand("/cancel", "ID", "mark a todo as cancelled", partial(_mark, status=Status.CANCELLED)),
    SlashCommand(
        "/undo", "", "undo the last change of the plan", lambda context, _: _plan_or_faults(context.agent.board.undo())
    ),
    SlashCommand("/plan", "", "plan mode on or off: the agent looks, and changes nothing", _plan),
    SlashCommand("/compact", "", "sum up the conversation; the plan stays", _compact),
    SlashCommand("/model", "[NAME]", "show which model answers, or choose another one", _model),
    SlashCommand(
        "/more",
        "",
        "show the last tool result in full",
        lambda context, _: LineOutcome(context.unfold() or "no tool was used yet"),
    ),
    SlashCommand("/help", "", "this list", _help),
    SlashCommand("/quit", "", "end", lambda context, _: LineOutcome(quits=True)),
)
