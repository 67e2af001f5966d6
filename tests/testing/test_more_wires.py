"""The scripted server over the Responses API, through its SDK, and over Gemini's `generateContent`."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from patience import PATIENCE

pytest.importorskip("openai", reason="the SDKs are not installed: pip install 'holdfast[agent]'")

import openai

from holdfast.testing import ModelServer, call, text

TURN = [text("I look."), call("echo", words="é")]
FUNCTION: Any = {"type": "function", "name": "echo", "parameters": {"type": "object"}, "strict": False}
ASKED: Any = {"contents": [{"role": "user", "parts": [{"text": "Do it"}]}]}


def responses(server: ModelServer, **fields: Any) -> Any:
    """The Responses API of a server, asked through its SDK."""
    client = openai.OpenAI(api_key="any", base_url=server.chat_url, max_retries=0)
    return client.responses.create(model="scripted", **{"input": "Do it", "tools": [FUNCTION], **fields})


def gemini(server: ModelServer, method: str, body: object) -> str:
    """What Gemini's API answers to a request."""
    address = f"{server.url}/v1beta/models/scripted:{method}?alt=sse"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def test_a_whole_response() -> None:
    """An answer has its text and its call, and is named as scripted."""
    with ModelServer([TURN]) as server:
        answer = responses(server)
    assert (answer.output_text, answer.status) == ("I look.", "completed")
    assert json.loads(answer.output[1].arguments) == {"words": "é"}
    assert answer.id.startswith("resp_scripted")
    assert answer.usage.output_tokens > 0


def test_a_streamed_response_adds_up_to_the_whole() -> None:
    """The last event holds the whole answer, the pieces before it the same text and arguments."""
    with ModelServer([TURN, TURN]) as server:
        whole = responses(server)
        events = list(responses(server, stream=True))
    assert events[0].type == "response.created"
    assert events[-1].response.output_text == whole.output_text
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == "I look."
    pieces = [event.delta for event in events if event.type == "response.function_call_arguments.delta"]
    assert "".join(pieces) == whole.output[1].arguments
    assert [event.sequence_number for event in events] == list(range(len(events)))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"type": "function_call", "call_id": "a", "name": "echo", "arguments": "{}"}], "No tool output found"),
        ([{"type": "function_call_output", "call_id": "a", "output": "é"}], "No tool call found"),
        ([], "input"),
    ],
)
def test_a_response_to_half_a_history_is_refused(items: list[Any], message: str) -> None:
    """A call without its output, an output without its call, and nothing at all, are refused as the API does."""
    with ModelServer([TURN]) as server, pytest.raises(openai.BadRequestError, match=message):
        responses(server, input=items)


def test_a_strict_server_knows_the_tools_in_a_namespace() -> None:
    """A call of a tool that is on offer inside a namespace is taken, one of another tool is not."""
    history = [
        {"type": "function_call", "call_id": "a", "name": "echo", "namespace": "mcp__x", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "é"},
    ]
    space = {"type": "namespace", "name": "mcp__x", "description": "x", "tools": [FUNCTION]}
    with ModelServer([TURN], strict=True) as server:
        assert responses(server, input=history, tools=[space]).output_text == "I look."
        with pytest.raises(openai.BadRequestError, match="'echo'"):
            responses(server, input=history, tools=[])


def test_gemini_whole_and_streamed() -> None:
    """The stream's texts add up to the whole's, the call stands in both, and the last event ends the answer."""
    with ModelServer([TURN, TURN]) as server:
        whole = json.loads(gemini(server, "generateContent", ASKED))
        lines = gemini(server, "streamGenerateContent", ASKED).split("\r\n\r\n")
        assert server.requests[0].body["model"] == "scripted"
    events = [json.loads(line.removeprefix("data: "))["candidates"][0] for line in lines if line]
    parts = [part for event in events for part in event["content"]["parts"]]
    assert "".join(part.get("text", "") for part in parts) == whole["candidates"][0]["content"]["parts"][0]["text"]
    called = [found["functionCall"] for found in (parts[-1], whole["candidates"][0]["content"]["parts"][1])]
    assert [(found["name"], found["args"]) for found in called] == [("echo", {"words": "é"})] * 2
    assert [event.get("finishReason") for event in events] == [None] * (len(events) - 1) + ["STOP"]


@pytest.mark.parametrize("body", [{}, {"contents": []}, {"contents": [{"role": "system", "parts": [{"text": "x"}]}]}])
def test_gemini_refuses_what_it_cannot_read(body: object) -> None:
    """A request without contents, or with a role that is none, gets status 400 and takes no turn."""
    with ModelServer([TURN]) as server:
        with pytest.raises(urllib.error.HTTPError) as refused:
            gemini(server, "generateContent", body)
        assert json.loads(refused.value.read())["error"]["status"] == "INVALID_ARGUMENT"
        refused.value.close()
        assert "I look." in gemini(server, "generateContent", ASKED)
