"""An agent and a person: one task, or one after the other; what needs a permission is asked for."""

from collections.abc import Mapping
from typing import Any

from .result import INTERRUPTED, Result
from .screen import RunScreen
from .slash import GO, Desk, heard
from .tools import Tool
from .tools.execution import Permission

YES = ("y", "yes")
ALWAYS = ("a", "always")
NOBODY = "nobody is there to allow it; --yes allows everything"


def asking(screen: RunScreen) -> Permission:
    """Asks the person before each use of a tool, until the answer is "always"."""
    is_allowed = False

    def permission(tool: Tool, arguments: Mapping[str, Any]) -> bool:
        nonlocal is_allowed
        if not is_allowed:
            given = "\n".join(str(value) for value in arguments.values())
            screen.say(f"{tool.name} wants to run:\n" + "\n".join(f"    {line}" for line in given.splitlines()))
            answer = answered(screen, "Allow it? [y]es, [n]o, [a]lways: ", NOBODY)
            is_allowed = answer in ALWAYS
            return is_allowed or answer in YES
        return True

    return permission


def answered(screen: RunScreen, question: str, nobody: str) -> str:
    """A person's answer in small letters; empty, and said so, if nobody is there."""
    try:
        return screen.ask(question, fresh=True).strip().lower()
    except EOFError:
        screen.say(nobody)
        return ""


def once(desk: Desk, screen: RunScreen, task: str) -> Result:
    """Do one task. In plan mode, the person's go starts the work."""
    session = desk.agent.session
    with screen.working():
        result = desk.agent.run(task)
    if not session.plan_mode or result.reason == INTERRUPTED:
        return result
    later = "plan mode: `holdfast agent --continue go` starts the work"
    if answered(screen, "Start the work? [y/N] ", later) not in YES:
        return result
    session.plan_mode = False
    with screen.working():
        return desk.agent.run(GO)


def talk(desk: Desk, screen: RunScreen) -> None:
    """Take tasks and commands until the person ends it."""
    while True:
        try:
            turn = heard(screen.ask("plan> " if desk.agent.session.plan_mode else "> "), desk)
            if turn.text:
                screen.say(turn.text)
            if turn.task:
                with screen.working():
                    desk.agent.run(turn.task)
        except KeyboardInterrupt:
            screen.say("\n/quit ends")
        except EOFError:
            return
        else:
            if turn.quits:
                return
