"""Resources, their change notices, and prompts."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.client import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_driving import (
    ERAS,
    LEGACY,
    MODERN,
    bounded,
    by_somebody_else,
    connected,
    contents,
    http_thread,
    on_stdio,
    over_http,
    read,
    session_of,
)
from mcp_types import ResourceUpdatedNotification, TextContent

every_era = pytest.mark.parametrize("mode", ERAS)
the_old_way = pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
TODOS = {"todos": [{"content": "A"}, {"content": "B"}]}


class Ears:
    """What a client is told without having asked."""

    def __init__(self) -> None:
        self._sender, self.heard = anyio.create_memory_object_stream[str](100)

    async def __call__(self, message: Any) -> None:
        """Keep the name of a resource that changed."""
        if isinstance(message, ResourceUpdatedNotification):
            self._sender.send_nowait(str(message.params.uri))

    def close(self) -> None:
        """Hear no more."""
        self._sender.close()
        self.heard.close()


async def until(heard: MemoryObjectReceiveStream[str], uri: str) -> None:
    """Wait for word of a resource."""
    while await heard.receive() != uri:
        pass


@every_era
@bounded
async def test_resources_are_the_plan_and_all_plans(tmp_path: Path, mode: str) -> None:
    """The plan of this conversation and the plans of the store, as the data that `--json` prints."""
    async with connected(tmp_path, mode, "s") as client:
        listed = {str(resource.uri): resource.mime_type for resource in (await client.list_resources()).resources}
        assert listed == {"holdfast://plan": "application/json", "holdfast://sessions": "application/json"}
        assert (await client.list_resource_templates()).resource_templates == []
        await client.call_tool("TodoWrite", TODOS)
        plan = json.loads(await read(client, "holdfast://plan"))
        assert (plan["session"], plan["total"], plan["todos"][0]["content"]) == ("s", 2, "A")
        (session,) = json.loads(await read(client, "holdfast://sessions"))
        assert (session["session"], session["done"], session["total"], session["current"]) == ("s", 0, 2, None)


@every_era
@bounded
async def test_an_unknown_resource_is_named(tmp_path: Path, mode: str) -> None:
    """The error says which there are; nothing else happens."""
    async with connected(tmp_path, mode) as client:
        with pytest.raises(MCPError, match="no resource 'holdfast://nothing'; there are holdfast://plan"):
            await client.read_resource("holdfast://nothing")
        assert json.loads(await read(client, "holdfast://plan"))["total"] == 0


@the_old_way
@bounded
async def test_a_subscriber_hears_of_a_change_by_another_process(tmp_path: Path) -> None:
    """Word comes over standard input and output when somebody else changes the plan, until it is no longer wanted."""
    ears = Ears()
    async with on_stdio(tmp_path, "--session", "s", message_handler=ears) as client:
        await client.call_tool("TodoWrite", TODOS)
        await client.subscribe_resource("holdfast://plan")
        await anyio.to_thread.run_sync(by_somebody_else, tmp_path, "s", "done", "1")
        await until(ears.heard, "holdfast://plan")
        assert json.loads(await read(client, "holdfast://plan"))["done"] == 1
        await client.unsubscribe_resource("holdfast://plan")
        await client.subscribe_resource("holdfast://sessions")
        await anyio.to_thread.run_sync(by_somebody_else, tmp_path, "s", "done", "2")
        assert await ears.heard.receive() == "holdfast://sessions"
    ears.close()


@the_old_way
@bounded
async def test_a_subscriber_over_http_hears_of_its_own_plan_only(tmp_path: Path) -> None:
    """A change of another conversation's plan is a change of the sessions, and not of this plan."""
    ears = Ears()
    with http_thread(tmp_path) as url:
        async with over_http(f"{url}?session=mine", message_handler=ears) as client, over_http(url) as other:
            await client.subscribe_resource("holdfast://plan")
            await client.subscribe_resource("holdfast://sessions")
            await other.call_tool("TodoWrite", TODOS)
            assert await ears.heard.receive() == "holdfast://sessions"
            await client.call_tool("TodoWrite", TODOS)
            told = {await ears.heard.receive(), await ears.heard.receive()}
            assert told == {"holdfast://plan", "holdfast://sessions"}
    ears.close()


@pytest.mark.parametrize("transport", ["stdio", "http"])
@bounded
async def test_a_listener_hears_of_a_change_by_another_process(tmp_path: Path, transport: str) -> None:
    """Since 2026-07-28, word comes on the stream that the client opened for it."""

    async def hears(client: Client) -> None:
        await client.call_tool("TodoWrite", TODOS)
        async with client.listen(resource_subscriptions=["holdfast://plan"]) as changes:
            await anyio.to_thread.run_sync(by_somebody_else, tmp_path, "s", "done", "1")
            async for change in changes:
                assert change == ResourceUpdated("holdfast://plan")
                break
        assert json.loads(await read(client, "holdfast://plan"))["done"] == 1

    if transport == "stdio":
        async with on_stdio(tmp_path, "--session", "s", mode=MODERN) as client:
            await hears(client)
    else:
        with http_thread(tmp_path, session="s") as url:
            async with over_http(url, MODERN) as client:
                await hears(client)


@every_era
@bounded
async def test_it_claims_no_more_than_it_does(tmp_path: Path, mode: str) -> None:
    """Subscriptions are offered; lists that never change are not promised to be told of."""
    async with connected(tmp_path, "auto" if mode == MODERN else LEGACY) as client:
        claims = client.server_capabilities
        assert client.server_info is not None and client.server_info.name == "holdfast"
    assert claims.resources is not None and claims.tools is not None and claims.prompts is not None
    assert claims.resources.subscribe
    assert not (claims.resources.list_changed or claims.tools.list_changed or claims.prompts.list_changed)


@every_era
@bounded
async def test_a_prompt_begins_planned_work_and_another_goes_on(tmp_path: Path, mode: str) -> None:
    """`plan` puts the task and the way of working before the model, `resume` what is open."""
    async with connected(tmp_path, mode) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["plan", "resume"]
        begun = await prompted(client, "plan", {"task": "Make the tests pass"})
        assert begun.startswith("Make the tests pass\n\nFor work of three or more steps")
        assert await prompted(client, "resume") == "Nothing is open in the plan."
        await client.call_tool("TodoWrite", TODOS)
        assert await prompted(client, "resume") == (
            "<plan>\n0 of 2 todos are done. Still open:\n1. [pending] A\n2. [pending] B\nGo on with 1.\n</plan>"
        )
        with pytest.raises(MCPError, match="the prompt plan needs task"):
            await client.get_prompt("plan", {"task": " "})
        with pytest.raises(MCPError, match="no prompt 'nothing'; there are plan and resume"):
            await client.get_prompt("nothing")


async def prompted(client: Client, name: str, arguments: dict[str, str] | None = None) -> str:
    """What a prompt says to the model."""
    (message,) = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


@bounded
async def test_a_plan_is_another_conversations_secret_to_the_tool(tmp_path: Path) -> None:
    """The plan resource follows the session that a request names."""
    with http_thread(tmp_path) as url:
        async with over_http(f"{url}?session=one") as one, over_http(f"{url}?session=two") as two:
            assert session_of(await one.call_tool("TodoWrite", TODOS)) == "one"
            assert json.loads(await read(two, "holdfast://plan"))["total"] == 0


@every_era
@bounded
async def test_resume_brings_the_open_plan_of_an_earlier_conversation(tmp_path: Path, mode: str) -> None:
    """What the model writes of it are the same todos, and they leave the earlier plan."""
    async with connected(tmp_path, mode, session="earlier") as client:
        await client.call_tool("TodoWrite", TODOS)
    async with connected(tmp_path, mode, session="new") as client:
        said = await prompted(client, "resume")
        assert said.startswith(
            "<plan>\nAn earlier conversation left 2 todos open:\n- A\n- B\nThe user wants you to go on"
        )
        await client.call_tool("TodoWrite", {"todos": [{"content": "B"}, {"content": "C"}]})
    assert contents(tmp_path, "earlier") == ["A"]
    assert contents(tmp_path, "new") == ["B", "C"]
