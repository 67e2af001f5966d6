"""Compaction: older messages become a summary, calls and results stay together, the plan comes back by itself."""

import json
from typing import Any

import pytest

from holdfast import Session
from holdfast.agent import Agent, AgentEvent, AgentTool, Limits, ModelAnswer, Rehearsal, call, text
from holdfast.agent.compaction import SYSTEM, cut_position, insert_summary, summary_request, token_count
from holdfast.agent.events import Compaction
from holdfast.agent.messages import Message, user_message
from holdfast.attention.policies import PolicyName
from holdfast.errors import TooLong

LONG = "word " * 400
SAY = AgentTool(
    "say", "Say much.", {"type": "object", "properties": {"n": {"type": "integer"}}}, lambda n=0: f"{n} {LONG}"
)


def conversation(rounds: int) -> list[Message]:
    """A task, and so many calls with their results."""
    messages = [user_message(text("Mend it"))]
    for number in range(rounds):
        block = {"type": "tool_use", "id": f"c{number}", "name": "say", "input": {"n": number}}
        messages.append({"role": "assistant", "content": [block]})
        messages.append(user_message({"type": "tool_result", "tool_use_id": f"c{number}", "content": LONG}))
    return messages


@pytest.mark.parametrize("kept", [0, 100, 500, 1000, 2000, 4000, 100_000])
@pytest.mark.parametrize("rounds", range(6))
def test_a_cut_never_parts_a_call_from_its_result(rounds: int, kept: int) -> None:
    """What stays begins with no result whose call is gone, whatever the size of it."""
    messages = conversation(rounds)
    at = cut_position(messages, kept)
    assert 0 <= at < len(messages)
    assert at == 0 or not any(block["type"] == "tool_result" for block in messages[at]["content"])
    if at:
        after = insert_summary(messages, at, "It went well.")
        asked = {block["id"] for message in after for block in message["content"] if block["type"] == "tool_use"}
        given = {block["tool_use_id"] for message in after for block in message["content"] if "tool_use_id" in block}
        assert asked == given
        assert token_count(after) < token_count(messages)


def test_as_much_stays_as_was_asked_for() -> None:
    """The newest messages stay up to the size, and not more."""
    messages = conversation(10)
    at = cut_position(messages, 1500)
    assert 0 < token_count(messages[at:]) <= 1500
    assert cut_position(messages, 1_000_000) == 0


def test_the_users_words_stay_over_two_compactions() -> None:
    """What the user said is kept word for word, the old summary and reminders are not taken for the user's."""
    messages = [
        *conversation(3),
        user_message(text("<reminder>2 todos are open</reminder>")),
        user_message(text("And be quick")),
    ]
    once = insert_summary(messages, 5, "First summary.")
    twice = insert_summary(
        [*once, *conversation(2)[1:], user_message(text("Thanks"))], len(once) + 2, "Second summary."
    )
    texts = [block["text"] for block in twice[0]["content"]]
    assert texts[:2] == ["Mend it", "And be quick"]
    assert "Second summary." in texts[-1]
    assert "First summary." not in json.dumps(twice)
    assert "<reminder>" not in json.dumps(twice)


def test_the_question_has_bounds() -> None:
    """However much there is to sum up, the request for it fits into the context."""
    asked = summary_request(conversation(200), 1000)
    assert token_count([asked]) < 1500
    assert "Mend it" in asked["content"][0]["text"]


def run_with(policy: PolicyName) -> tuple[Agent, Rehearsal, list[AgentEvent]]:
    """A run that is compacted in the middle of a plan."""
    turns: list[list[Any]] = [[call("TodoWrite", todos=[{"content": f"Step {n}"} for n in range(1, 4)])]]
    turns += [[call("say", n=number)] for number in range(5)]
    model = Rehearsal([*turns, [text("Done.")]], summary="Steps were looked at.")
    agent = Agent(model, Session(policy=policy), [SAY], limits=Limits(context=1500))
    events: list[AgentEvent] = []
    agent.on_event(events.append)
    agent.run("Mend it")
    return agent, model, events


@pytest.mark.parametrize("policy", ["quiet", "rail"])
def test_the_plan_comes_back_after_a_compaction(policy: PolicyName) -> None:
    """The summary is asked of the model; the next request holds it, and ends with the plan, word for word."""
    _, model, events = run_with(policy)
    told = [event for event in events if isinstance(event, Compaction)]
    assert told
    assert all(event.tokens_after < event.tokens_before for event in told)
    asked = next(at for at, request in enumerate(model.requests) if request["system"] == SYSTEM)
    assert "Step 1" not in json.dumps(told[0].summary)
    after = model.requests[asked + 1]
    assert after["messages"][0]["content"][0] == text("Mend it")
    assert "Steps were looked at." in after["messages"][0]["content"][1]["text"]
    tail = after["messages"][-1]["content"][-1]["text"]
    assert tail.startswith("<plan>")
    assert "Step 1" in tail and "Step 3" in tail
    later = model.requests[asked + 2]
    assert text(tail) in [block for message in later["messages"] for block in message["content"]], "it stays in sight"


def test_it_does_not_compact_at_every_turn() -> None:
    """Once compacted, a conversation has room for some turns."""
    _, model, events = run_with("quiet")
    assert 1 <= [event.kind for event in events].count("compaction") <= 3
    assert model.requests[-1]["system"] != SYSTEM


def test_compaction_by_hand_sums_up_all_it_can() -> None:
    """`compact()` leaves a summary and the last message; with nothing to sum up it says so."""
    agent = Agent(Rehearsal([[call("say", n=1)], [text("Done.")]], summary="It went well."), Session(), [SAY])
    assert not agent.compact()
    agent.run("Mend it")
    assert agent.compact()
    assert [message["role"] for message in agent.messages] == ["user", "assistant"]
    assert not agent.compact()


class Narrow(Rehearsal):
    """A model that refuses what is longer than its window, as servers do."""

    def __init__(self, turns: list[list[dict[str, Any]]], window: int) -> None:
        super().__init__(turns)
        self.window = window
        self.refused = 0

    def query(self, system: str, messages: Any, tools: Any, on_text: Any = None) -> ModelAnswer:
        """The next turn, or TooLong."""
        if token_count(messages) > self.window:
            self.refused += 1
            raise TooLong(f"at most {self.window} tokens")
        return super().query(system, messages, tools, on_text)


def test_a_conversation_that_is_too_long_for_the_model_is_compacted() -> None:
    """Whatever the limits say, the model's own refusal is heeded: the run goes on, and the plan is restated."""
    turns = [[call("TodoWrite", todos=[{"content": "Say it all"}])], *([call("say", n=n)] for n in range(6))]
    model = Narrow([*turns, [text("done")]], window=2500)
    result = Agent(model, Session(), [SAY]).run("Mend it")
    assert result.reason == "done"
    assert model.refused > 0
    restated = [sent for sent in model.requests if "<plan>" in json.dumps(sent["messages"])]
    assert "1. [pending] Say it all" in json.dumps(restated[0]["messages"])


def test_a_far_too_long_conversation_is_compacted_more_than_once() -> None:
    """One that a larger model led is cut until a smaller one can read it; so is what that is asked to sum up."""
    model = Narrow([[text("done")]], window=3000)
    agent = Agent(model, Session(), [SAY], messages=conversation(60))
    assert agent.run("Go on").reason == "done"
    assert agent.context < 3000


def test_what_cannot_be_cut_ends_the_run_with_the_models_words() -> None:
    """There is nothing to sum up before the task itself."""
    result = Agent(Narrow([], window=10), Session(), [SAY]).run(LONG)
    assert result.reason == "model: at most 10 tokens"


def test_without_a_limit_all_of_the_conversation_is_summed_up() -> None:
    """A context of 0 is no limit, not a small one."""
    model = Rehearsal([])
    agent = Agent(model, Session(), [SAY], limits=Limits(context=0), messages=conversation(6))
    assert agent.compact()
    assert "[…]" not in json.dumps(model.requests[0]["messages"], ensure_ascii=False)
