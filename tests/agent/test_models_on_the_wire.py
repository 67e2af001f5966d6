"""Both models through the real SDKs, against a scripted server on loopback: what is sent, and what comes back."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install 'holdfast[agent]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

from holdfast.agent import Model
from holdfast.agent.models import open_model
from holdfast.testing import ModelServer, broken_call, call, text

TOOL: dict[str, Any] = {
    "name": "echo",
    "description": "Say it again.",
    "input_schema": {"type": "object", "properties": {"words": {"type": "string"}}},
}
TASK = {"role": "user", "content": [{"type": "text", "text": "重构认证模块"}]}

WIRES = ["anthropic", "openai"]
Opener = Callable[[ModelServer], Model]


@pytest.fixture(params=WIRES)
def opened(request: pytest.FixtureRequest) -> Opener:
    """How a model on each wire is opened."""
    wire: str = request.param
    return lambda server: on(wire, server)


def on(wire: str, server: ModelServer) -> Model:
    """A model on one wire."""
    address = server.url if wire == "anthropic" else server.chat_url
    return open_model(f"{wire}:scripted", base_url=address, environ={})


def result(id: str, content: str, **fields: Any) -> dict[str, Any]:
    """The result of a tool call."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def test_text_arrives_in_pieces_and_whole(opened: Opener) -> None:
    """The pieces of a text come as they are said; together they are the answer, and its tokens are counted."""
    words = "Zuerst schaue ich nach, 然后 I go on.\n\nDone."
    pieces: list[str] = []
    with ModelServer([[text(words)]]) as server:
        answer = opened(server).query("Be brief.", [TASK], [TOOL], pieces.append)
    assert answer.blocks == [{"type": "text", "text": words}]
    assert "".join(pieces) == words
    assert len(pieces) > 5
    assert answer.tokens_in > 20
    assert answer.tokens_out > 10


def test_nobody_has_to_listen(opened: Opener) -> None:
    """Without a listener the answer is the same."""
    with ModelServer([[text("Hello there.")]]) as server:
        assert opened(server).query("", [TASK], []).blocks == [{"type": "text", "text": "Hello there."}]
        assert not {"tools"} & server.requests[0].body.keys()


def test_calls_come_back_whole_and_their_results_are_sent(opened: Opener) -> None:
    """Two calls beside a text come in order, with ids; their results, a failed one and a text behind are accepted."""
    turns = [[text("I look."), call("echo", words='认证 "x"\n'), call("echo")], [text("Done.")]]
    with ModelServer(turns) as server:
        model = opened(server)
        first = model.query("", [TASK], [TOOL])
        said, one, two = first.blocks
        assert said == {"type": "text", "text": "I look."}
        assert (one["name"], one["input"], two["input"]) == ("echo", {"words": '认证 "x"\n'}, {})
        assert one["id"] != two["id"]
        heard = [result(one["id"], "a"), result(two["id"], "no luck", is_error=True), text("Go on.")]
        history = [TASK, {"role": "assistant", "content": first.blocks}, {"role": "user", "content": heard}]
        assert model.query("", history, [TOOL]).blocks == [{"type": "text", "text": "Done."}]
        assert [request.status for request in server.requests] == [200, 200]


def test_the_chat_form_of_a_conversation() -> None:
    """Results are messages of their own, a failure says so, and the text behind them is the user's last message."""
    calls = [{"type": "tool_use", "id": id, "name": "echo", "input": {"words": "é"}} for id in ("c1", "c2")]
    heard = [result("c1", "a"), result("c2", "no luck", is_error=True), text("Go on.")]
    history = [TASK, {"role": "assistant", "content": calls}, {"role": "user", "content": heard}]
    with ModelServer() as server:
        on("openai", server).query("Be brief.", history, [TOOL])
        body = server.requests[0].body
    sent = [
        {"id": id, "type": "function", "function": {"name": "echo", "arguments": '{"words": "é"}'}}
        for id in ("c1", "c2")
    ]
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "重构认证模块"},
        {"role": "assistant", "content": None, "tool_calls": sent},
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no luck"},
        {"role": "user", "content": "Go on."},
    ]
    function = {"name": "echo", "description": "Say it again.", "parameters": TOOL["input_schema"]}
    assert body["tools"] == [{"type": "function", "function": function}]


@pytest.mark.parametrize("raw", ['{"words": "cut o', "[1, 2]", "echo hello", '{"words": NaN-}', '"text"'])
def test_arguments_that_cannot_be_read_are_kept_as_they_came(opened: Opener, raw: str) -> None:
    """Arguments that are no JSON object come as they were written, and can be sent back."""
    with ModelServer([[broken_call("echo", raw)], [text("Done.")]]) as server:
        model = opened(server)
        block = model.query("", [TASK], [TOOL]).blocks[0]
        assert block["input"] == {"__unreadable__": raw}
        heard = {"role": "user", "content": [result(block["id"], "Error: say it again", is_error=True)]}
        model.query("", [TASK, {"role": "assistant", "content": [block]}, heard], [TOOL])
        assert server.requests[-1].status == 200


def test_blank_text_is_no_block(opened: Opener) -> None:
    """A blank text, which the API would refuse in the history, is left out of the answer."""
    with ModelServer([[text("\n"), call("echo")], [text(" ")]]) as server:
        model = opened(server)
        assert [block["type"] for block in model.query("", [TASK], [TOOL]).blocks] == ["tool_use"]
        assert model.query("", [TASK], [TOOL]).blocks == []


def test_marks_stand_on_what_stays_never_on_a_reminder() -> None:
    """The system prompt is marked for the cache, and the last result; of a message with none, the first block."""
    blocks: list[dict[str, Any]] = [{"type": "tool_use", "id": id, "name": "echo", "input": {}} for id in ("c1", "c2")]
    heard = [result("c1", "a"), result("c2", "b"), text("a reminder")]
    with ModelServer() as server:
        model = on("anthropic", server)
        history = [TASK, {"role": "assistant", "content": blocks}, {"role": "user", "content": heard}]
        model.query("Be brief.", history, [TOOL])
        model.query("", [{"role": "user", "content": [text("a task"), text("a reminder")]}], [TOOL])
        model.query("", [{"role": "user", "content": "a task"}], [])
        results, texts, plain = (request.body for request in server.requests)
    assert results["system"] == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    assert ["cache_control" in block for block in results["messages"][-1]["content"]] == [False, True, False]
    assert ["cache_control" in block for block in texts["messages"][-1]["content"]] == [True, False]
    assert ["cache_control" in block for block in plain["messages"][-1]["content"]] == [True]
    assert "system" not in texts
    assert "tools" not in plain


def test_the_history_is_not_changed_by_a_query(opened: Opener) -> None:
    """What is handed over stays as it was."""
    history = [json.loads(json.dumps(TASK))]
    with ModelServer() as server:
        opened(server).query("Be brief.", history, [TOOL])
    assert history == [TASK]


def test_thinking_is_given_back_as_it_came() -> None:
    """The API wants a model's thinking back beside its calls: it is kept, with its signature, and not shown."""
    thinking = {"type": "thinking", "thinking": "Hm, so.", "signature": "sig"}
    pieces: list[str] = []
    with ModelServer([[thinking, call("echo", words="x")]]) as server:
        model = on("anthropic", server)
        blocks = model.query("", [TASK], [TOOL], pieces.append).blocks
        heard = {"role": "user", "content": [result(blocks[1]["id"], "x")]}
        model.query("", [TASK, {"role": "assistant", "content": blocks}, heard], [TOOL])
        assert server.requests[-1].status == 200
    assert blocks[0] == thinking
    assert pieces == []


def test_a_server_that_numbers_and_names_its_calls_badly() -> None:
    """Calls that all have the number 0 are told apart by their ids; one without an id is given one."""
    from openai.types.chat import ChatCompletionChunk

    from holdfast.agent.models.openai import ChatReader

    def chunk(**call: Any) -> ChatCompletionChunk:
        choice = {"index": 0, "delta": {"tool_calls": [{"index": 0, **call}]}, "finish_reason": None}
        return ChatCompletionChunk.model_validate(
            {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        )

    reading = ChatReader()
    for id in ("a", "b"):
        reading.add(chunk(id=id, function={"name": "echo", "arguments": ""}))
        reading.add(chunk(function={"arguments": f'{{"words": "{id}"}}'}))
    assert [(block["id"], block["input"]) for block in reading.answer().blocks] == [
        ("a", {"words": "a"}),
        ("b", {"words": "b"}),
    ]
    nameless = ChatReader()
    nameless.add(chunk(function={"name": "echo", "arguments": "{}"}))
    assert nameless.answer().blocks[0]["id"].startswith("call_")
