"""What a client sees of the tools, and what calls answer, in every dialect and over every transport."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_driving import ERAS, bounded, connected, contents, http_thread, on_stdio, over_http, session_of, text

from holdfast import Board, Plan, Status, Todo, dialects
from holdfast.dialects import DialectName
from holdfast.mcp.tools import READ, WRITE_SCHEMA

every_dialect = pytest.mark.parametrize("dialect", dialects.names())
every_era = pytest.mark.parametrize("mode", ERAS)

PLAN = Plan((Todo("1", "Read the code", Status.IN_PROGRESS), Todo("2", "Fix the bug")), "Mend it")


def bare_objects(schema: Any, path: str = "") -> Iterator[str]:
    """Where a schema speaks of objects or lists and does not say what is in them."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" not in schema and "additionalProperties" not in schema:
            yield path
        if schema.get("type") == "array" and not schema.get("items"):
            yield path
        for key, value in schema.items():
            if key != "metadata":  # a task of Claude Code may carry anything there
                yield from bare_objects(value, f"{path}/{key}")


async def works_off(client: Client, dialect: DialectName, folder: Path) -> None:
    """A plan is written, read and misspelt; the answers are a board's own, word for word."""
    twin = Board(dialect=dialect)
    answers = [
        (await client.call_tool(tool, payload), twin.write(payload, tool=tool))
        for tool, payload in twin.dialect.calls(PLAN)
    ]
    for result, expected in answers:
        assert not result.is_error
        assert same_words(text(result), expected.text)
    result, expected = answers[-1]
    assert contents(folder, session_of(result)) == [todo.content for todo in PLAN.todos]
    assert result.structured_content["total"] == len(PLAN.todos)
    assert same_words(result.structured_content["reply"], expected.text)
    tool, payload = twin.dialect.calls(PLAN)[0]
    wrong = dict.fromkeys(payload, 7)
    refused = await client.call_tool(tool, wrong)
    assert refused.is_error
    assert same_words(text(refused), twin.write(wrong, tool=tool).text)
    assert contents(folder, session_of(result)) == [todo.content for todo in PLAN.todos]


def same_words(one: str, other: str) -> bool:
    """Whether two replies are the same, but for the milliseconds that an envelope counts."""
    return [piece for piece in one.split() if not piece.rstrip("},").isdecimal()] == [
        piece for piece in other.split() if not piece.rstrip("},").isdecimal()
    ]


@every_dialect
@bounded
async def test_a_dialect_works_over_standard_input_and_output(tmp_path: Path, dialect: DialectName) -> None:
    """A plan is written in the dialect's own tools, and faults are tool errors."""
    async with on_stdio(tmp_path, "--dialect", dialect) as client:
        assert client.instructions == dialects.get(dialect).prompt
        await works_off(client, dialect, tmp_path)


@every_era
@every_dialect
@bounded
async def test_a_dialect_works_over_http(tmp_path: Path, dialect: DialectName, mode: str) -> None:
    """The same over a socket, in the protocol before 2026-07-28 and since."""
    with http_thread(tmp_path, dialect) as url:
        async with over_http(url, mode) as client:
            await works_off(client, dialect, tmp_path)


@every_dialect
@bounded
async def test_tools_are_described_in_full(tmp_path: Path, dialect: DialectName) -> None:
    """Name, words and schema are the dialect's; every list says what is in it; the hints say what a call does."""
    with http_thread(tmp_path, dialect) as url:
        async with over_http(url) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    own = Board(dialect=dialect).tools("mcp")
    for definition in own:
        tool = listed[definition["name"]]
        assert (tool.description, tool.input_schema) == (definition["description"], definition["inputSchema"])
        assert tool.output_schema == WRITE_SCHEMA
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        assert hints == definition["annotations"] and not hints["openWorldHint"]
    assert list(listed) == [definition["name"] for definition in own] + [READ] * (READ in listed)
    for tool in listed.values():
        assert list(bare_objects(tool.input_schema)) == [], tool.name
        assert list(bare_objects(tool.output_schema)) == [], tool.name


@bounded
async def test_the_write_tool_is_neither_read_only_nor_open(tmp_path: Path) -> None:
    """A client may repeat a write, must not take it for a read, and need not fear for the world."""
    async with connected(tmp_path) as client:
        write, read = (await client.list_tools()).tools
    assert write.annotations is not None and read.annotations is not None
    assert (write.annotations.read_only_hint, read.annotations.read_only_hint) == (False, True)
    assert write.annotations.idempotent_hint and write.annotations.open_world_hint is False


@every_era
@bounded
async def test_the_plan_is_read_back_with_what_people_changed(tmp_path: Path, mode: str) -> None:
    """The read tool shows the plan as it is; the model knows of every edit then, and may change it again."""
    async with connected(tmp_path, mode, "s") as client:
        await client.call_tool("TodoWrite", {"todos": [{"content": "A"}, {"content": "B"}]})
        person = Board(dialect="holdfast", store=tmp_path / "plans.db", session="s")
        person.edit("2", content="B, by a person")
        shown = await client.call_tool(READ, {})
        assert text(shown) == "[ ] 1. A\n[ ] 2. B, by a person\n0/2 done"
        assert shown.structured_content["todos"][1] == {"id": "2", "content": "B, by a person", "status": "pending"}
        assert person.plan.edits == ()
        again = await client.call_tool("TodoWrite", {"todos": [{"id": "2", "content": "B, by the model"}]})
        assert text(again) == "0/2 done. Next 1: A"
        assert person.plan.todos[1].content == "B, by the model"
        person.store.close()


@bounded
async def test_an_edit_that_the_model_has_not_seen_wins(tmp_path: Path) -> None:
    """Without a look at the plan, a person's edit stands against the next write, and the reply says so."""
    async with connected(tmp_path, session="s") as client:
        await client.call_tool("TodoWrite", {"todos": [{"content": "A"}, {"content": "B"}]})
        person = Board(dialect="holdfast", store=tmp_path / "plans.db", session="s")
        person.edit("2", content="B, by a person")
        reply = await client.call_tool("TodoWrite", {"todos": [{"id": "2", "content": "B, by the model"}]})
        assert "B, by a person" in text(reply) and not reply.is_error
        assert person.plan.todos[1].content == "B, by a person"
        person.store.close()


@bounded
async def test_hostile_text_is_carried_and_never_obeyed(tmp_path: Path) -> None:
    """Escape codes and overrides come back visible in what the model reads, and verbatim as data."""
    hostile = "\x1b[2J\u202e<plan> 夜\U0001f3a8"
    async with connected(tmp_path) as client:
        written = await client.call_tool("TodoWrite", {"todos": [{"content": hostile}]})
        shown = await client.call_tool(READ, {})
    assert "\x1b" not in text(written) + text(shown) and "\u202e" not in text(written) + text(shown)
    assert shown.structured_content["todos"][0]["content"] == hostile


@bounded
async def test_the_reply_is_as_short_as_the_dialects(tmp_path: Path) -> None:
    """Neither the text nor the structured form sends the list back with a write."""
    todos = [{"content": f"Step {number}"} for number in range(50)]
    async with connected(tmp_path) as client:
        result = await client.call_tool("TodoWrite", {"todos": todos})
    assert text(result) == "Saved 1-50. 0/50 done. Next 1: Step 0"
    assert result.structured_content == {"reply": text(result), "done": 0, "total": 50, "revision": 1}
