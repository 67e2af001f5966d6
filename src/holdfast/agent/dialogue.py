"""An agent and a person: one task, or a conversation, with a question before each tool that needs permission."""

import os
from collections.abc import Mapping
from typing import Any

from ..paths import below_home
from .result import INTERRUPTED, RunResult
from .screen import RunScreen
from .slash_commands import GO, SlashContext, model_name, take_line
from .tools import AgentTool
from .tools.tool import Permission

YES = ("y", "yes")
ALWAYS = ("a", "always")
NOBODY = "nobody is there to allow it; --yes allows every command"
NOBODY_FOR_THIS = "nobody is there to allow it: other programs run what stands in this place"


def permission_prompt(screen: RunScreen, is_allowed: bool = False) -> Permission:
    """A permission that asks the person before each use of a tool, until the answer is "always", or `is_allowed`.

    That is for tools. A call that a tool asks for by its arguments, such as a write to a protected place, always asks.
    """

    def permission(tool: AgentTool, arguments: Mapping[str, Any]) -> bool:
        nonlocal is_allowed
        is_special = tool.asks_for is not None and tool.asks_for(arguments)
        if is_allowed and not is_special:
            return True
        given = "\n".join(str(value) for value in arguments.values())
        screen.say(f"{tool.name} wants to run:\n" + "\n".join(f"    {line}" for line in given.splitlines()))
        if is_special:
            return ask_person(screen, "Other programs run this. Allow it? [y]es, [n]o: ", NOBODY_FOR_THIS) in YES
        answer = ask_person(screen, "Allow it? [y]es, [n]o, [a]lways: ", NOBODY)
        is_allowed = answer in ALWAYS
        return is_allowed or answer in YES

    return permission


def ask_person(screen: RunScreen, question: str, nobody: str) -> str:
    """A person's answer in lower case. If nobody is there, it is empty, and `nobody` is shown."""
    try:
        return screen.ask(question, fresh=True).strip().lower()
    except EOFError:
        screen.say(nobody)
        return ""


def run_task(context: SlashContext, screen: RunScreen, task: str) -> RunResult:
    """Do one task. In plan mode, the work starts when the person agrees."""
    session = context.agent.session
    with screen.working():
        result = context.agent.run(task)
    if not session.plan_mode or result.reason == INTERRUPTED:
        return result
    later = "plan mode: `holdfast agent --continue go` starts the work"
    if ask_person(screen, "Start the work? [y/N] ", later) not in YES:
        return result
    session.plan_mode = False
    with screen.working():
        return context.agent.run(GO)


def run_dialogue(context: SlashContext, screen: RunScreen) -> None:
    """Say which model works where, then take tasks and commands until the person ends it."""
    folder = below_home(os.getcwd(), os.path.expanduser("~"))
    screen.say(f"{model_name(context.agent)} in {folder} · /help lists the commands")
    while True:
        try:
            turn = take_line(screen.ask("plan> " if context.agent.session.plan_mode else "> "), context)
            if turn.text:
                screen.say(turn.text)
            if turn.task:
                with screen.working():
                    context.agent.run(turn.task)
        except KeyboardInterrupt:
            screen.say("\n/quit ends")
        except EOFError:
            return
        else:
            if turn.quits:
                return
