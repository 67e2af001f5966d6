"""An agent in a workflow of Temporal, as a user writes it. Run with a server's address, it is a worker of its own.

The sandbox of a workflow reads this file again for each of them.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.durable_exec.temporal import PydanticAIPlugin, PydanticAIWorkflow, TemporalDurability
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCalls, FunctionModel
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker
from temporalio.workflow import ActivityConfig

with workflow.unsafe.imports_passed_through():  # once, not again for each workflow
    from adapter_driver import SLOW_WORK, WORK, Call, Step, mark, write
    from driver_pydantic_ai import answer, streamed_parts, work, written

    from holdfast import Plan
    from holdfast.adapters.pydantic_ai import HoldfastCapability, PlanChangedEvent
    from holdfast.errors import StoreError
    from holdfast.stores import Key, MemoryStore

QUEUE = "plans"

SCRIPTS: Mapping[str, Sequence[Step]] = {
    "work": ([write("A", "B")], [WORK], [mark("1")], "All done.", [WORK, mark("2")], "Done."),
    "slow": ([write("A", "B")], *[[SLOW_WORK]] * 8, [mark("1")], [WORK], [mark("2")], "Done."),
    "outage": ([write("A", "B")], [WORK], "Go on?"),
    "codex": ([Call("update_plan", {"plan": [{"step": "A", "status": "pending"}]})], "Shall I?"),
}
"""What the model plays, by the user's words."""

REQUESTS: dict[str, list[list[str]]] = {}
"""What it was sent, by the customer's file and the user's words."""


class AbsentStore(MemoryStore):
    """A store that cannot be reached."""

    def load(self, key: Key) -> Plan:
        """Fails."""
        raise StoreError("no connection")


ABSENT = AbsentStore()


@dataclass
class Customer:
    """The dependencies of a run. They travel to each activity."""

    plans: str
    heard: list[str] = field(default_factory=list)


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The next answer of the script, and no memory but the messages: whichever worker is asked."""
    said = str(getattr(messages[0].parts[0], "content", ""))
    REQUESTS.setdefault(said, []).append([text for message in messages for text in written(message)])
    return answer(SCRIPTS[said][sum(isinstance(message, ModelResponse) for message in messages)])


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """The same, bit by bit."""
    for part in streamed_parts(play(messages, info)):
        yield part


def made(name: str, model: str) -> Agent[Customer, str]:
    """An agent with a plan, for a model of this name."""
    agent = Agent(
        FunctionModel(play, stream_function=stream, model_name=model),
        name=name,
        deps_type=Customer,
        toolsets=[FunctionToolset([work], id="work")],
        capabilities=[
            HoldfastCapability(store=lambda ctx: ctx.deps.plans or ABSENT, policy="rail"),
            TemporalDurability(activity_config=ActivityConfig(start_to_close_timeout=timedelta(seconds=5))),
        ],
    )

    @agent.on_event(PlanChangedEvent)
    async def hear(ctx: RunContext[Customer], event: PlanChangedEvent) -> None:
        ctx.deps.heard.append(f"{event.revision}: {event.completed}")

    return agent


worker_agent = made("worker", "scripted")
codex_agent = made("codex", "gpt-5.5")


@workflow.defn
class PlannedWork(PydanticAIWorkflow):
    """One run of an agent."""

    __pydantic_ai_agents__ = (worker_agent, codex_agent)

    @workflow.run
    async def run(self, said: str, customer: Customer) -> list[str]:
        """What the agent said at last, and which changes of its plan were heard."""
        agent = codex_agent if said == "codex" else worker_agent
        result = await agent.run(said, deps=customer, conversation_id=f"conversation of {said}")
        return [result.output, *customer.heard]


async def connected(address: str) -> Client:
    """A client of the server."""
    return await Client.connect(address, plugins=[PydanticAIPlugin()])


@asynccontextmanager
async def working(client: Client) -> AsyncIterator[None]:
    """A worker, which remembers no workflow: each step begins with a replay of all before it."""
    async with Worker(client, task_queue=QUEUE, workflows=[PlannedWork], max_cached_workflows=0):
        yield


async def main(address: str) -> None:
    """A worker until it is ended."""
    async with working(await connected(address)):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
