"""The command `holdfast agent`: puts an agent together out of its options, and lets it work."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from .. import dialects
from ..attention.policies import POLICIES
from ..board.session import Session
from ..cli.command import Exit
from ..cli.invocation import Invocation, Misuse, Refusal, is_address
from ..stores.locate import locate
from ..terminal.plan import when
from ..terminal.table import Cell, Column, table
from .conversations import FOLDER, ConversationFolder, OpenConversation, SavedConversation
from .dialogue import permission_prompt, run_dialogue, run_task
from .limits import Limits
from .loop import Agent
from .messages import Model
from .models.action_schema import mark_action
from .rehearsal import Rehearsal, read_script
from .result import DONE, INTERRUPTED
from .screen import RunScreen, open_screen
from .slash_commands import SlashContext
from .tools import Workspace, standard_tools
from .tools.files import MOST_OUTPUT
from .tools.task import task_tool

SYSTEM = """You are a coding agent at work in the folder {root}. Paths are relative to it.
Look before you change something, and run the tests afterwards. At the end, say in a few words what you did."""

REHEARSAL = "rehearsal:"
SMALL_CONTEXT = 6000
"""Tokens of conversation for a local model, if not said otherwise: many have room for 8,192 in all."""


def run(call: Invocation) -> int:
    """Run an agent on one task, or in conversation; or list the conversations."""
    conversations = ConversationFolder(folder(call))
    if call.flag("list"):
        return listed(call, conversations)

    def opened(name: str | None) -> Model:
        return _opened(call, name, lambda line: screen.say(line))

    with ExitStack() as held:
        earlier = _earlier(call, conversations, held)
        task = _task(call)
        model = opened(call.word("model"))
        conversation = earlier or _begun(call, conversations, held)
        held.enter_context(_orderly_end())
        agent = assembled(call, model, conversation)
        screen = open_screen(agent, call.wants_json)
        agent.permission = None if call.flag("yes") else permission_prompt(screen)
        return _worked(SlashContext(agent, lambda name: _fitted(agent, opened(name)), screen.unfold), screen, task)


def assembled(call: Invocation, model: Model, conversation: OpenConversation) -> Agent:
    """An agent with its tools, its plan and what was said before."""
    is_small = call.word("tool_calls") == "json"
    limits = _limits(call, is_small)
    workspace = Workspace(conversation.about.workspace)
    dialect = dialects.get(dialect_for(call, model))
    policy = POLICIES[call.word("attention") or ("rail" if is_small else "quiet")]
    session = Session(
        store=call.store,
        name=conversation.about.session,
        dialect=dialect,
        policy=policy.replace(mark=mark_action(dialect)) if is_small else policy,
        root=workspace.root,
    )
    session.plan_mode = call.flag("plan")
    if conversation.messages:
        _dismiss_subagents(session)
    agent = Agent(
        model,
        session,
        standard_tools(workspace, min(MOST_OUTPUT, limits.context // 2 or MOST_OUTPUT), _same_plan(call, session)),
        system=SYSTEM.format(root=workspace.root),
        limits=limits,
        save=conversation.save,
        messages=conversation.messages,
    )
    if not is_small:
        tool = task_tool(agent)
        agent.tools[tool.name] = tool
    _fitted(agent, model)
    return agent


def dialect_for(call: Invocation, model: Model) -> str:
    """The dialect that was asked for, else the one that suits the model. Small models do best with the default."""
    if (named := call.word("dialect")) is not None:
        return named
    return "holdfast" if call.word("tool_calls") == "json" else dialects.for_model(getattr(model, "name", ""))


def folder(call: Invocation) -> Path:
    """Where conversations are kept: beside the plans; beside those of a file, if the plans are in a database."""
    here = {name: value for name, value in call.environ.items() if name != "HOLDFAST_DB"}
    return Path(locate(here) if is_address(call.place) else call.place).parent / FOLDER


def listed(call: Invocation, conversations: ConversationFolder) -> int:
    """Print every conversation on a line, the one changed last first."""
    every, screen = conversations.all(), call.screen
    if call.wants_json:
        screen.print_json([_data(kept) for kept in every])
    elif not every:
        screen.print([f"No conversations yet in {screen.text(str(conversations.folder))}"])
    else:
        columns = (Column("ID"), Column("CHANGED", can_go=True), Column("MESSAGES", right=True), Column("TASK"))
        screen.print(table(screen, columns, [[Cell(screen.text(cell)) for cell in _row(kept)] for kept in every]))
    return Exit.OK


def _data(kept: SavedConversation) -> dict[str, object]:
    about = kept.about._asdict()
    return {**about, "changed_at": kept.changed_at, "messages": len(kept.messages), "title": kept.title}


def _row(kept: SavedConversation) -> tuple[str, ...]:
    return kept.about.id, when(kept.changed_at), str(len(kept.messages)), kept.title


def _worked(desk: SlashContext, screen: RunScreen, task: str | None) -> int:
    if task is None:
        run_dialogue(desk, screen)
        return Exit.OK
    reason = run_task(desk, screen, task).reason
    return {DONE: Exit.OK, INTERRUPTED: Exit.INTERRUPTED}.get(reason, Exit.REFUSED)


def _task(call: Invocation) -> str | None:
    """What to do: the argument, else standard input; none if there is a person to talk to."""
    task = call.word("prompt")
    if task is None and not sys.stdin.isatty():
        task = sys.stdin.read()
    if task is None and call.wants_json:
        raise Misuse("--json needs a task: give it as an argument or on standard input")
    if task is not None and not task.strip():
        raise Refusal("there is nothing to do: the task is empty")
    return task


def _earlier(call: Invocation, conversations: ConversationFolder, held: ExitStack) -> OpenConversation | None:
    """The conversation to go on with, if that was asked for. Raises UsageError if there is none."""
    if (id := call.word("resume")) is not None:
        return held.enter_context(closing(conversations.resume(id)))
    if call.flag("continue"):
        return held.enter_context(closing(conversations.last(_workspace(), call.word("session"))))
    return None


def _begun(call: Invocation, conversations: ConversationFolder, held: ExitStack) -> OpenConversation:
    return held.enter_context(closing(conversations.begin(_workspace(), call.word("session"))))


def _workspace() -> str:
    return os.path.realpath(os.getcwd())


def _opened(call: Invocation, name: str | None, tell: Callable[[str], object]) -> Model:
    """The model of a name; `tell` hears why it is waited for. Raises ModelError, in one line that says what to do."""
    name = name or call.environ.get("HOLDFAST_MODEL")
    if name is not None and name.startswith(REHEARSAL):
        return Rehearsal(read_script(name.removeprefix(REHEARSAL)))
    from .models import Retries, open_model

    retries = Retries(on_retry=tell)
    return open_model(name, call.word("base_url"), call.word("tool_calls") or "native", call.environ, retries)


def _fitted(agent: Agent, model: Model) -> Model:
    """The model, told which actions make sense next if it can be held to them."""
    from .models import JSONActions

    if isinstance(model, JSONActions):
        model.offer = agent.attention.offer
        model.plan_tool = agent.board.dialect.tool_name
        model.read_only_tools = agent.read_only_tools
    return model


def _same_plan(call: Invocation, session: Session) -> dict[str, str]:
    """What makes `TodoWrite`, run as a command, write this very plan. No address is passed: it may hold a password."""
    return {} if is_address(call.place) else {"HOLDFAST_DB": call.place, "HOLDFAST_SESSION": session.name}


def _dismiss_subagents(session: Session) -> None:
    """End the plans of subagents that a crash has left behind."""
    for key, plan in session.board.store.sessions():
        if key.session == session.name and key.agent != session.board.key.agent and plan.todos:
            session.dismiss(key.agent)


def _limits(call: Invocation, is_small: bool) -> Limits:
    given = {name: call.number(name) for name in ("turns", "tokens", "context")}
    limits = Limits(context=SMALL_CONTEXT) if is_small else Limits()
    return limits._replace(**{name: number for name, number in given.items() if number is not None})


@contextmanager
def _orderly_end() -> Iterator[None]:
    """A signal that ends the process ends what it runs, too, and leaves the terminal as it was."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
