"""The agent's loop, on messages in the form of the Messages API: run → step → query → execute."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..attention.driver import Attention
from ..attention.piggyback import rideable, unload
from ..board import Board
from ..board.session import Session
from ..errors import HoldfastError, ModelError, StoreError, TooLong
from ..plan import Change, Todo
from . import compaction
from .events import Compaction, Event, Finished, Reminder, Text, TodoUpdate, ToolCall, ToolResult
from .limits import Budget, Limits
from .messages import Answer, Block, Call, Message, Model, answered, mended, request, result, taken, text, user, words
from .result import DONE, INTERRUPTED, Ended, Result
from .tools.execution import Outcome, Permission, use
from .tools.tool import Tool

LOOK_ONLY = (
    "<plan-mode>Look, change nothing, and answer with a plan of the steps. "
    "The work starts when the user says go.</plan-mode>"
)


class Agent:
    """Runs a model with tools and a plan. The plan's tool is there by itself; the session's policy keeps it in mind.

    `permission` is asked before a tool that wants it; without one everything is allowed. `keep` is given the whole
    conversation whenever it has changed. A subagent has a `board` of its own.
    """

    def __init__(
        self,
        model: Model,
        session: Session,
        tools: Sequence[Tool] = (),
        system: str = "",
        limits: Limits = Limits(),  # noqa: B008 a frozen value
        permission: Permission | None = None,
        keep: Callable[[Sequence[Message]], object] | None = None,
        board: Board | None = None,
        messages: Sequence[Message] = (),
    ) -> None:
        self.model = model
        self.session = session
        self.board = session.board if board is None else board
        self.tools = {tool.name: tool for tool in tools}
        self.attention = session.attention if board is None else Attention(board)
        self.instructions = system
        self.system = "\n\n".join(part for part in (system, self.board.prompt) if part)
        self.limits = limits
        self.budget = Budget(limits)
        self.permission = permission
        self.messages = mended(messages)
        self.tokens_in = self.tokens_out = 0
        self._keep = keep
        self._listeners: list[Callable[[Event], object]] = []
        self.board.on_change(self._changed)

    def on_event(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Call `listener` with all that happens; call what is returned to end that. What it raises ends the run."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def run(self, task: str) -> Result:
        """Work on a task until the model calls no tool. Whatever ends it, plan and conversation stay whole."""
        self.budget = Budget(self.limits)
        try:
            self.hear(task)
            while self.step():
                pass
            reason = DONE
        except KeyboardInterrupt:
            self.attention.interrupted()
            reason = INTERRUPTED
        except ModelError as error:
            reason = f"model: {error}"
        except (Ended, HoldfastError) as error:
            reason = str(error)
        return self.finish(reason)

    def hear(self, task: str) -> None:
        """Take in what the user says."""
        opening = self.attention.on_user_message(task)
        mode = LOOK_ONLY if self.session.plan_mode else ""
        self.remember(user(*(text(part) for part in (opening and opening.text, task, mode) if part)))

    def step(self) -> bool:
        """One round. Returns whether there is another one."""
        return self.execute(self.query())

    def query(self) -> list[Call]:
        """Ask the model, with less of the conversation if it is too long for it. Raises Ended if a limit is reached."""
        self.budget.take_turn()
        if self.limits.context and self.context > self.limits.context:
            self.compact(kept=self.limits.context // 4)
        while True:
            try:
                return self.hear_model()
            except TooLong:
                if not self.compact(kept=self.context // 4):
                    raise

    def hear_model(self) -> list[Call]:
        """One request and its answer. A reminder ends the request; only news is kept."""
        reminder = None if self.session.plan_mode else self.attention.before_request()
        tail = "" if reminder is None else reminder.text
        if reminder is not None:
            self.emit(Reminder(tail))
        if reminder is not None and reminder.keep:
            self.remember(user(text(tail)))
            tail = ""
        answer = self.ask(
            self.system, request(self.messages, tail), self.offered(), lambda piece: self.emit(Text(piece))
        )
        message, calls = taken(answer.blocks, len(self.messages))
        self.remember(message)
        self.budget.note(calls)
        return calls

    def execute(self, calls: Sequence[Call]) -> bool:
        """Run the calls in order, their results in one message. Without calls, open work may still hold the model."""
        if not calls:
            return self.hold()
        results: list[Block] = []
        try:
            for call in calls:
                results += [self.use(call)]
        finally:  # whatever breaks in, every call has its result
            self.remember(answered(calls, results))
        return True

    def use(self, call: Call) -> Block:
        """Run one tool call. Whatever goes wrong is an answer, never the end of the loop."""
        self.emit(ToolCall(*call))
        is_plan = call.name in self.board.dialect.tool_names
        outcome = self._write(call.name, call.input) if is_plan else self._work(call.name, call.input)
        self.emit(ToolResult(call.id, call.name, *outcome))
        return result(call, *outcome)

    def hold(self) -> bool:
        """Whether a model that would end its turn is told to go on, by the policy, because there is work left."""
        if self.session.plan_mode:
            return False
        self.attention.asked_user(words(self.messages[-1]).rstrip().endswith("?"))
        reminder = self.attention.before_stop()
        if reminder is not None:
            self.emit(Reminder(reminder.text))
            self.remember(user(text(reminder.text)))
        return reminder is not None

    def compact(self, kept: int = 0) -> bool:
        """Let the model sum up all but the last `kept` tokens. The plan is no part of it: the next request restates it.

        Returns whether there was anything to sum up. Raises ModelError if the model gives no summary.
        """
        at = compaction.place(self.messages, kept)
        if not at:
            return False
        before = self.context
        most = self.limits.context or 2 * before  # all of it
        summary = compaction.summed_up(self.messages[:at], most, self._summary)
        self.messages = compaction.compacted(self.messages, at, summary)
        self.save()
        self.attention.after_compaction()
        self.emit(Compaction(summary, before, self.context))
        return True

    @property
    def context(self) -> int:
        """About how many tokens the conversation has."""
        return compaction.size(self.messages)

    @property
    def looks(self) -> frozenset[str]:
        """The names of its tools that only read."""
        return frozenset(name for name, tool in self.tools.items() if tool.reads_only)

    def offered(self) -> list[dict[str, Any]]:
        """The tools that the model has now, in the form of the Messages API: in plan mode, what changes nothing."""
        is_main = self.board is self.session.board
        own = [tool.definition for tool in self.tools.values() if tool.reads_only or not self.session.plan_mode]
        plan = self.session.tools("anthropic") if is_main else self.board.tools("anthropic")
        return [*(map(rideable, own) if self.attention.policy.rides else own), *plan]

    def ask(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """The model's answer, its tokens counted. Raises ModelError if there is none."""
        answer = self.model.query(system, messages, tools, on_text)
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.budget.spend(answer)
        return answer

    def remember(self, message: Message) -> None:
        """Add to the conversation, and keep it."""
        self.messages.append(message)
        self.save()

    def save(self) -> None:
        """Keep the conversation as it is now. Raises StoreError if that fails."""
        if self._keep is not None:
            self._keep(self.messages)

    def finish(self, reason: str) -> Result:
        """Tell that the run is over. What was cut off between a call and its result is mended."""
        self.messages = mended(self.messages)
        todos: tuple[Todo, ...] = ()
        with suppress(StoreError):  # then that is the reason
            todos = self.board.plan.todos
            self.save()
        self.emit(Finished(reason, todos, self.tokens_in, self.tokens_out))
        return Result(reason, todos, self.messages)

    def emit(self, event: Event) -> None:
        """Tell everyone who listens."""
        for listener in list(self._listeners):
            listener(event)

    def _summary(self, asked: Message) -> str:
        return words(taken(self.ask(compaction.SYSTEM, [asked], []).blocks, 0)[0])

    def _write(self, tool: str, payload: object) -> Outcome:
        reply = self.board.write(payload, tool=tool)
        return Outcome(reply.text, not reply.ok)

    def _work(self, name: str, arguments: object) -> Outcome:
        given = arguments if isinstance(arguments, Mapping) else None
        own = unload(given)[0] if given is not None and self.attention.policy.rides else arguments
        outcome = use(self.tools, name, own, self.permission, self.session.plan_mode)
        added = self.attention.after_tool(name, given, outcome.failed, read_only=name in self.looks)
        return outcome._replace(text=f"{outcome.text}\n{added}") if added else outcome

    def _changed(self, change: Change) -> None:
        if change.action != "told":
            self.emit(TodoUpdate(change.after.todos, change.by))
