"""Models that cannot call tools: one JSON action a turn, held to a schema, through the real SDK."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from holdfast import Session
from holdfast.agent import Agent, AgentTool
from holdfast.agent.assembly import connect_model
from holdfast.agent.models import JSONActions, open_model
from holdfast.attention.offers import Offer
from holdfast.testing import ModelServer, ScriptedTurn, action, text

JSON = dict[str, Any]

WORDS = {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]}
ECHO = AgentTool("echo", "Say it again.", WORDS, lambda words: words)
TOOL = ECHO.definition
TASK: JSON = {"role": "user", "content": [{"type": "text", "text": "Do it"}]}


@contextmanager
def acting(*turns: ScriptedTurn) -> Iterator[tuple[JSONActions, ModelServer]]:
    """A model that acts by JSON, and the server that plays these turns to it."""
    with ModelServer(turns) as server:
        model = open_model("openai:scripted", server.chat_url, "json", environ={})
        assert isinstance(model, JSONActions)
        yield model, server


def offered(body: JSON) -> list[str]:
    """The actions that a request allows."""
    return [choice["properties"]["tool"]["const"] for choice in _schema(body)["anyOf"]]


def _schema(body: JSON) -> JSON:
    found: JSON = body["response_format"]["json_schema"]["schema"]
    return found


def test_an_action_is_a_call_and_the_end_is_a_text() -> None:
    """An action of a tool comes back as its call; `finish` as the model's answer, which the listener hears."""
    pieces: list[str] = []
    with acting([action("echo", words="é")], [action("finish", text="All done.")]) as (model, _):
        first = model.query("", [TASK], [TOOL], pieces.append)
        assert [(block["name"], block["input"]) for block in first.blocks] == [("echo", {"words": "é"})]
        assert pieces == []
        assert model.query("", [TASK], [TOOL], pieces.append).blocks == [text("All done.")]
    assert pieces == ["All done."]
    assert first.tokens_in > 0


def test_what_the_model_is_told(snapshot: Callable[[str, str], None]) -> None:
    """The system prompt has the tools in few words; calls are its own actions, results the user's words."""
    calls = [{"type": "tool_use", "id": "c1", "name": "echo", "input": {"words": "1"}}]
    failed = {"type": "tool_result", "tool_use_id": "c1", "content": "no luck", "is_error": True}
    history = [
        TASK,
        {"role": "assistant", "content": calls},
        {"role": "user", "content": [failed, text("Now do item 1 with the tool that fits best: A")]},
        {"role": "assistant", "content": [text("I am done.")]},
        {"role": "user", "content": [text("1 of 1 todos is still open.")]},
    ]
    with acting([action("finish", text="x")]) as (model, server):
        model.query("You are an agent.", history, [TOOL, *Session().tools("anthropic")])
        messages = server.requests[0].body["messages"]
    snapshot("json-actions.txt", "\n\n".join(f"{m['role'].upper()}\n{m['content']}" for m in messages))


def test_the_schema_has_every_tool_and_no_end_of_strings() -> None:
    """One `anyOf` of all actions, the tool's name first, definitions at the root, strings and lists bounded."""
    own = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "text": {"type": ["string", "null"], "maxLength": 9000},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "node": {"$ref": "#/$defs/node"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["path"],
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    tool = {"name": "write", "description": "", "input_schema": own}
    before = json.dumps(own)
    with acting([action("finish", text="x")]) as (model, server):
        model.query("", [TASK], [TOOL, tool])
        schema = _schema(server.requests[0].body)
    assert json.dumps(own) == before
    write = schema["anyOf"][1]
    assert offered(server.requests[0].body) == ["echo", "write", "finish"]
    assert list(write["properties"]) == ["tool", "path", "text", "mode", "node", "names"]
    assert (write["required"], write["additionalProperties"]) == (["tool", "path"], False)
    assert write["properties"]["path"]["maxLength"] == write["properties"]["text"]["maxLength"] == 1500
    assert "maxLength" not in write["properties"]["mode"]
    assert write["properties"]["names"] == {
        "type": "array",
        "items": {"type": "string", "maxLength": 200},
        "maxItems": 50,
    }
    assert write["properties"]["node"] == {"$ref": "#/$defs/write_node"}
    assert schema["$defs"]["write_node"]["properties"]["next"] == {"$ref": "#/$defs/write_node"}


@pytest.mark.parametrize(
    ("offer", "names"),
    [
        (Offer(write=True, work=False, stop=False), ["TodoWrite"]),
        (Offer(write=False, work=True, stop=False), ["echo"]),
        (Offer(write=False, work=True, stop=True), ["echo", "finish"]),
        (Offer(write=True, work=True, stop=True), ["echo", "TodoWrite", "finish"]),
        (Offer(write=False, work=False, stop=False), ["echo", "TodoWrite", "finish"]),
    ],
)
def test_only_what_makes_sense_is_offered(offer: Offer, names: list[str]) -> None:
    """The schema has the actions of the offer; one that leaves nothing to do is not held to."""
    with acting([text("{}")]) as (model, server):
        model.offer = lambda: offer
        with pytest.raises(Exception, match="does not fit the response_format"):
            model.query("", [TASK], [TOOL, *Session().tools("anthropic")])
        assert offered(server.requests[0].body) == names


def test_a_model_that_has_looked_is_not_offered_to_look_again() -> None:
    """After one look, only tools that do something are left; where there are none, all are."""
    reading = {**TOOL, "name": "read_file"}
    for tools, names in (([TOOL, reading], ["echo"]), ([reading], ["read_file", "finish"])):
        with acting([text("{}")]) as (model, server):
            model.read_only_tools = {"read_file"}
            model.offer = lambda: Offer(write=False, work=True, stop=False, look=False)
            with pytest.raises(Exception, match="does not fit the response_format"):
                model.query("", [TASK], tools)
            assert offered(server.requests[0].body) == names


def test_a_plan_alone_that_cannot_be_written_leaves_everything() -> None:
    """In plan mode there is no plan's tool: an offer of nothing else is not held to."""
    with acting([action("finish", text="x")]) as (model, server):
        model.offer = lambda: Offer(write=True, work=False, stop=False)
        model.query("", [TASK], [TOOL])
        assert offered(server.requests[0].body) == ["echo", "finish"]


@pytest.mark.parametrize(
    ("raw", "block"),
    [
        ('```json\n{"tool": "echo", "words": "x"}\n```', ("echo", {"words": "x"})),
        ('{"tool": "echo", "words": "cut o', ("echo", {"__unreadable__": '{"tool": "echo", "words": "cut o'})),
        ("I would rather talk.", "I would rather talk."),
        ('{"tool": "finish", "text": "cut o', '{"tool": "finish", "text": "cut o'),
        ('{"tool": "finish"}', None),
        ('{"words": "no tool"}', '{"words": "no tool"}'),
        ("[1, 2]", "[1, 2]"),
        ("", None),
    ],
)
def test_what_a_server_sends_that_holds_to_no_schema(raw: str, block: object) -> None:
    """What can be read is; a cut-off action is a call that cannot be read; anything else is the model's words."""

    class Loose:
        def chat(self, messages: object, on_text: object = None, **options: Any) -> Any:
            from holdfast.agent import ModelAnswer

            return ModelAnswer([text(raw)] if raw else [])

    blocks = JSONActions(Loose()).query("", [TASK], [TOOL]).blocks
    read = [(part["name"], part["input"]) if part["type"] == "tool_use" else part["text"] for part in blocks]
    assert read == ([] if block is None else [block])


def test_without_tools_it_simply_answers() -> None:
    """A request with no tools, for a summary, asks for words, not for an action."""
    pieces: list[str] = []
    with acting([text("A summary in words.")]) as (model, server):
        assert model.query("Sum up.", [TASK], [], pieces.append).blocks == [text("A summary in words.")]
        body = server.requests[0].body
    assert "response_format" not in body
    assert body["messages"][0] == {"role": "system", "content": "Sum up."}
    assert len(pieces) > 1


def test_a_tool_with_an_argument_that_actions_need() -> None:
    """The host is told which."""
    schema = {"type": "object", "properties": {"tool": {"type": "string"}}}
    with acting() as (model, _), pytest.raises(ValueError, match="the tool 'fix' has an argument 'tool'"):
        model.query("", [TASK], [{"name": "fix", "description": "", "input_schema": schema}])


def test_the_whole_loop_on_the_rail() -> None:
    """Plan, work, word of what became of it: at each step only what makes sense is possible, up to the end."""
    turns: list[ScriptedTurn] = [
        [action("TodoWrite", todos=[{"content": "Say A"}, {"content": "Say B"}])],
        [action("echo", words="A")],
        [action("TodoWrite", todos=[{"id": "1", "status": "completed"}])],
        [action("echo", words="B")],
        [action("TodoWrite", todos=[{"id": "2", "status": "completed"}])],
        [action("finish", text="Both said.")],
    ]
    with acting(*turns) as (model, server):
        agent = Agent(model, Session(policy="rail"), [ECHO])
        model.offer = agent.attention.offer
        result = agent.run("Say A and B")
        bodies = [request.body for request in server.requests]
    assert (result.reason, result.text) == ("done", "Both said.")
    assert [str(todo.status) for todo in result.todos] == ["completed", "completed"]
    assert [offered(body) for body in bodies] == [
        ["TodoWrite"],
        ["echo"],
        ["echo", "TodoWrite"],
        ["echo"],
        ["echo", "TodoWrite"],
        ["finish"],
    ]
    narrowed = _schema(bodies[2])["anyOf"][1]["properties"]["todos"]["items"]["properties"]
    assert narrowed["id"] == {"const": "1"}
    assert len({body["messages"][0]["content"] for body in bodies}) == 1
    assert "Now do item 1 with the tool that fits best: Say A" in bodies[1]["messages"][-1]["content"]


def test_a_server_that_ignores_the_schema_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its model writes the plan where only work was possible, and is told to take another tool."""
    plan = {"tool": "TodoWrite", "todos": [{"content": "Say A"}, {"content": "Say B"}]}
    again = {"tool": "TodoWrite", "todos": [{"id": "1", "status": "in_progress"}]}
    turns = [[text(json.dumps(turn))] for turn in (plan, again, {"tool": "echo", "words": "A"})]
    with acting(*turns) as (model, server):
        chat = model.model.chat
        monkeypatch.setattr(model.model, "chat", lambda *given, response_format, **options: chat(*given, **options))
        agent = Agent(model, Session(policy="rail"), [ECHO])
        connect_model(agent, model)
        agent.run("Say A and B")
        asked = [request.body["messages"][-1]["content"] for request in server.requests]
    assert "Now do item 1 with the tool that fits best: Say A" in asked[1]
    assert "Now do item 1 with another tool than TodoWrite: Say A" in asked[2]


def test_a_refused_write_is_answered_and_the_loop_goes_on() -> None:
    """A bad write comes back to the model as the user's words, and the list stays."""
    turns: list[ScriptedTurn] = [
        [action("TodoWrite", todos=[{"content": "A"}])],
        [action("TodoWrite", todos=[{"id": "9", "status": "completed"}])],
        [action("finish", text="Done.")],
    ]
    with acting(*turns) as (model, server):
        result = Agent(model, Session(), [ECHO]).run("Do it")
        told = server.requests[-1].body["messages"][-1]
    assert (result.reason, [todo.content for todo in result.todos]) == ("done", ["A"])
    assert told["role"] == "user"
    assert "9" in told["content"]
