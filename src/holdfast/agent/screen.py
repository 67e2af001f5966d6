"""Where a run is shown: a terminal with the plan in view at its bottom, plain lines, or events as JSON."""

import json
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from ..errors import StoreError
from ..plan import Plan, checklist
from ..terminal.lines import Line, Span, plain_text, text_line
from ..terminal.screen import Screen
from ..text import brief, one_line
from .events import AgentEvent, Finished, event_data
from .loop import Agent
from .narration import Narrator

PIPE_CLOSED = 141
"""What a shell calls the exit code of a program whose reader went away."""


class RunScreen(Protocol):
    """What shows a run to a person or to a program."""

    def show(self, event: AgentEvent) -> None:
        """Show what happened."""
        ...

    def say(self, text: str) -> None:
        """Show a text that is not an event: an answer to a command, a note."""
        ...

    def ask(self, prompt: str, fresh: bool = False) -> str:
        """A line from the person, a `fresh` one not typed before the question. Raises EOFError if nobody is there."""
        ...

    @contextmanager
    def working(self) -> Iterator[None]:
        """While an agent works. Most screens have nothing to prepare."""
        yield

    def unfold(self) -> str:
        """The last tool result in full."""
        ...


class JSONScreen(RunScreen):
    """Events as JSON, one per line. Nobody can be asked."""

    def show(self, event: AgentEvent) -> None:
        """Print an event."""
        self._print(event_data(event))

    def say(self, text: str) -> None:
        """Print a note."""
        self._print({"kind": "note", "text": text})

    def ask(self, prompt: str, fresh: bool = False) -> str:
        """Nobody is there."""
        raise EOFError

    def unfold(self) -> str:
        """Nothing is folded."""
        return ""

    def _print(self, record: object) -> None:
        _write((Span(json.dumps(record, default=str)),))


class PlainScreen(RunScreen):
    """Plain lines, for pipes, logs and terminals without colours."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._narrator = Narrator(agent.board.dialect.tool_names, True, agent.board.plan.todos)

    def show(self, event: AgentEvent) -> None:
        """Print the lines of an event."""
        self._print(self._narrator.narrate(event))
        if isinstance(event, Finished):
            self._print([text_line(describe_end(self._agent, event))])

    def say(self, text: str) -> None:
        """Print a text, on lines of its own: the model may be in the middle of one, and begins again after it."""
        self._print([*self._narrator.flush(), *map(text_line, text.splitlines())])

    def ask(self, prompt: str, fresh: bool = False) -> str:
        """Ask, if there is a terminal to ask at."""
        return read_line(prompt, fresh)

    def unfold(self) -> str:
        """The last tool result in full."""
        return self._narrator.last_output

    def _print(self, lines: Sequence[Line]) -> None:
        for line in lines:
            _write(line)


def read_line(prompt: str, fresh: bool = False) -> str:
    """A line from the keyboard, with editing and a history. Raises EOFError if there is no terminal, or no more."""
    if not sys.stdin.isatty():
        raise EOFError
    import readline  # noqa: F401 its import is what gives `input` its editing

    if fresh:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    return input(prompt)


def describe_end(agent: Agent, event: Finished) -> str:
    """How a run ended, in one line: why, how far the plan is, and what it took."""
    plan = Plan(event.todos)
    parts = [one_line(event.reason)]
    parts += [f"{len(plan.done)}/{len(plan.todos)} todos"] if plan.todos else []
    parts += [f"{event.tokens_in:,} tokens in, {event.tokens_out:,} out"]
    with suppress(StoreError):  # then that is the reason
        parts += [f"the plan took about {agent.session.tokens.total:,}"] if plan.todos else []
    return " · ".join(parts)


def plan_text(plan: Plan) -> str:
    """A plan as lines for any screen, with the ids that commands take."""
    lines = [f"{checklist.GLYPHS[todo.status]} {todo.id}  {brief(todo.content, 200)}" for todo in plan.todos]
    return "\n".join(lines) or "No todos."


def open_screen(agent: Agent, as_json: bool = False) -> RunScreen:
    """The screen that standard output is, subscribed to an agent."""
    screen = JSONScreen() if as_json else _person_screen(agent)
    agent.on_event(screen.show)
    return screen


def _person_screen(agent: Agent) -> RunScreen:
    if not Screen.of_stream(sys.stdout).colours:
        return PlainScreen(agent)
    from .live_screen import LiveScreen  # draws with rich

    return LiveScreen(agent)


def _write(line: Line) -> None:
    try:
        sys.stdout.write(f"{plain_text(line, sys.stdout.encoding or 'utf-8')}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read it went away: no exception of a listener's, the end
        raise SystemExit(PIPE_CLOSED) from None
