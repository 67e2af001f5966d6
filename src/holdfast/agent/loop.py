"""The agent's loop, on messages in the form of the Messages API: run → step → query → execute."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..attention.driver import Attention
from ..attention.piggyback import unload
from ..board import Board
from ..board.session import Session
from ..errors import HoldfastError, ModelError, StoreError, TooLong
from ..plan import Change, Todo
from ..plan.checks import Check, CheckResult
from . import compaction
from .events import AgentEvent, Compaction, Finished, ReminderSent, Text, TodoUpdate, ToolCall, ToolResult
from .limits import Budget, Limits
from .messages import (
    Block,
    Message,
    Model,
    ModelAnswer,
    complete_results,
    message_text,
    request_messages,
    result_block,
    results_message,
    split_answer,
    text,
    user_message,
)
from .result import DONE, INTERRUPTED, RunEnded, RunResult
from .tools.bash import BASH
from .tools.tool import AgentTool, Permission, run_tool

PLAN_MODE = (
    "<plan-mode>Look, change nothing, and answer with a plan of the steps. "
    "The work starts when the user says go.</plan-mode>"
)


class Agent:
    """Runs a model with tools and a plan. It adds the plan's own tool; the session's policy says when to remind of it.

    `permission` is called before a tool that needs it; `None` allows everything. `save` is called with the whole
    conversation whenever it has changed. A subagent has a `board` of its own.
    """

    summary_system = compaction.SYSTEM
    """The system prompt of a request for a summary."""

    def __init__(
        self,
        model: Model,
        session: Session,
        tools: Sequence[AgentTool] = (),
        *,
        system: str = "",
        limits: Limits = Limits(),  # noqa: B008 a frozen value
        permission: Permission | None = None,
        save: Callable[[Sequence[Message]], object] | None = None,
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
        self.messages = complete_results(messages)
        self.tokens_in = self.tokens_out = 0
        self.requests = 0
        self._save = save
        self._listeners: list[Callable[[AgentEvent], object]] = []
        self.board.on_change(self._report_change)
        self.board.verify_with(self._run_check)

    def on_event(self, listener: Callable[[AgentEvent], object]) -> Callable[[], None]:
        """Call `listener` with every event; call what is returned to unsubscribe. What it raises ends the run."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def run(self, task: str) -> RunResult:
        """Work on a task until the model calls no tool. However the run ends, plan and conversation stay whole."""
        self.budget = Budget(self.limits)
        try:
            self.add_user_message(task)
            while self.step():
                pass
            reason = DONE
        except KeyboardInterrupt:
            self.attention.interrupted()
            reason = INTERRUPTED
        except ModelError as error:
            reason = f"model: {error}"
        except (RunEnded, HoldfastError) as error:
            reason = str(error)
        return self.finish(reason)

    def add_user_message(self, task: str) -> None:
        """Add what the user says, with what the model needs to know first."""
        opening = self.attention.on_user_message(task)
        mode = PLAN_MODE if self.session.plan_mode else ""
        self.add_message(user_message(*(text(part) for part in (opening and opening.text, task, mode) if part)))

    def step(self) -> bool:
        """One round of the loop. Returns whether there is another one."""
        return self.execute(self.query())

    def query(self) -> list[ToolCall]:
        """Ask the model, with less of the conversation if it is too long for it. Raises RunEnded at a limit."""
        self.budget.take_turn()
        if self.limits.context and self.context > self.limits.context:
            self.compact(keep_tokens=self.limits.context // 4)
        while True:
            try:
                return self.request_answer()
            except TooLong:
                if not self.compact(keep_tokens=self.context // 4):
                    raise

    def request_answer(self) -> list[ToolCall]:
        """One request and its answer. A reminder comes last in the request; only news stays in the conversation."""
        tools = self.tool_definitions()  # first: what is said depends on what the model has
        reminder = None if self.session.plan_mode else self.attention.before_request()
        tail = "" if reminder is None else reminder.text
        if reminder is not None:
            self.emit(ReminderSent(tail))
        if reminder is not None and reminder.keep:
            self.add_message(user_message(text(tail)))
            tail = ""
        answer = self.ask_model(
            self.system,
            request_messages(self.messages, tail),
            tools,
            lambda piece: self.emit(Text(piece)),
        )
        message, calls = split_answer(answer.blocks, len(self.messages))
        self.add_message(message)
        self.budget.record_calls(calls)
        return calls

    def execute(self, calls: Sequence[ToolCall]) -> bool:
        """Run the calls in order, their results in one message. Without calls, the policy may still hold the model."""
        if not calls:
            return self.before_stop()
        results: list[Block] = []
        try:
            for call in calls:
                results += [self.run_call(call)]
        finally:  # even after an interrupt, every call has its result
            self.add_message(results_message(calls, results))
        return True

    def run_call(self, call: ToolCall) -> Block:
        """Run one tool call. Whatever goes wrong is a result, never the end of the loop."""
        self.emit(call)
        is_plan = call.name in self.board.dialect.tool_names
        result = self._write_plan(call) if is_plan else self._run_tool(call)
        self.emit(result)
        return result_block(result)

    def before_stop(self) -> bool:
        """Whether the policy makes a model go on that wants to stop, because there is work left."""
        if self.session.plan_mode:
            return False
        self.attention.asked_user(message_text(self.messages[-1]).rstrip().endswith("?"))
        reminder = self.attention.before_stop()
        if reminder is not None:
            self.emit(ReminderSent(reminder.text))
            self.add_message(user_message(text(reminder.text)))
        return reminder is not None

    def compact(self, keep_tokens: int = 0) -> bool:
        """Let the model sum up all but the last `keep_tokens`. The plan is no part of it: the next request restates it.

        Returns whether there was anything to sum up. Raises ModelError if the model gives no summary.
        """
        at = compaction.cut_position(self.messages, keep_tokens)
        if not at:
            return False
        before = self.context
        most = self.limits.context or 2 * before  # all of it
        summary = compaction.summarize(self.messages[:at], most, self._ask_summary)
        self.messages = compaction.insert_summary(self.messages, at, summary)
        self.save()
        self.attention.after_compaction()
        self.emit(Compaction(summary, before, self.context))
        return True

    @property
    def context(self) -> int:
        """About how many tokens the conversation has."""
        return compaction.token_count(self.messages)

    @property
    def read_only_tools(self) -> frozenset[str]:
        """The names of its tools that only read."""
        return frozenset(name for name, tool in self.tools.items() if tool.read_only)

    def tool_definitions(self) -> list[dict[str, Any]]:
        """The tools that the model has now, in the form of the Messages API; in plan mode, only read-only ones."""
        is_main = self.board is self.session.board
        own = [tool.definition for tool in self.tools.values() if tool.read_only or not self.session.plan_mode]
        plan = self.session.tools("anthropic") if is_main else self.board.tools("anthropic")
        return [*self.attention.equip(own, self.read_only_tools), *plan]

    def ask_model(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        on_text: Callable[[str], None] | None = None,
    ) -> ModelAnswer:
        """The model's answer, its tokens counted. Raises ModelError if there is none."""
        self.requests += 1
        answer = self.model.query(system, messages, tools, on_text)
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.budget.spend(answer)
        return answer

    def add_message(self, message: Message) -> None:
        """Add to the conversation, and save it."""
        self.messages.append(message)
        self.save()

    def save(self) -> None:
        """Save the conversation as it is now. Raises StoreError if that fails."""
        if self._save is not None:
            self._save(self.messages)

    def finish(self, reason: str) -> RunResult:
        """End the run. A call that was interrupted before its result gets one."""
        self.messages = complete_results(self.messages)
        todos: tuple[Todo, ...] = ()
        with suppress(StoreError):  # the run ended for this very reason
            todos = self.board.plan.todos
            self.save()
        self.emit(Finished(reason, todos, self.tokens_in, self.tokens_out))
        return RunResult(reason, todos, self.messages)

    def emit(self, event: AgentEvent) -> None:
        """Call every listener."""
        for listener in list(self._listeners):
            listener(event)

    def _ask_summary(self, request: Message) -> str:
        return message_text(split_answer(self.ask_model(self.summary_system, [request], []).blocks, 0)[0])

    def _write_plan(self, call: ToolCall) -> ToolResult:
        reply = self.board.write(call.input, tool=call.name)
        return ToolResult(call.id, call.name, reply.text, not reply.ok)

    def _run_tool(self, call: ToolCall) -> ToolResult:
        given = call.input if isinstance(call.input, Mapping) else None
        own = unload(given)[0] if given is not None and self.attention.policy.rides is not False else call.input
        result = run_tool(self.tools, replace(call, input=own), self.permission, self.session.plan_mode)
        added = self.attention.after_tool(call.name, given, result.failed, read_only=call.name in self.read_only_tools)
        return replace(result, output=f"{result.output}\n{added}") if added else result

    def _run_check(self, check: Check) -> CheckResult | None:
        """Run a command that is a todo's check by the tool `bash`, with the same permission."""
        if check.kind != "command" or BASH not in self.tools:
            return None
        call = ToolCall("check", BASH, {"command": check.target})
        result = run_tool(self.tools, call, self.permission, self.session.plan_mode)
        return CheckResult(not result.failed, result.output)

    def _report_change(self, change: Change) -> None:
        if change.action != "told":
            self.emit(TodoUpdate(change.after.todos, change.by))
