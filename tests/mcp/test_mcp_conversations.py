"""Which plan a request is about: by what the client says, the server's start or the connection; in which project."""

import os
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_driving import (
    ERAS,
    LEGACY,
    MODERN,
    bounded,
    contents,
    http_process,
    http_thread,
    on_stdio,
    over_http,
    session_of,
)
from mcp_types import CallToolResult, ListRootsResult, Root

from holdfast import Board

TOKEN = "correct-horse-battery-staple"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
every_era = pytest.mark.parametrize("mode", ERAS)


async def write(client: Client, content: str, meta: Any = None) -> CallToolResult:
    """A plan of one todo."""
    return await client.call_tool("TodoWrite", {"todos": [{"content": content}]}, meta=meta)


@every_era
@bounded
async def test_two_processes_have_two_plans_in_one_store(tmp_path: Path, mode: str) -> None:
    """Each conversation has a plan of its own, named after its client, and keeps it from call to call."""
    async with on_stdio(tmp_path, mode=mode, name="zed") as one, on_stdio(tmp_path, mode=mode, name="zed") as other:
        first, second = session_of(await write(one, "A")), session_of(await write(other, "B"))
        assert first.startswith("zed-") and second.startswith("zed-") and first != second
        assert session_of(await one.call_tool("TodoRead", {})) == first
    assert (contents(tmp_path, first), contents(tmp_path, second)) == (["A"], ["B"])


@bounded
async def test_two_connections_to_one_server_have_two_plans(tmp_path: Path) -> None:
    """Over HTTP, each connection is a conversation."""
    with http_thread(tmp_path) as url:
        async with over_http(url, name="zed") as one, over_http(url, name="zed") as other:
            first, second = session_of(await write(one, "A")), session_of(await write(other, "B"))
            assert first != second and first.startswith("zed-")
            assert session_of(await one.call_tool("TodoRead", {})) == first
    assert (contents(tmp_path, first), contents(tmp_path, second)) == (["A"], ["B"])


@bounded
async def test_without_a_connection_a_clients_plan_goes_by_its_name(tmp_path: Path) -> None:
    """Since 2026-07-28 requests over HTTP stand alone: a client that names no session has one for all."""
    with http_thread(tmp_path) as url:
        async with over_http(url, MODERN, name="zed") as client:
            assert session_of(await write(client, "A")) == "zed"


@every_era
@bounded
async def test_two_clients_may_share_a_plan(tmp_path: Path, mode: str) -> None:
    """Clients that name the same session work on one plan, at once, and nothing is lost."""
    with http_thread(tmp_path) as url:
        address = f"{url}?session=shared"
        async with over_http(address, mode) as one, over_http(address, mode) as other:
            assert session_of(await write(one, "A")) == "shared"
            await other.call_tool("TodoWrite", {"todos": [{"id": "1", "status": "in_progress"}, {"content": "B"}]})
            await one.call_tool("TodoWrite", {"todos": [{"id": "1", "status": "completed"}, {"content": "C"}]})
    assert contents(tmp_path, "shared") == ["A", "B", "C"]


@pytest.mark.parametrize(
    "meta",
    [{"sessionID": "known"}, {"x-codex-turn-metadata": {"session_id": "known", "turn_id": "7"}}],
    ids=["opencode", "codex"],
)
@bounded
async def test_a_clients_own_name_is_the_sessions(tmp_path: Path, meta: Any) -> None:
    """A client that tells its conversations apart has a plan for each, unless the server was started for one."""
    with http_thread(tmp_path) as url:
        async with over_http(url) as client:
            assert session_of(await write(client, "A", meta)) == "known"
    with http_thread(tmp_path, session="started") as url:
        async with over_http(url) as client:
            assert session_of(await write(client, "B", meta)) == "started"
    assert (contents(tmp_path, "known"), contents(tmp_path, "started")) == (["A"], ["B"])


@bounded
async def test_a_request_may_name_another_session(tmp_path: Path) -> None:
    """What a request was told to name goes before what the server was started with."""
    with http_thread(tmp_path, session="started") as url:
        async with over_http(url) as client:
            assert session_of(await write(client, "A", {"holdfast/session": "named"})) == "named"
            assert session_of(await write(client, "B")) == "started"
    assert (contents(tmp_path, "named"), contents(tmp_path, "started")) == (["A"], ["B"])


@bounded
async def test_a_subagent_has_a_plan_of_its_own(tmp_path: Path) -> None:
    """Codex tells which thread of a session is speaking: another one than the session's first is a subagent."""
    main = {"x-codex-turn-metadata": {"session_id": "s", "thread_id": "s"}}
    helper = {"x-codex-turn-metadata": {"session_id": "s", "thread_id": "t"}}
    with http_thread(tmp_path) as url:
        async with over_http(url) as client:
            await write(client, "A", main)
            await write(client, "B", helper)
    assert (contents(tmp_path, "s"), contents(tmp_path, "s", "t")) == (["A"], ["B"])


@pytest.mark.parametrize("meta", [{"sessionID": 7}, {"holdfast/session": " "}, {"x-codex-turn-metadata": "{}"}])
@bounded
async def test_a_name_that_is_none_is_not_taken(tmp_path: Path, meta: Any) -> None:
    """A name of another type, or an empty one, says nothing."""
    with http_thread(tmp_path) as url:
        async with over_http(url, name="zed") as client:
            assert session_of(await write(client, "A", meta)).startswith("zed-")


@bounded
async def test_the_flag_goes_before_the_environment(tmp_path: Path) -> None:
    """`--session` and `--agent`, else HOLDFAST_SESSION and HOLDFAST_AGENT."""
    environ = {"HOLDFAST_SESSION": "by-environment", "HOLDFAST_AGENT": "tester"}
    async with on_stdio(tmp_path, environ=environ) as client:
        assert session_of(await write(client, "A")) == "by-environment"
    async with on_stdio(tmp_path, "--session", "by-flag", "--agent", "helper", environ=environ) as client:
        assert session_of(await write(client, "B")) == "by-flag"
    assert contents(tmp_path, "by-environment", "tester") == ["A"]
    assert contents(tmp_path, "by-flag", "helper") == ["B"]


def root(folder: Path) -> Root:
    """A folder as a client tells of it."""
    return Root.model_validate({"uri": folder.as_uri()})


def telling(*folders: Path) -> Any:
    """A client's answer to the question for its roots."""

    async def answer(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[root(folder) for folder in folders])

    return answer


@every_era
@bounded
async def test_the_project_is_the_clients_first_root(tmp_path: Path, mode: str) -> None:
    """The plan is kept in the project that the client is at work in, wherever the server was started."""
    project, elsewhere = tmp_path / "a project", tmp_path / "elsewhere"
    for folder in (project / ".git", elsewhere / ".git"):
        folder.mkdir(parents=True)
    roots = telling(tmp_path / "gone", project)
    async with on_stdio(elsewhere, mode=mode, environ={"HOLDFAST_DB": ""}, list_roots_callback=roots) as client:
        session = session_of(await write(client, "A"))
        assert session_of(await client.call_tool("TodoRead", {})) == session
    board = Board(dialect="holdfast", store=project / ".holdfast" / "plans.db", session=session)
    assert [todo.content for todo in board.plan.todos] == ["A"]
    board.store.close()
    assert not (elsewhere / ".holdfast").exists()


@every_era
@bounded
async def test_a_server_over_http_serves_several_projects(tmp_path: Path, mode: str) -> None:
    """Clients of one server that have its token, each at work in its own folder, have their plans there."""
    projects = [tmp_path / "one", tmp_path / "two"]
    for folder in projects:
        (folder / ".git").mkdir(parents=True)
    with http_process(tmp_path, "--token", TOKEN, environ={"HOLDFAST_DB": ""}) as served:
        for folder in projects:
            roots = telling(folder)
            async with over_http(served.url, mode, headers=SHOWN, list_roots_callback=roots) as client:
                session = session_of(await write(client, folder.name))
                board = Board(dialect="holdfast", store=folder / ".holdfast" / "plans.db", session=session)
                assert [todo.content for todo in board.plan.todos] == [folder.name]
                board.store.close()


@every_era
@bounded
async def test_without_a_token_no_client_names_a_folder(tmp_path: Path, mode: str) -> None:
    """Every user of the machine can reach the port. The plans of other projects are not read."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        (folder / ".git").mkdir(parents=True)
    secret = Board(dialect="holdfast", store=theirs / ".holdfast" / "plans.db", session="s")
    assert secret.write({"todos": [{"content": "secret"}]}).ok
    with http_process(ours, "--session", "s", environ={"HOLDFAST_DB": ""}) as served:
        async with over_http(served.url, mode, list_roots_callback=telling(theirs)) as client:
            assert "secret" not in str(await client.call_tool("TodoRead", {}))
            await write(client, "A")
    assert [todo.content for todo in secret.plan.todos] == ["secret"]
    assert (ours / ".holdfast" / "plans.db").exists()
    secret.store.close()


@bounded
async def test_roots_that_change_are_asked_for_again(tmp_path: Path) -> None:
    """When the client tells that its roots are others now, the next call is about the new project."""
    projects = [tmp_path / "one", tmp_path / "two"]
    for folder in projects:
        (folder / ".git").mkdir(parents=True)
    at_work_in = [projects[0]]

    async def answer(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[root(folder) for folder in at_work_in])

    async with on_stdio(tmp_path, "--session", "s", environ={"HOLDFAST_DB": ""}, list_roots_callback=answer) as client:
        await write(client, "A")
        at_work_in[0] = projects[1]
        await write(client, "B")
        with pytest.warns(MCPDeprecationWarning, match="roots"):
            await client.send_roots_list_changed()
        await write(client, "C")
    for folder, expected in zip(projects, (["B"], ["C"]), strict=True):
        board = Board(dialect="holdfast", store=folder / ".holdfast" / "plans.db", session="s")
        assert [todo.content for todo in board.plan.todos] == expected
        board.store.close()


@bounded
async def test_a_named_store_is_the_store_of_all(tmp_path: Path) -> None:
    """With `--db` or HOLDFAST_DB, no client is asked for its roots."""
    asked = []

    async def answer(context: ClientRequestContext) -> ListRootsResult:
        asked.append(context)
        return ListRootsResult(roots=[])

    async with on_stdio(tmp_path, mode=LEGACY, list_roots_callback=answer) as client:
        session = session_of(await write(client, "A"))
    assert contents(tmp_path, session) == ["A"] and asked == []


@bounded
async def test_without_roots_the_project_is_the_working_directory(tmp_path: Path) -> None:
    """A client that has no roots, or none that is a folder here, works where the server was started."""
    (tmp_path / ".git").mkdir()
    roots = telling(tmp_path / "gone")
    async with on_stdio(tmp_path, "--session", "s", environ={"HOLDFAST_DB": ""}, list_roots_callback=roots) as client:
        await write(client, "A")
    assert os.listdir(tmp_path / ".holdfast")
