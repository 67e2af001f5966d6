"""The command `agent`: a coding agent that plans in the open. `holdfast.agent` is loaded only when it runs."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ... import dialects
from ...attention.policies import POLICIES
from ...stores.locate import VARIABLE, locate
from ..command import Argument, Command, Example, Exit, Uses, whole_number
from ..invocation import CommandError, Invocation, Misuse, is_address
from ..model_option import MODEL_ARGUMENTS, model_name, open_chosen_model, tool_calls

if TYPE_CHECKING:
    from ...agent.assembly import AgentSetup
    from ...agent.conversations import ConversationFolder, OpenConversation, SavedConversation
    from ...agent.loop import Agent
    from ...agent.messages import Model
    from ...agent.screen import RunScreen


def run(call: Invocation) -> int:
    """Run an agent on one task, or in conversation; or list the conversations."""
    from ...agent.assembly import assemble
    from ...agent.conversations import ConversationFolder
    from ...agent.dialogue import permission_prompt
    from ...agent.screen import open_screen
    from ...agent.tools.bash import hide_environment

    hide_environment()
    conversations = ConversationFolder(conversation_folder(call))
    if call.flag("list"):
        return _list_conversations(call, conversations)

    def open_model(name: str | None) -> "Model":
        return open_chosen_model(call, name, lambda line: screen.say(line))

    with ExitStack() as stack:
        earlier = _earlier_conversation(call, conversations, stack)
        task = _task(call)
        model = open_model(model_name(call))
        conversation = earlier or stack.enter_context(closing(conversations.begin(_workspace(), call.word("session"))))
        stack.enter_context(_orderly_end())
        agent = assemble(model, conversation, call.store, agent_setup(call))
        screen = open_screen(agent, call.wants_json)
        agent.permission = permission_prompt(screen, is_allowed=call.flag("yes"))
        return _work(agent, screen, task, lambda name: open_model(name or model_name(call)))


def agent_setup(call: Invocation) -> "AgentSetup":
    """How the agent is to work, as the options say."""
    from ...agent.assembly import AgentSetup

    numbers = {name: call.number(name) for name in ("turns", "tokens", "context")}
    return AgentSetup(
        dialect=call.word("dialect"),
        attention=call.word("attention"),
        is_small=tool_calls(call) == "json",
        plan_mode=call.flag("plan"),
        limits={name: number for name, number in numbers.items() if number is not None},
        database=None if is_address(call.database) else call.database,
        checks=call.flag("checks"),
    )


def conversation_folder(call: Invocation) -> Path:
    """Where conversations are saved: beside the plans; beside those of a file, if the plans are in a database."""
    from ...agent.conversations import FOLDER

    environ = {name: value for name, value in call.environ.items() if name != VARIABLE}
    return Path(locate(environ) if is_address(call.database) else call.database).parent / FOLDER


def _list_conversations(call: Invocation, conversations: "ConversationFolder") -> int:
    """Print every conversation on a line, the one changed last first."""
    from ...terminal.lines import text_line
    from ...terminal.table import Column, table_lines

    every, screen = conversations.all(), call.screen
    if call.wants_json:
        screen.print_json([_data(saved) for saved in every])
    elif not every:
        screen.print_text(f"No conversations yet in {conversations.folder}")
    else:
        columns = (Column("ID"), Column("CHANGED", is_optional=True), Column("MESSAGES", is_right=True), Column("TASK"))
        rows = [list(map(text_line, _row(saved))) for saved in every]
        screen.print(table_lines(columns, rows, screen.columns))
    return Exit.OK


def _data(saved: "SavedConversation") -> dict[str, object]:
    info = saved.info._asdict()
    return {**info, "changed_at": saved.changed_at, "messages": len(saved.messages), "title": saved.title}


def _row(saved: "SavedConversation") -> tuple[str, ...]:
    from ...terminal.plan import local_time

    return saved.info.id, local_time(saved.changed_at), str(len(saved.messages)), saved.title


def _work(agent: "Agent", screen: "RunScreen", task: str | None, open_model: "Callable[[str | None], Model]") -> int:
    """Do the task, or take tasks from the person if there is none."""
    from ...agent.assembly import connect_model
    from ...agent.dialogue import run_dialogue, run_task
    from ...agent.result import DONE, INTERRUPTED
    from ...agent.slash_commands import SlashContext

    context = SlashContext(agent, lambda name: connect_model(agent, open_model(name)), screen.unfold)
    if task is None:
        run_dialogue(context, screen)
        return Exit.OK
    reason = run_task(context, screen, task).reason
    return {DONE: Exit.OK, INTERRUPTED: Exit.INTERRUPTED}.get(reason, Exit.REFUSED)


def _task(call: Invocation) -> str | None:
    """What to do: the argument, else standard input; None if there is a person to talk to."""
    task = call.word("prompt")
    if task is None and not sys.stdin.isatty():
        task = sys.stdin.read()
    if task is None and call.wants_json:
        raise Misuse("--json needs a task: give it as an argument or on standard input")
    if task is not None and not task.strip():
        raise CommandError("there is nothing to do: the task is empty")
    return task


def _earlier_conversation(
    call: Invocation, conversations: "ConversationFolder", stack: ExitStack
) -> "OpenConversation | None":
    """The conversation to go on with, if that was asked for. Raises UsageError if it does not exist."""
    if (id := call.word("resume")) is not None:
        return stack.enter_context(closing(conversations.resume(id)))
    if call.flag("continue"):
        return stack.enter_context(closing(conversations.last(_workspace(), call.word("session"))))
    return None


def _workspace() -> str:
    return os.path.realpath(os.getcwd())


@contextmanager
def _orderly_end() -> Iterator[None]:
    """A signal that ends the process ends what it runs, too, and leaves the terminal as it was."""
    import signal

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


COMMAND = Command(
    "agent",
    "Run a coding agent that plans in the open, in this folder. Without a task it is a conversation.",
    run,
    (
        Argument("PROMPT", "the task; default: standard input", many="?"),
        *MODEL_ARGUMENTS,
        Argument("--attention", "how it is kept on its plan; default: what suits the model", choices=tuple(POLICIES)),
        Argument(
            "--dialect", "the form of its plan's tool; default: what suits the model", choices=tuple(dialects.names())
        ),
        Argument("--yes", "run commands without asking"),
        Argument("--checks", "the model may say what must pass for a todo to be done"),
        Argument("--plan", "look and plan only, until you say go"),
        Argument("--continue", "go on with the last conversation in this folder"),
        Argument("--resume", "go on with a conversation", "ID"),
        Argument("--list", "list the conversations"),
        Argument("--turns", "how many turns a task may take, 0 for no limit", "N", of=whole_number),
        Argument("--tokens", "how many tokens a task may take, 0 for no limit", "N", of=whole_number),
        Argument("--context", "how many tokens a conversation may have before it is summed up", "N", of=whole_number),
        Argument("--session", "the session of its plan; default: one of its own", "NAME"),
    ),
    (
        Example('holdfast agent "Make the tests pass"', "one task"),
        Example("holdfast agent --plan", "a conversation that begins with a plan"),
        Example("holdfast agent --continue", "go on after a crash or a reboot"),
        Example(
            "holdfast agent --base-url http://127.0.0.1:8080/v1 --tool-calls json", "a local model without tool calls"
        ),
    ),
    "the events of the run, one object per line, each with its `kind`; with `--list` the conversations",
    uses=Uses.STORE,
)
