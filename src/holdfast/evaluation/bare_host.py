"""The second host: a small loop on Holdfast's public names alone, as somebody writes it who has read the docs.

One tool, `bash`. Each turn is one JSON action, held to a schema by the server. When the conversation has too many
characters, the model sums it up, and nothing but the summary stays. Our own agent is no part of it.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast import Offer, Session
from holdfast.attention.piggyback import unload

from .bare_actions import (
    BareAction,
    ToolDefinition,
    action_form,
    answer_schema,
    describe_actions,
    mark_form,
    read_answer,
)
from .bare_chat import ChatServer
from .noise import noisy_shell
from .observer import TrialOutcome
from .trial import SAME_CALLS, Trial

Message = dict[str, str]

SYSTEM = (
    "You are an assistant with a shell in a folder. Do all that the user asks for, one thing at a time. "
    "Answer each turn with one JSON action and nothing else:"
)
BASH: ToolDefinition = {
    "name": "bash",
    "description": "Run a command in the folder.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string", "minLength": 1, "maxLength": 1000}},
        "required": ["command"],
    },
}
FINAL: ToolDefinition = {
    "name": "final",
    "description": "End, when everything that the user asked for is done.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 300}},
        "required": ["text"],
    },
}
SUMMARY = (
    "Sum up the conversation for yourself, in at most 100 words: what the user asked for, what is done, what is left."
)
SUMMARY_TOKENS = 200
GO_ON = "The conversation so far, summed up: {}\nGo on with the next action."
NO_ACTION = "That was not a JSON action."
CHARACTERS = 3
"""How many characters count as one token of the context."""


class BareHost:
    """Runs a trial by the small loop."""

    name = "bare"

    def __init__(self, chat: ChatServer) -> None:
        self.chat = chat

    def run(self, trial: Trial) -> TrialOutcome:
        """Let the model work on the task. Raises ModelError if the model does not answer."""
        loop = BareLoop(trial, self.chat)
        return TrialOutcome(loop.run(trial.task.text), loop.requests, loop.tokens_in, loop.tokens_out)


class BareLoop:
    """One conversation: the messages, the plan beside them, and what they have taken."""

    def __init__(self, trial: Trial, chat: ChatServer) -> None:
        self.settings, self.observer, self.has_offers = trial.settings, trial.observer, trial.arm.offers
        self.chat = chat
        self.shell = noisy_shell(trial.workspace, trial.home, trial.settings.noise, trial.rng())
        dialect = trial.arm.own_dialect()
        policy = trial.arm.policy.replace(mark=mark_form(dialect), end=action_form(FINAL))
        session = Session(dialect=dialect, policy=policy)
        session.on_todos(self.observer.on_todos)
        self.board, self.attention = session.board, session.attention
        self.attention.constrains = self.has_offers
        [self.bash] = self.attention.equip([BASH])
        self.plan_tools = {tool["name"]: tool for tool in self.board.tools("json")}
        actions = describe_actions([BASH, *self.plan_tools.values(), FINAL])
        system = "\n".join(part for part in (SYSTEM, actions, self.board.prompt) if part)
        self.messages: list[Message] = [{"role": "system", "content": system}]
        self.turns = self.requests = self.tokens_in = self.tokens_out = 0
        self._ends_at = time.monotonic() + self.settings.seconds
        self._last_answers: list[str] = []

    def run(self, task: str) -> str:
        """Work on a task. Returns why it ended: `done` if the model ended it."""
        self.add_user_message(task)
        while not (ended := self.limit_reached()):
            ended = self.step()
            if words := self.observer.next_words(bool(ended) or self.turns * 2 >= self.settings.turns):
                self.add_user_message(words)
            elif ended:
                break
        return ended

    def step(self) -> str:
        """One action. Returns why the run is over; empty if it is not."""
        self.turns += 1
        action = self.next_action()
        if action.tool == FINAL["name"]:
            return self.stop(action)
        self.execute(action)
        if sum(len(message["content"]) for message in self.messages) > self.settings.context * CHARACTERS:
            self.sum_up()
        return ""

    def next_action(self) -> BareAction:
        """Ask the model for its next action. A reminder ends the request; it is kept only if it says so."""
        reminder = self.attention.before_request()
        request = self.messages
        if reminder is not None:
            self.observer.on_reminder(reminder.text)
            *before, last = self.messages
            request = [*before, {**last, "content": f"{last['content']}\n{reminder.text}"}]
            if reminder.keep:
                self.messages = request
        answer = self.ask(request, self.settings.answer, answer_schema(self.offered_tools()))
        self.messages = [*self.messages, {"role": "assistant", "content": answer}]
        self._last_answers = [*self._last_answers, answer][-SAME_CALLS:]
        return read_answer(answer)

    def offered_tools(self) -> Sequence[ToolDefinition]:
        """The tools of the next action: those that make sense, if the arm narrows them."""
        offer = self.attention.offer() if self.has_offers else Offer(write=True, work=True, stop=True, ride=True)
        plan = list(self.plan_tools.values())
        if offer.schema is not None and len(plan) == 1:
            plan = [{**plan[0], "parameters": offer.schema}]
        offered = [
            *([self.bash if offer.ride else BASH] if offer.work else ()),
            *(plan if offer.write else ()),
            *([FINAL] if offer.stop else ()),
        ]
        return offered or [BASH, *plan, FINAL]

    def execute(self, action: BareAction) -> None:
        """Do what the model asks for. Whatever goes wrong is a result."""
        self.observer.on_call(action.tool or "?", action.arguments)
        if action.tool in self.plan_tools:
            reply = self.board.write(action.arguments, tool=action.tool)
            output, failed = reply.text, not reply.ok
        elif action.tool == BASH["name"]:
            output, failed = self.run_command(action.arguments)
        else:
            output, failed = NO_ACTION, True
        self.observer.on_result(action.tool, output, failed)
        self.messages.append({"role": "user", "content": output})

    def run_command(self, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """Run a command. Returns what the model reads, and whether it failed."""
        own, _ = unload(arguments)
        output, failed = self.shell(str(own.get("command", "")))
        added = self.attention.after_tool("bash", arguments, failed)
        return f"{output}\n{added}" if added else output, failed

    def stop(self, action: BareAction) -> str:
        """The model wants to end. Returns why it may; empty if there is work left that it should go on with."""
        self.observer.on_model_text(str(action.arguments.get("text", "")))
        reminder = self.attention.before_stop()
        if reminder is None:
            return "done"
        self.observer.on_reminder(reminder.text)
        self.messages.append({"role": "user", "content": reminder.text})
        return ""

    def sum_up(self) -> None:
        """Let the model sum up the conversation. Only the summary stays."""
        summary = self.ask([*self.messages, {"role": "user", "content": SUMMARY}], SUMMARY_TOKENS)
        self.messages = [self.messages[0], {"role": "user", "content": GO_ON.format(summary.strip())}]
        self.attention.after_compaction()
        self.observer.on_summary(summary)

    def add_user_message(self, words: str) -> None:
        """Add what the user says."""
        opening = self.attention.on_user_message(words)
        content = f"{opening.text}\n{words}" if opening is not None else words
        self.messages.append({"role": "user", "content": content})

    def ask(self, messages: Sequence[Message], most_tokens: int, schema: Mapping[str, Any] | None = None) -> str:
        """The model's answer, its tokens counted."""
        self.requests += 1
        answer = self.chat.ask(messages, most_tokens, schema)
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        return answer.text

    def limit_reached(self) -> str:
        """Which limit ends the run; empty if none does."""
        if self.turns >= self.settings.turns:
            return f"limit: {self.settings.turns} turns"
        if time.monotonic() >= self._ends_at:
            return f"limit: {self.settings.seconds} seconds"
        if len(self._last_answers) == SAME_CALLS and len(set(self._last_answers)) == 1:
            return f"loop: the same answer {SAME_CALLS} times in a row"
        return ""
