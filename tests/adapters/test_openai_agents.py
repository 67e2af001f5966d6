"""What is the OpenAI Agents SDK's own: streams, guardrails, handoffs, hooks, and runs without a config."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from adapter_driver import WORK, Call, awaited, mark, write
from agents import (
    Agent,
    AgentHooks,
    GuardrailFunctionOutput,
    ModelResponse,
    RunConfig,
    RunContextWrapper,
    Runner,
    RunResultStreaming,
    SQLiteSession,
    Tool,
    Usage,
    input_guardrail,
)
from driver_openai_agents import NamedModel, answer, request, scripted, work

from holdfast import Board
from holdfast.adapters.openai_agents import HoldfastRunner
from holdfast.attention.policies import QUIET
from holdfast.errors import UsageError

QUIETLY = RunConfig(tracing_disabled=True)


@input_guardrail
async def allowed(context: RunContextWrapper[Any], agent: Agent[Any], input: object) -> GuardrailFunctionOutput:
    """Let everything in; it runs beside the first turn, in a task of its own."""
    return GuardrailFunctionOutput(None, tripwire_triggered=False)


def test_a_streamed_run_has_its_plan() -> None:
    """Streams and guardrails run turns in other tasks, and the tool still finds its run."""
    plans = HoldfastRunner(policy="rail")
    model = scripted([write("A")], [WORK], [mark("1")], "done")
    agent = plans.equip(Agent(name="Worker", model=model, tools=[work], input_guardrails=[allowed]))

    async def stream() -> None:
        result = Runner.run_streamed(agent, "Get it done.", run_config=plans.config("a", QUIETLY))
        async for _ in result.stream_events():
            pass

    awaited(stream())
    assert plans.runs.get("a").board.plan.is_finished
    assert request(model.calls[1]).says("Now do item 1 with the tool that fits best: A")


async def streamed(plans: HoldfastRunner, agent: Agent[Any], **options: Any) -> list[RunResultStreaming]:
    """Every result of a streamed run, after all its events."""
    results = []
    async for result in plans.run_streamed(agent, "Get it done.", plan="a", run_config=QUIETLY, **options):
        async for _ in result.stream_events():
            pass
        results.append(result)
    return results


def test_a_streamed_run_is_held() -> None:
    """The model goes on in a second result, which has the first one's history; then it has nothing left to do."""
    plans = HoldfastRunner(policy=QUIET.replace(holds=3))
    model = scripted([write("A")], "I stop.", [mark("1")], "done")
    results = awaited(streamed(plans, plans.equip(Agent(name="Worker", model=model))))
    assert [result.final_output for result in results] == ["I stop.", "done"]
    messages = request(model.calls[2]).messages
    assert messages[0] == "user: Get it done."
    assert messages[-1].startswith("user: <reminder>1 of 1 todos are still open")


def test_a_streamed_run_that_nobody_listens_to_is_held() -> None:
    """A host may ask for the next result without hearing the events of this one."""
    plans = HoldfastRunner(policy=QUIET.replace(holds=3))
    agent = plans.equip(Agent(name="Worker", model=scripted([write("A")], "I stop.", [mark("1")], "done")))

    async def unheard() -> list[RunResultStreaming]:
        return [result async for result in plans.run_streamed(agent, "Do it.", plan="a", run_config=QUIETLY)]

    assert [result.final_output for result in awaited(unheard())] == ["I stop.", "done"]


def test_a_streamed_run_that_was_cancelled_is_not_held() -> None:
    """The user's stop is the end of it, whatever is open."""
    plans = HoldfastRunner(policy=QUIET.replace(holds=3))
    agent = plans.equip(Agent(name="Worker", model=scripted([write("A")], [WORK], "never said"), tools=[work]))

    async def cancelled() -> int:
        count = 0
        async for result in plans.run_streamed(agent, "Do it.", plan="a", run_config=QUIETLY):
            count += 1
            async for event in result.stream_events():
                if event.type == "run_item_stream_event" and event.name == "tool_output":
                    result.cancel()
        return count

    assert awaited(cancelled()) == 1
    assert len(plans.runs.get("a").board.plan.open) == 1


@pytest.mark.parametrize(
    ("options", "later"),
    [
        ({"conversation_id": "conv"}, {"conversation_id": "conv"}),
        ({"previous_response_id": "before"}, {"previous_response_id": "resp-2"}),
    ],
)
def test_a_held_run_sends_a_server_that_keeps_the_history_only_what_is_new(
    options: dict[str, Any], later: dict[str, Any]
) -> None:
    """The server has the rest, under the id of the conversation or of the last answer."""
    plans = HoldfastRunner(policy=QUIET.replace(holds=3))
    script = [answer(step) for step in ([write("A")], "I stop.", [mark("1")], "done")]
    model = NamedModel([ModelResponse(said, Usage(), f"resp-{at}") for at, said in enumerate(script, 1)])
    plans.run_sync(plans.equip(Agent(name="Worker", model=model)), "Do it.", plan="a", run_config=QUIETLY, **options)
    (message,) = request(model.calls[2]).messages
    assert message.startswith("user: <reminder>1 of 1 todos are still open")
    assert {name: getattr(model.calls[2], name) for name in later} == later


def test_a_handoff_goes_on_with_the_plan() -> None:
    """The conversation is the same, and so is its list."""
    plans = HoldfastRunner()
    second = plans.equip(Agent(name="Second", model=scripted([mark("1")], "done")))
    first = plans.equip(
        Agent(name="First", model=scripted([write("A")], [Call("transfer_to_second")]), handoffs=[second])
    )
    result = plans.run_sync(first, "Get it done.", plan="a", run_config=QUIETLY)
    assert result.last_agent.name == "Second"
    assert plans.runs.get("a").board.plan.is_finished


@pytest.mark.parametrize("call", [write("A"), WORK])
def test_a_run_without_the_config_says_what_it_needs(call: Call) -> None:
    """An equipped agent that is run without its config fails with what to do, not with a plan of somebody else."""
    agent = HoldfastRunner().equip(Agent(name="Worker", model=scripted([call], "done"), tools=[work]))
    with pytest.raises(UsageError, match="needs its config: run_config=plans"):
        Runner.run_sync(agent, "Get it done.", run_config=QUIETLY)


def test_a_run_without_the_config_never_gets_the_plan_of_the_run_before_it() -> None:
    """Both in one task, one after the other: the second one is told what it needs."""
    plans = HoldfastRunner()
    first = plans.equip(Agent(name="Worker", model=scripted([write("Mine")], "done")))
    second = plans.equip(Agent(name="Worker", model=scripted([write("Yours")], "done")))

    async def both() -> None:
        await Runner.run(first, "Do it.", run_config=plans.config("a", QUIETLY))
        with pytest.raises(UsageError, match="needs its config"):
            await Runner.run(second, "Do it.", run_config=QUIETLY)

    awaited(both())
    assert [todo.content for todo in plans.runs.get("a").board.plan.todos] == ["Mine"]


def test_one_config_for_every_user_gives_each_run_its_own_plan() -> None:
    """As a constant of a module it serves everyone, one after the other or at once, and nobody sees another's plan."""
    plans = HoldfastRunner()
    config = plans.config(config=QUIETLY)

    async def serve(user: str) -> tuple[str, bool]:
        model = scripted([write(f"For {user}")], [WORK], "done")
        agent = plans.equip(Agent(name="Worker", model=model, tools=[work]))
        result = await Runner.run(agent, f"I am {user}.", run_config=config)
        others = {"alice", "bob", "carol"} - {user}
        return plans.board(result).plan.todos[0].content, any(request(c).says(o) for c in model.calls for o in others)

    async def everyone() -> list[tuple[str, bool]]:
        return [await serve("alice"), *await asyncio.gather(serve("bob"), serve("carol"))]

    assert awaited(everyone()) == [("For alice", False), ("For bob", False), ("For carol", False)]
    assert not plans.runs.all(), "a plan without a name is forgotten with its result"


def test_the_name_of_a_plan_is_found_in_the_context_of_each_run() -> None:
    """One config for all, and each user comes back to their own plan."""
    plans = HoldfastRunner()
    config = plans.config(lambda context: f"user {context}", QUIETLY)
    for user in ("alice", "bob"):
        agent = plans.equip(Agent(name="Worker", model=scripted([write(f"For {user}", "Rest")], "done")))
        Runner.run_sync(agent, "Do it.", context=user, run_config=config)
    again = plans.equip(Agent(name="Worker", model=scripted([WORK], [mark("1")], "done"), tools=[work]))
    Runner.run_sync(again, "Go on.", context="alice", run_config=config)
    statuses = {name: [str(todo.status) for todo in plans.runs.get(name).board.plan.todos] for name in NAMES}
    assert statuses == {"user alice": ["completed", "in_progress"], "user bob": ["pending", "pending"]}


NAMES = ("user alice", "user bob")


@pytest.mark.parametrize("by_runner", [True, False])
def test_the_id_of_a_session_names_the_plan(by_runner: bool) -> None:
    """With the SDK's own runner the session is given to the config; `plans.run_sync` sees it itself."""
    plans = HoldfastRunner()
    session = SQLiteSession("conversation 7")
    for steps in (([write("A", "B")], "done"), ([WORK], [mark("1")], "done")):
        agent = plans.equip(Agent(name="Worker", model=scripted(*steps), tools=[work]))
        if by_runner:
            Runner.run_sync(agent, "Do it.", session=session, run_config=plans.config(session, QUIETLY))
        else:
            plans.run_sync(agent, "Do it.", session=session, run_config=QUIETLY)
    session.close()
    plan = plans.runs.get("conversation 7").board.plan
    assert [str(todo.status) for todo in plan.todos] == ["completed", "in_progress"]


def test_an_agent_without_the_tool_is_told_nothing_and_not_held() -> None:
    """The work is handed to it; it has no plan to keep, and could not write it."""
    plans = HoldfastRunner(policy="rail")
    model = scripted("I am done.")
    writer = Agent(name="Writer", instructions="You write.", model=model)
    first = plans.equip(
        Agent(name="First", model=scripted([write("A")], [Call("transfer_to_writer")]), handoffs=[writer])
    )
    result = plans.run_sync(first, "Get it done.", plan="a", run_config=QUIETLY)
    assert result.final_output == "I am done."
    assert len(model.calls) == 1
    assert not request(model.calls[0]).says("Now do item 1")


def test_the_board_learns_what_was_called_with_which_arguments_and_what_the_user_said() -> None:
    """The work journal needs the one, a plan that is made of the user's list the other."""
    plans = HoldfastRunner(policy="rail")
    model = scripted([Call("work", {"fails": False})], "Done?")
    agent = plans.equip(Agent(name="Worker", model=model, tools=[work]))
    plans.run_sync(agent, "1. Read\n2. Fix\n3. Test", plan="a", run_config=QUIETLY)
    assert request(model.calls[0]).says("Now do item 1 with the tool that fits best: Read")
    assert [use.call for use in plans.runs.get("a").board.work.uses] == ["work fails=False"]


def test_instructions_that_are_a_function_stay_one() -> None:
    """The prompt stands behind what the function says."""

    async def instructions(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        return f"You are {agent.name}."

    plans, model = HoldfastRunner(), scripted("done")
    agent = plans.equip(Agent(name="Worker", instructions=instructions, model=model))
    plans.run_sync(agent, "Get it done.", run_config=QUIETLY)
    assert model.calls[0].system_instructions == f"You are Worker.\n\n{plans.runs.dialect().prompt}"


class Heard(AgentHooks[Any]):
    """Hooks of a host."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def on_start(self, context: object, agent: object) -> None:
        """An agent starts."""
        self.events.append("start")

    async def on_end(self, context: object, agent: object, output: object) -> None:
        """It ends."""
        self.events.append("end")

    async def on_tool_start(self, context: object, agent: object, tool: Tool) -> None:
        """It uses a tool."""
        self.events.append(f"{tool.name} starts")

    async def on_tool_end(self, context: object, agent: object, tool: Tool, result: object) -> None:
        """It has used one."""
        self.events.append(f"{tool.name} ends")

    async def on_llm_start(self, context: object, agent: object, system_prompt: object, input_items: object) -> None:
        """Its model is asked."""
        self.events.append("asked")

    async def on_llm_end(self, context: object, agent: object, response: object) -> None:
        """Its model has answered."""
        self.events.append("answered")

    async def on_handoff(self, context: object, agent: object, source: object) -> None:
        """Another one goes on."""
        self.events.append("handed")


def test_an_agents_own_hooks_still_hear_everything() -> None:
    """Equipping an agent takes nothing from its host."""
    plans, heard = HoldfastRunner(), Heard()
    agent = plans.equip(Agent(name="Worker", model=scripted([WORK], "done"), tools=[work], hooks=heard))
    plans.run_sync(agent, "Get it done.", run_config=QUIETLY)
    assert heard.events == ["start", "asked", "answered", "work starts", "work ends", "asked", "answered", "end"]
    model = scripted([Call("transfer_to_other")])
    other = Agent(name="Other", model=scripted("done"))
    plans.run_sync(plans.equip(agent.clone(model=model, handoffs=[other])), "Get it done.", run_config=QUIETLY)
    assert "handed" in heard.events


def test_a_conversation_that_the_server_keeps_is_not_restated_each_time() -> None:
    """Where a request holds only what is new, what the model sees is unknown, and nothing is said of it."""
    plans = HoldfastRunner()
    model = scripted([write("A")], [WORK], [WORK], "done")
    agent = plans.equip(Agent(name="Worker", model=model, tools=[work]))
    config = plans.config(config=QUIETLY, server_keeps_history=True)
    Runner.run_sync(agent, "Get it done.", run_config=config, auto_previous_response_id=True)
    assert not any(request(call).says("<plan>") for call in model.calls)
    without = scripted([write("A")], [WORK], [WORK], "done")
    agent = plans.equip(Agent(name="Worker", model=without, tools=[work]))
    Runner.run_sync(agent, "Get it done.", run_config=plans.config(config=QUIETLY), auto_previous_response_id=True)
    assert any(request(call).says("<plan>") for call in without.calls)


def test_an_unknown_policy_is_refused_at_once() -> None:
    """Not at the first request."""
    with pytest.raises(UsageError, match="no policy 'loud'"):
        HoldfastRunner(policy="loud")  # type: ignore[arg-type] # what an unchecked host sends


@pytest.mark.parametrize("by_runner", [False, True])
def test_a_store_may_be_found_in_the_context_of_the_run(by_runner: bool, tmp_path: Path) -> None:
    """One config serves all users, and each has a file of their own."""
    plans = HoldfastRunner(store=lambda context: context, policy=QUIET.replace(holds=1))
    config = RunConfig(tracing_disabled=True)
    for name in ("alice", "bob"):
        file = tmp_path / f"{name}.db"
        agent = plans.equip(Agent(name="Worker", model=scripted([write(f"Of {name}")], "done", "done")))
        if by_runner:
            Runner.run_sync(agent, "Do it.", context=file, run_config=plans.config("a", config))
        else:
            result = plans.run_sync(agent, "Do it.", context=file, plan="a", run_config=config)
            assert plans.board(result).plan.todos[0].content == f"Of {name}"
        assert Board(store=file, session="a").plan.todos[0].content == f"Of {name}"
