"""How a run ends: limits, repetition, a model that fails, Ctrl-C. Plan and conversation stay whole each time."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from holdfast import Session
from holdfast.agent import Agent, AgentEvent, AgentTool, Limits, ModelAnswer, Rehearsal, call, text
from holdfast.agent.events import Finished
from holdfast.agent.limits import Budget
from holdfast.agent.messages import CUT_OFF, Definition, Message, OnText, request_messages
from holdfast.agent.result import RunEnded
from holdfast.attention.policies import PolicyName
from holdfast.errors import ModelError, StoreError

PLAN = [call("TodoWrite", todos=[{"content": "A"}, {"content": "B"}])]
WORDS = {"type": "object", "properties": {"words": {"type": "string"}}}


def echo(words: str = "") -> str:
    """Say it again, or do what the words are a sign for."""
    if words == "interrupt":
        raise KeyboardInterrupt
    if words == "fail":
        raise RuntimeError("it broke")
    return words


ECHO = AgentTool("echo", "Say it again.", WORDS, echo)


def agent_of(*turns: list[Any], limits: Limits = Limits(), policy: PolicyName = "quiet") -> Agent:  # noqa: B008 a frozen value
    """An agent that plays these turns."""
    return Agent(Rehearsal(turns), Session(policy=policy), [ECHO], limits=limits)


def echoes(count: int) -> list[list[Any]]:
    """So many turns, each with a call of its own."""
    return [[call("echo", words=str(number))] for number in range(count)]


def is_whole(messages: Sequence[Message]) -> bool:
    """Whether the API takes a conversation: roles alternate, every call has its result in the next message."""
    sent = request_messages(messages, "tail")
    roles = [message["role"] for message in sent]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        return False
    for before, after in pairwise(sent):
        asked = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        given = [block["tool_use_id"] for block in after["content"] if block["type"] == "tool_result"]
        if asked != given:
            return False
    return True


class Failing:
    """A model that has no answer, from a given turn on."""

    def __init__(self, turns: list[list[Any]]) -> None:
        self.turns = iter(turns)

    def query(
        self, system: str, messages: Sequence[Message], tools: Sequence[Definition], on_text: OnText | None = None
    ) -> ModelAnswer:
        """The next turn; when there is none left, an error."""
        blocks = next(self.turns, None)
        if blocks is None:
            raise ModelError("no key: set ANTHROPIC_API_KEY")
        return ModelAnswer(blocks)


def test_a_run_has_a_limit_of_turns() -> None:
    """A model that never ends is ended, and the last event says why, with the final list."""
    agent = agent_of(PLAN, *echoes(10), limits=Limits(turns=5))
    events: list[AgentEvent] = []
    agent.on_event(events.append)
    result = agent.run("Do it")
    assert result.reason == "limit: 5 turns"
    last = events[-1]
    assert isinstance(last, Finished)
    assert (last.reason, last.todos) == (result.reason, result.todos)
    assert [todo.content for todo in result.todos] == ["A", "B"]
    assert is_whole(result.messages)


def test_a_run_has_a_limit_of_tokens() -> None:
    """When the tokens are spent, no further request is made."""
    agent = agent_of(*echoes(10), limits=Limits(tokens=300))
    assert agent.run("Do it").reason == "limit: 300 tokens"
    assert isinstance(agent.model, Rehearsal)
    assert len(agent.model.requests) < 10
    assert agent.tokens_in + agent.tokens_out >= 300


def test_a_run_has_a_limit_of_time() -> None:
    """When the time is up, there is no further turn."""
    now = 0.0
    budget = Budget(Limits(seconds=60), lambda: now)
    budget.take_turn()
    now = 60.0
    with pytest.raises(RunEnded, match="limit: 60 seconds"):
        budget.take_turn()
    assert agent_of(*echoes(3), limits=Limits(seconds=1e-9)).run("Do it").reason.startswith("limit: 1e-09 seconds")


def test_each_run_has_the_whole_limit() -> None:
    """A second request of the user starts with all its turns."""
    agent = agent_of(*echoes(20), limits=Limits(turns=5))
    agent.run("Do it")
    agent.run("Go on")
    assert isinstance(agent.model, Rehearsal)
    assert len(agent.model.requests) == 10


def test_three_identical_calls_in_a_row_end_a_run() -> None:
    """The same tool with the same input for the third time is the end, and the reason names the tool."""
    agent = agent_of(*[[call("echo", words="x")] for _ in range(9)])
    result = agent.run("Do it")
    assert result.reason == "loop: echo was called 3 times in a row with the same input"
    assert isinstance(agent.model, Rehearsal)
    assert len(agent.model.requests) == 3
    assert is_whole(result.messages)


def test_the_same_call_with_another_between_is_no_loop() -> None:
    """Running the tests again after each change is work."""
    turns = [turn for number in range(5) for turn in ([call("echo", words="test")], [call("echo", words=str(number))])]
    assert agent_of(*turns, [text("Done.")]).run("Do it").reason == "done"


def test_a_model_that_fails_ends_the_run_with_its_line() -> None:
    """The reason is what the model's error says; plan and conversation are kept, and the next run goes on."""
    agent = Agent(Failing([PLAN]), Session(), [ECHO])
    result = agent.run("Do it")
    assert result.reason == "model: no key: set ANTHROPIC_API_KEY"
    assert [todo.content for todo in result.todos] == ["A", "B"]
    agent.model = Rehearsal([[text("Done.")]])
    assert agent.run("Again").reason == "done"
    assert is_whole(agent.messages)
    assert agent.messages[-1]["content"] == [text("Done.")]


def test_ctrl_c_in_a_tool_keeps_everything_whole() -> None:
    """What was done has its result, what was cut off says so, the plan stands, and the user's next word is heard."""
    turn = [call("echo", words="first"), call("echo", words="interrupt"), call("echo", words="third")]
    agent = agent_of(PLAN, turn, [text("Done.")], policy="rail")
    result = agent.run("Do it")
    assert result.reason == "interrupted"
    assert agent.attention.turn.interrupted
    assert [block["content"] for block in result.messages[-1]["content"]] == ["first", CUT_OFF, CUT_OFF]
    assert [todo.content for todo in result.todos] == ["A", "B"]
    assert is_whole(result.messages)
    agent.run("Go on, but faster")
    assert not agent.attention.turn.interrupted
    assert is_whole(agent.messages)


def test_ctrl_c_while_the_model_speaks() -> None:
    """An answer that was cut off is not kept, and the conversation goes on."""
    agent = agent_of(PLAN, [text("I will now…")], [text("Done.")])

    def interrupt(event: AgentEvent) -> None:
        if event.kind == "text":
            raise KeyboardInterrupt

    agent.on_event(interrupt)
    assert agent.run("Do it").reason == "interrupted"
    assert "I will now" not in json.dumps(agent.messages)
    assert is_whole(agent.messages)


def test_a_failing_tool_and_unreadable_input_are_answered() -> None:
    """A tool that raises, an input that is no object, and a cut-off plan write each get a result that is an error."""
    turns = [
        [call("echo", words="fail")],
        [{"type": "tool_use", "id": "a", "name": "echo", "input": {"__unreadable__": '{"words": "hal'}}],
        [{"type": "tool_use", "id": "b", "name": "echo", "input": ["x"]}],
        [{"type": "tool_use", "id": "c", "name": "TodoWrite", "input": {"__unreadable__": '{"todos": [{'}}],
        [{"type": "tool_use", "name": "echo", "input": {"words": 5}}],
        [text("Done.")],
    ]
    agent = agent_of(*turns)
    assert agent.run("Do it").reason == "done"
    blocks = [message["content"][0] for message in agent.messages[2::2] if message["role"] == "user"]
    assert all(block["is_error"] for block in blocks)
    told = [block["content"] for block in blocks]
    assert told[0] == "Error: RuntimeError: it broke"
    assert told[1] == """Error: the input must be a JSON object, received '{"words": "hal'"""
    assert told[2] == "Error: the input must be a JSON object, received a list"
    assert told[3].startswith("Not saved, the plan is unchanged.")
    assert told[4] == "Error: words: expected string, received the number 5"
    assert is_whole(agent.messages)
    assert all(
        isinstance(block["input"], dict)
        for message in agent.messages[1::2]
        for block in message["content"][:1]
        if block["type"] == "tool_use"
    )


@pytest.mark.parametrize("blocks", [[], [text("")], [text(" \n")]])
def test_an_empty_answer_is_an_answer(blocks: list[Any]) -> None:
    """A model that says nothing ends the run with a conversation that can go on."""
    agent = agent_of(blocks, [text("Done.")])
    assert agent.run("Do it").reason == "done"
    assert agent.messages[-1]["content"] == [text("(no answer)")]
    agent.run("Well?")
    assert is_whole(agent.messages)


def test_a_question_to_the_user_is_not_held() -> None:
    """Under `rail` a model that stops with work left to ask something may do so."""
    agent = agent_of(PLAN, [text("Shall I delete it?")], [text("never asked for")], policy="rail")
    result = agent.run("Do it")
    assert result.text == "Shall I delete it?"
    assert agent.attention.stop_reason == "it waits for the user's answer"


def test_a_conversation_that_cannot_be_kept_ends_the_run() -> None:
    """What the disk says is the reason."""

    def save(messages: Sequence[Message]) -> None:
        if len(messages) > 1:
            raise StoreError("the disk is full")

    agent = Agent(Rehearsal(echoes(3)), Session(), [ECHO], save=save)
    assert agent.run("Do it").reason == "the disk is full"
