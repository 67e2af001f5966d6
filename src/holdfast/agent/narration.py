"""What happens in a run as lines for a person. Texts are cleaned here: hostile ones are shown, never obeyed."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..plan import Todo, differences
from ..plan.checklist import difference_lines
from ..terminal.lines import SUBDUED, Line, Span, text_line, wrap_line
from ..text import counted, one_line, shorten
from .events import AgentEvent, Compaction, Finished, ReminderSent, Subagent, Text, TodoUpdate, ToolCall, ToolResult

LONGEST = 2000
"""How many characters of one line of somebody's text are shown."""

_TAGS = re.compile("</?(?:plan|reminder)>")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_BULLET = re.compile(r"(\s*)[-*+]\s+(.*)")
_INLINE = re.compile(r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`")
_EXIT_CODE = re.compile(r"\[(exit code -?\d+)\]$")


class Narrator:
    """Describes events in lines. With `columns` the text of the model is wrapped; without, it is left as it is.

    A line of text that has not ended yet is in `pending`, what is going on in `doing`, subagents' plans in `plans`.
    With `tells_plan` the model's changes of the plan are described, too, for screens that do not show it. `todos` are
    those that the plan has to begin with.
    """

    def __init__(self, plan_tools: Sequence[str], tells_plan: bool = False, todos: tuple[Todo, ...] = ()) -> None:
        self.plan_tools = plan_tools
        self.tells_plan = tells_plan
        self.pending = ""
        self.doing = ""
        self.last_output = ""
        self.plans: dict[str, tuple[str, tuple[Todo, ...]]] = {}
        self._todos = todos
        self._calls: dict[str, str] = {}
        self._inner: dict[str, Narrator] = {}
        self._is_code = False

    def narrate(self, event: AgentEvent, columns: int | None = None) -> list[Line]:
        """The lines of an event."""
        if isinstance(event, Text):
            return list(self._text_lines(event.text, columns))
        return [*self.flush(), *self._event_lines(event, columns)]

    def flush(self) -> list[Line]:
        """The line that has not ended yet, as it is."""
        line, self.pending = self.pending, ""
        return [text_line(line)] if line.strip() else []

    def _text_lines(self, piece: str, columns: int | None) -> Iterator[Line]:
        *whole, self.pending = (self.pending + piece).split("\n")
        for line in whole:
            for row in wrap_line(line, columns):
                yield self._styled(row, columns)
        *rows, rest = wrap_line(self.pending, columns)
        if rows:
            self.pending = rest
            for row in rows:
                yield self._styled(row, columns)

    def _styled(self, row: str, columns: int | None) -> Line:
        """A row of the model's text, its Markdown drawn; as it is, where nobody looks at a screen."""
        if columns is None:
            return (Span(row),)
        if _FENCE.match(row):
            self._is_code = not self._is_code
            return (Span(row, SUBDUED),)
        return (Span(row, "cyan"),) if self._is_code else markdown_line(row)

    def _event_lines(self, event: AgentEvent, columns: int | None) -> list[Line]:
        match event:
            case ToolCall():
                self._calls[event.id] = self.doing = describe_call(event)
            case ToolResult():
                return self._result_lines(event)
            case TodoUpdate():
                return self._plan_lines(event)
            case ReminderSent():
                return [_note_line(f"reminded: {shorten(_TAGS.sub('', event.text).strip(), 200)}")]
            case Compaction():
                return [_note_line(f"compacted: {event.tokens_before:,} → {event.tokens_after:,} tokens")]
            case Subagent():
                return self._subagent_lines(event, columns)
            case Finished():
                self.doing = ""
        return []

    def _plan_lines(self, event: TodoUpdate) -> list[Line]:
        before, self._todos = self._todos, event.todos
        is_cleared = before and not event.todos
        words = ["the plan is cleared"] if is_cleared else difference_lines(differences(before, event.todos))
        lines: list[Line] = [(Span(shorten(line, LONGEST)),) for line in words]
        if event.by == "person":
            return [_note_line("the user changed the plan:"), *lines]
        return lines if self.tells_plan else []

    def _result_lines(self, event: ToolResult) -> list[Line]:
        name = self._calls.pop(event.id, event.name)
        self.doing = ""
        self.last_output = event.output
        if event.name in self.plan_tools and not event.failed:
            return []
        glyph = Span("✗ ", "red") if event.failed else Span("✓ ", "green")
        return [(glyph, Span(name), Span(f"  {describe_result(event)}", SUBDUED))]

    def _subagent_lines(self, event: Subagent, columns: int | None) -> list[Line]:
        begins = event.name not in self._inner
        inner = self._inner.setdefault(event.name, Narrator(self.plan_tools, self.tells_plan))
        lines = inner.narrate(event.event, None if columns is None else max(columns - 2, 10))
        match event.event:
            case TodoUpdate(todos=todos):
                self.plans[event.name] = (event.task, todos)
            case Finished():
                self.plans.pop(event.name, None)
                del self._inner[event.name]
        self.doing = f"{one_line(event.name)}: {inner.doing or 'thinking'}"
        head = [_note_line(f"{event.name}: {shorten(event.task, 100)}")] if begins else []
        return [*head, *((Span("  "), *line) for line in lines)]


def describe_call(call: ToolCall) -> str:
    """A call in a few words: the tool, and the first thing it was given."""
    given = call.input if isinstance(call.input, Mapping) else {}
    first = next((value for value in given.values() if isinstance(value, str)), "")
    return one_line(f"{call.name} {first[:LONGEST].strip()}".rstrip())


def describe_result(result: ToolResult) -> str:
    """A result in a few words: what it says if that is one line, else how many lines."""
    lines = result.output.strip().splitlines() or [""]
    code = _EXIT_CODE.search(lines[-1])
    if result.failed and code is not None:
        return f"{code[1]}, {counted(len(lines) - 1, 'line')}"
    if result.failed:
        return one_line(lines[0][:LONGEST].removeprefix("Error: "))
    return one_line(lines[0][:LONGEST]) if len(lines) == 1 else counted(len(lines), "line")


def markdown_line(row: str) -> Line:
    """A row of Markdown as people like to read it: headings and stressed words bold, code in colour, bullets as dots.

    What is no Markdown, or goes on in another row, stays as it is.
    """
    heading = _HEADING.fullmatch(row)
    if heading is not None:
        return (Span(heading[1], "bold"),)
    bullet = _BULLET.fullmatch(row)
    head, text = (f"{bullet[1]}• ", bullet[2]) if bullet is not None else ("", row)
    spans, at = [Span(head)] if head else [], 0
    for found in _INLINE.finditer(text):
        spans += [Span(text[at : found.start()])] if found.start() > at else []
        spans.append(Span(found["bold"], "bold") if found["bold"] else Span(found["code"], "cyan"))
        at = found.end()
    return (*spans, Span(text[at:]))


def _note_line(text: str) -> Line:
    return text_line(f"· {text}", SUBDUED)
