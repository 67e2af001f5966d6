"""The commands of a person in conversation with an agent: a line that begins with a slash."""

from collections.abc import Callable
from typing import NamedTuple

from ..dialects import Reply
from ..errors import HoldfastError
from ..plan import Status
from .loop import Agent
from .messages import Model
from .screen import plan_text

GO = "The plan is accepted. Write it down as todos if it has several steps, and do the work now."


class Turn(NamedTuple):
    """What comes of a line: something to show, a task for the agent, or the end."""

    text: str = ""
    task: str = ""
    quits: bool = False


class Desk(NamedTuple):
    """What the commands work on: the agent, how to open another model, and the last tool result."""

    agent: Agent
    open_model: Callable[[str], Model]
    unfold: Callable[[], str]


class Slash(NamedTuple):
    """One command: what it is called, what it takes, what it is for."""

    name: str
    takes: str
    help: str
    run: Callable[[Desk, str], Turn]


def heard(line: str, desk: Desk) -> Turn:
    """What to do with a line of the person's. In plan mode, `go` starts the work."""
    line = line.strip()
    if desk.agent.session.plan_mode and line.lower() == "go":
        desk.agent.session.plan_mode = False
        return Turn(task=GO)
    if not line.startswith("/"):
        return Turn(task=line)
    name, _, argument = line.partition(" ")
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        return Turn(f"no command {name}; /help names them")
    argument = argument.strip()
    if command.takes and not command.takes.startswith("[") and not argument:
        return Turn(f"{command.name} needs {command.takes}")
    try:
        return command.run(desk, argument)
    except HoldfastError as error:
        return Turn(str(error))


def _todos(desk: Desk, _: str) -> Turn:
    return Turn(plan_text(desk.agent.board.plan))


def _add(desk: Desk, text: str) -> Turn:
    return _edited(desk, desk.agent.board.add(text))


def _done(desk: Desk, id: str) -> Turn:
    return _edited(desk, desk.agent.board.edit(id, status=Status.COMPLETED))


def _cancel(desk: Desk, id: str) -> Turn:
    return _edited(desk, desk.agent.board.edit(id, status=Status.CANCELLED))


def _undo(desk: Desk, _: str) -> Turn:
    return _edited(desk, desk.agent.board.undo())


def _plan(desk: Desk, _: str) -> Turn:
    session = desk.agent.session
    session.plan_mode = not session.plan_mode
    return Turn(
        "plan mode: the agent looks and plans; `go` starts the work" if session.plan_mode else "plan mode is off"
    )


def _compact(desk: Desk, _: str) -> Turn:
    return Turn() if desk.agent.compact() else Turn("there is nothing to sum up yet")


def _model(desk: Desk, name: str) -> Turn:
    if name:
        desk.agent.model = desk.open_model(name)
    return Turn(f"the model is {getattr(desk.agent.model, 'name', type(desk.agent.model).__name__)}")


def _more(desk: Desk, _: str) -> Turn:
    return Turn(desk.unfold() or "no tool was used yet")


def _help(desk: Desk, _: str) -> Turn:
    rows = [(f"{command.name} {command.takes}".rstrip(), command.help) for command in COMMANDS]
    return Turn("\n".join(f"{name:<16}{help}" for name, help in rows) + "\nCtrl-C stops the agent, Ctrl-D ends")


def _quit(desk: Desk, _: str) -> Turn:
    return Turn(quits=True)


def _edited(desk: Desk, reply: Reply) -> Turn:
    if reply.ok:
        return Turn(plan_text(reply.plan))
    return Turn("; ".join(fault.message for fault in reply.faults))


COMMANDS = (
    Slash("/todos", "", "show the plan", _todos),
    Slash("/add", "TEXT", "add a todo", _add),
    Slash("/done", "ID", "mark a todo as completed", _done),
    Slash("/cancel", "ID", "mark a todo as cancelled", _cancel),
    Slash("/undo", "", "take the newest change of the plan back", _undo),
    Slash("/plan", "", "plan mode on or off: the agent looks, and changes nothing", _plan),
    Slash("/compact", "", "sum up the conversation; the plan stays", _compact),
    Slash("/model", "[NAME]", "say which model answers, or take another one", _model),
    Slash("/more", "", "show the last tool result in full", _more),
    Slash("/help", "", "this list", _help),
    Slash("/quit", "", "end", _quit),
)
