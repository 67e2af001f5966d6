"""The screen of a terminal: text and tool calls scroll by, the plan stays in view below them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import StoreError
from ..plan import Plan
from ..terminal import TodoBox
from ..terminal.durations import duration
from ..terminal.lines import FRAMES_PER_SECOND, SPINNER, SUBDUED, Line, Span, text_line, wrap_line
from ..terminal.panel import Panel
from ..text import shorten
from .events import AgentEvent, Finished
from .loop import Agent
from .narration import Narrator
from .screen import describe_end, read_line


class LiveScreen:
    """Shows an agent on a terminal. The plan is read again for each frame: an edit from elsewhere is seen at once."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._narrator = Narrator(agent.board.dialect.tool_names, todos=agent.board.plan.todos)
        self._panel = Panel(self._draw)
        self._began = 0.0
        self._is_working = False

    def show(self, event: AgentEvent) -> None:
        """Let the lines of an event scroll by."""
        self._panel.print(self._narrator.narrate(event, self._panel.columns))
        if isinstance(event, Finished):
            self._show_end(event)

    def say(self, text: str) -> None:
        """Let a text scroll by, all of it: it may be what somebody is asked to allow."""
        columns = self._panel.columns
        rows = [(Span(row),) for line in text.splitlines() for row in wrap_line(line, columns)]
        self._panel.print([*self._narrator.flush(), *rows])

    def ask(self, prompt: str, fresh: bool = False) -> str:
        """Ask, with nothing below the question. While the agent works, the plan stays above it until the answer."""
        self._panel.down()
        box = self._plan_box() if self._is_working else []
        self._panel.print(box)
        try:
            answer = read_line(prompt, fresh)
            self._panel.take_back(len(box), f"{prompt}{answer}")
            return answer
        finally:
            if self._is_working:
                self._panel.up()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep the plan in view."""
        self._began = time.monotonic()
        self._is_working = True
        self._panel.up()
        try:
            yield
        finally:
            self._is_working = False
            self._panel.down()

    def unfold(self) -> str:
        """The last tool result in full."""
        return self._narrator.last_output

    def _show_end(self, event: Finished) -> None:
        """Leave the plan as it is now where the panel was, and say how the run ended."""
        self._is_working = False
        self._panel.down()
        box = _box_lines(Plan(event.todos), "Plan", self._panel.columns, None)
        self._panel.print([*box, text_line(describe_end(self._agent, event))])

    def _draw(self, columns: int, rows: int) -> Sequence[Line]:
        """The panel: the line that the model is at, the plans, and what is going on."""
        room = max(rows // 2 - 4, 3)
        pending: list[Line] = [text_line(self._narrator.pending)] if self._narrator.pending else []
        plans = self._plan_box()
        for name, (task, todos) in list(self._narrator.plans.items()):
            plans += [(Span("  "), *line) for line in _box_lines(Plan(todos), f"{name}: {task}", columns - 2, room)]
        return [*pending, *plans, self._status()]

    def _plan_box(self) -> list[Line]:
        return _box_lines(self._plan(), "Plan", self._panel.columns, max(self._panel.rows // 2 - 4, 3))

    def _status(self) -> Line:
        seconds = time.monotonic() - self._began
        frame = SPINNER[int(seconds * FRAMES_PER_SECOND) % len(SPINNER)]
        tokens = self._agent.tokens_in + self._agent.tokens_out
        doing = shorten(self._narrator.doing or "thinking", 500)
        return Span(f"{frame} ", "cyan"), Span(f"{duration(seconds)} · {tokens:,} tokens · {doing}", SUBDUED)

    def _plan(self) -> Plan:
        try:
            return self._agent.board.plan
        except StoreError:  # the next write says so
            return Plan()


def _box_lines(plan: Plan, title: str, columns: int, rows: int | None) -> list[Line]:
    if not plan.todos:
        return []
    return TodoBox(plan, f"{title} {len(plan.done)}/{len(plan.todos)}", rows).lines(columns)
