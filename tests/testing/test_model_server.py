"""The scripted server in use: both formats, whole and streamed, through the real SDKs."""

import json
import threading
import time
import urllib.request
from http.client import IncompleteRead
from typing import Any

import pytest
from patience import PATIENCE, wait_until

pytest.importorskip("anthropic", reason="the SDKs are not installed: pip install 'holdfast[agent]'")
pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

import anthropic
import openai

from holdfast.testing import Dropped, Failing, ModelServer, Slow, action, broken_call, call, text

TURN = [text("I look."), call("echo", words="é")]
TASK: Any = [{"role": "user", "content": "Do it"}]
FUNCTION = {"type": "function", "function": {"name": "echo", "parameters": {"type": "object"}}}


def messages(server: ModelServer, **fields: Any) -> Any:
    """The Messages API of a server, asked through its SDK."""
    client = anthropic.Anthropic(api_key="any", base_url=server.url, max_retries=0)
    return client.messages.create(model="scripted", max_tokens=100, messages=TASK, **fields)


def chat(server: ModelServer, **fields: Any) -> Any:
    """Chat Completions of a server, asked through its SDK."""
    client = openai.OpenAI(api_key="any", base_url=server.chat_url, max_retries=0)
    return client.chat.completions.create(model="scripted", messages=TASK, **fields)


def test_a_whole_message() -> None:
    """An answer that is not streamed has its blocks, its reason and its tokens, and is named as scripted."""
    with ModelServer([TURN]) as server:
        answer = messages(server)
    assert [block.type for block in answer.content] == ["text", "tool_use"]
    assert (answer.content[1].name, answer.content[1].input) == ("echo", {"words": "é"})
    assert (answer.stop_reason, answer.role) == ("tool_use", "assistant")
    assert answer.id.startswith("msg_scripted")
    assert answer.usage.output_tokens > 0


def test_a_whole_completion() -> None:
    """The same in chat form."""
    with ModelServer([TURN]) as server:
        answer = chat(server, tools=[FUNCTION])
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("I look.", "tool_calls")
    assert json.loads(choice.message.tool_calls[0].function.arguments) == {"words": "é"}
    assert answer.system_fingerprint == "scripted"


def test_a_stream_adds_up_to_the_whole() -> None:
    """The SDK's own accumulator makes the same message out of the events."""
    with ModelServer([TURN]) as server:
        client = anthropic.Anthropic(api_key="any", base_url=server.url, max_retries=0)
        with client.messages.stream(model="scripted", max_tokens=100, messages=TASK) as stream:
            answer: Any = stream.get_final_message()
    assert [block.type for block in answer.content] == ["text", "tool_use"]
    assert (answer.content[0].text, answer.content[1].input) == ("I look.", {"words": "é"})


def test_the_script_ends_with_a_word() -> None:
    """When no turn is left, the server says so."""
    with ModelServer() as server:
        assert messages(server).content[0].text == chat(server).choices[0].message.content == "The script ends here."


def test_what_was_sent_is_kept() -> None:
    """Requests are kept in order, with headers, body and the status that they got; a refused one takes no turn."""
    with ModelServer([[text("one")], Failing(529), [text("two")]], key="any") as server:
        messages(server, system="Be brief.")
        with pytest.raises(anthropic.InternalServerError):
            messages(server)
        with pytest.raises(openai.BadRequestError):
            chat(server, tools=[])
        assert chat(server).choices[0].message.content == "two"
    assert [(request.path, request.status) for request in server.requests] == [
        ("/v1/messages", 200),
        ("/v1/messages", 529),
        ("/v1/chat/completions", 400),
        ("/v1/chat/completions", 200),
    ]
    assert server.requests[0].body["system"] == "Be brief."
    assert "any" in server.requests[-1].headers["authorization"].split()


def test_a_key_that_is_not_the_one() -> None:
    """Another key is refused as the real APIs do it."""
    with ModelServer(key="secret") as server:
        with pytest.raises(anthropic.AuthenticationError):
            messages(server)
        with pytest.raises(openai.AuthenticationError):
            chat(server)


def test_a_model_that_is_not_there() -> None:
    """Another model is not found, and those that are there are listed."""
    with ModelServer(models=["one", "two"]) as server:
        with pytest.raises(anthropic.NotFoundError):
            messages(server)
        with pytest.raises(openai.NotFoundError):
            chat(server)
        client = openai.OpenAI(api_key="any", base_url=server.chat_url)
        assert [model.id for model in client.models.list()] == ["one", "two"]


def test_a_whole_answer_is_cut_off_too() -> None:
    """Without a stream a dropped connection leaves half of the body."""
    with ModelServer([Dropped([text("Hello there")])]) as server:
        address = f"{server.url}/v1/messages"
        body = json.dumps({"model": "x", "max_tokens": 1, "messages": TASK}).encode()
        with urllib.request.urlopen(address, body) as answer, pytest.raises(IncompleteRead):
            answer.read()


def test_a_scripted_action_must_fit_the_form_that_was_asked_for() -> None:
    """A server that holds a model to a schema cannot say anything else: the script is wrong, and hears of it."""
    pytest.importorskip("jsonschema")
    schema = {"type": "object", "properties": {"tool": {"const": "echo"}}, "required": ["tool"]}
    form = {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}
    with ModelServer([[action("fly")], [action("echo")]]) as server:
        with pytest.raises(openai.BadRequestError, match="the script's turn does not fit"):
            chat(server, response_format=form)
        assert chat(server, response_format=form).choices[0].message.content == '{"tool": "echo"}'


def test_arguments_that_are_no_json_are_streamed_as_they_are() -> None:
    """A broken call keeps its text on the wire."""
    with ModelServer([[broken_call("echo", '{"words": "cut o')]]) as server:
        chunks = list(chat(server, stream=True, tools=[FUNCTION]))
    parts = [part for chunk in chunks for choice in chunk.choices for part in choice.delta.tool_calls or ()]
    assert "".join(part.function.arguments for part in parts) == '{"words": "cut o'


def test_a_server_ends_at_once_though_it_is_slow() -> None:
    """Leaving the block does not wait for an answer that is still on its way, and its client hears of it."""

    def ask() -> None:
        with pytest.raises(anthropic.APIConnectionError):
            messages(server)

    with ModelServer([Slow([text("Hello there")], 10 * PATIENCE)]) as server:
        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: server.requests)
        started = time.monotonic()
    assert time.monotonic() - started < PATIENCE
    asking.join(PATIENCE)
    assert not asking.is_alive()


def test_many_may_ask_at_once() -> None:
    """Every request gets a turn of its own."""
    with ModelServer([[text(str(number))] for number in range(12)]) as server:
        heard: list[str] = []
        asking = [threading.Thread(target=lambda: heard.append(messages(server).content[0].text)) for _ in range(12)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(20)
    assert sorted(heard, key=int) == [str(number) for number in range(12)]
