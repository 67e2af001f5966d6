"""What the scripted server refuses, asked with raw requests: the real APIs' rules, in their shapes and words."""

import copy
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from patience import PATIENCE

from holdfast.testing import ModelServer, text

JSON = dict[str, Any]

TOOL: JSON = {"name": "echo", "input_schema": {"type": "object", "properties": {"words": {"type": "string"}}}}
USE: JSON = {"type": "tool_use", "id": "c1", "name": "echo", "input": {}}
RESULT: JSON = {"type": "tool_result", "tool_use_id": "c1", "content": "x"}
SAID: JSON = {"type": "text", "text": "Now do it"}
TASK: JSON = {"role": "user", "content": [SAID]}

CALL: JSON = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
CALLING: JSON = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD: JSON = {"role": "tool", "tool_call_id": "c1", "content": "x"}
ASKED: JSON = {"role": "user", "content": "Do it"}
FUNCTION: JSON = {"type": "function", "function": {"name": "echo", "parameters": TOOL["input_schema"]}}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    """One server for all of them: a refused request takes no turn."""
    with ModelServer([[text("Taken.")] for _ in range(99)]) as server:
        yield server


def post(server: ModelServer, path: str, body: object) -> tuple[int, JSON]:
    """The status and the body of an answer."""
    raw = json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}{path}", raw, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def messages(*turns: JSON, **fields: Any) -> JSON:
    """A request to the Messages API that is right, but for what is given."""
    body = {"model": "scripted", "max_tokens": 100, "messages": list(turns), "tools": [TOOL], **fields}
    return copy.deepcopy({name: value for name, value in body.items() if value is not None})


def chat(*turns: JSON, **fields: Any) -> JSON:
    """A request to Chat Completions that is right, but for what is given."""
    body = {"model": "scripted", "messages": list(turns), "tools": [FUNCTION], **fields}
    return copy.deepcopy({name: value for name, value in body.items() if value is not None})


def assistant(*blocks: JSON) -> JSON:
    """An assistant's message."""
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: JSON) -> JSON:
    """A user's message."""
    return {"role": "user", "content": list(blocks)}


def schema(**schema: Any) -> list[JSON]:
    """One tool with this schema."""
    return [{"name": "echo", "input_schema": schema}]


ACCEPTED = {
    "a plain text": messages({"role": "user", "content": "Do it"}),
    "a call and its result": messages(TASK, assistant(USE), user(RESULT)),
    "a text behind the results": messages(TASK, assistant(SAID, USE), user(RESULT, SAID)),
    "a tool that is gone": messages(TASK, assistant({**USE, "name": "gone"}), user(RESULT)),
    "a choice": messages(TASK, tool_choice={"type": "tool", "name": "echo"}),
    "two users in a row": messages(TASK, TASK),
    "two assistants in a row": messages(TASK, assistant(SAID), assistant(SAID), TASK),
    "a text after the results, in a message of its own": messages(TASK, assistant(USE), user(RESULT), TASK),
}

REFUSED = {
    "no max_tokens": (messages(TASK, max_tokens=None), "max_tokens: Field required"),
    "max_tokens below 0": (messages(TASK, max_tokens=-1), "max_tokens: Input should be"),
    "no model": (messages(TASK, model=None), "model: Field required"),
    "no messages": (messages(), "messages: at least one message is required"),
    "an empty message": (messages(user()), "messages.0: all messages must have non-empty content"),
    "an empty text": (messages(user({"type": "text", "text": ""})), "text content blocks must be non-empty"),
    "a blank text": (messages(user({"type": "text", "text": " \n"})), "must contain non-whitespace text"),
    "the assistant first": (messages(assistant(SAID)), 'first message must use the "user" role'),
    "results in a second message": (
        messages(TASK, assistant(USE), TASK, user(RESULT)),
        "`tool_use` ids were found without",
    ),
    "the system as a role": (messages({"role": "system", "content": "x"}), "messages.0.role: Input should be"),
    "a text before the results": (
        messages(TASK, assistant(USE), user(SAID, RESULT)),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1.",
    ),
    "a call with no result": (messages(TASK, assistant(USE), TASK), "`tool_use` ids were found without"),
    "a call at the end": (messages(TASK, assistant(USE)), "messages.1: `tool_use` ids were found without"),
    "the assistant last": (messages(TASK, assistant(SAID)), "does not support assistant message prefill"),
    "a result with no call": (messages(user(RESULT)), "messages.0.content.0: unexpected `tool_use_id` found"),
    "two results for one call": (messages(TASK, assistant(USE), user(RESULT, RESULT)), "a single result"),
    "one id for two calls": (
        messages(TASK, assistant(USE), user(RESULT), assistant(USE), user(RESULT)),
        "`tool_use` ids must be unique",
    ),
    "a call by the user": (messages(user(USE)), "`tool_use` blocks can only be in `assistant` messages"),
    "an input that is none": (
        messages(TASK, assistant({**USE, "input": "{"}), user(RESULT)),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    "a block of no kind": (messages(user({"type": "song"})), "Input tag 'song' found using 'type'"),
    "a field too many": (messages(user({**SAID, "mood": "good"})), "text.mood: Extra inputs are not permitted"),
    "a field too few": (messages(user({"type": "text"})), "messages.0.content.0.text.text: Field required"),
    "calls but no tools": (messages(TASK, assistant(USE), user(RESULT), tools=None), "must define tools"),
    "an unknown choice": (messages(TASK, tool_choice={"type": "tool", "name": "fly"}), "Tool 'fly' not found"),
    "a choice of nothing": (messages(TASK, tools=None, tool_choice={"type": "auto"}), "while providing tools"),
    "a tool's odd name": (messages(TASK, tools=[{**TOOL, "name": "a b"}]), "tools.0.custom.name: String should"),
    "two tools of one name": (messages(TASK, tools=[TOOL, TOOL]), "Tool names must be unique"),
    "no schema": (messages(TASK, tools=[{"name": "echo"}]), "tools.0.custom.input_schema: Field required"),
    "a schema of no object": (messages(TASK, tools=schema(type="array")), "Input should be 'object'"),
    "a schema with branches": (messages(TASK, tools=schema(type="object", anyOf=[{}])), "at the top level"),
    "a schema that is none": (
        messages(TASK, tools=schema(type="object", properties={"a": {"type": "text"}})),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match draft 2020-12: "
        "schema.properties.a.type: 'text' is not a type",
    ),
    "five marks for the cache": (
        messages(user(*[{**SAID, "cache_control": {"type": "ephemeral"}}] * 5)),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
}

CHAT_ACCEPTED = {
    "a text": chat(ASKED, tools=None),
    "a call and its result": chat(ASKED, CALLING, TOLD),
    "a text behind the results": chat(ASKED, CALLING, TOLD, ASKED),
    "two users in a row": chat(ASKED, ASKED),
}

CHAT_REFUSED = {
    "no messages": (chat(), "empty_array", "Invalid 'messages': empty array."),
    "messages left out": (chat(messages=None), "missing_required_parameter", "Missing required parameter"),
    "no model": (chat(ASKED, model=None), None, "you must provide a model parameter"),
    "no tools in the list": (chat(ASKED, tools=[]), "empty_array", "Invalid 'tools': empty array."),
    "a role that is none": (chat({"role": "boss", "content": "x"}), "invalid_value", "Invalid value: 'boss'"),
    "no content": (chat({"role": "user"}), None, "Invalid value for 'content'"),
    "a text before the results": (chat(ASKED, CALLING, ASKED, TOLD), None, "did not have response messages: c1"),
    "a call at the end": (chat(ASKED, CALLING), None, "An assistant message with 'tool_calls' must be followed"),
    "a result with no call": (chat(ASKED, TOLD), None, "must be a response to a preceeding message"),
    "two results for one call": (chat(ASKED, CALLING, TOLD, TOLD), None, "must be a response to a preceeding"),
    "an unknown choice": (
        chat(ASKED, tool_choice={"type": "function", "function": {"name": "fly"}}),
        "invalid_value",
        "Tool choice 'fly' not found",
    ),
    "a schema that is none": (
        chat(ASKED, tools=[{"type": "function", "function": {"name": "echo", "parameters": {"type": "text"}}}]),
        "invalid_function_parameters",
        "Invalid schema for function 'echo': schema.type: 'text' is not a type",
    ),
    "a schema of no object": (
        chat(ASKED, tools=[{"type": "function", "function": {"name": "echo", "parameters": {"type": "array"}}}]),
        "invalid_function_parameters",
        "Invalid schema for function 'echo': schema must be a JSON Schema of 'type: \"object\"'",
    ),
    "a form that is none": (
        chat(
            ASKED,
            response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": {"$ref": "#/$defs/x"}}},
        ),
        "invalid_json_schema",
        "Invalid schema for response_format 'a': schema.$ref: '#/$defs/x' leads nowhere",
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_the_messages_api_takes_what_is_right(server: ModelServer, body: JSON) -> None:
    """A request that is right is answered with the script's next turn."""
    status, answer = post(server, "/v1/messages", body)
    assert (status, answer["content"]) == (200, [{"type": "text", "text": "Taken."}])


@pytest.mark.parametrize(("body", "words"), REFUSED.values(), ids=REFUSED)
def test_the_messages_api_refuses(server: ModelServer, body: JSON, words: str) -> None:
    """What the real API refuses is refused, in its shape and words."""
    status, answer = post(server, "/v1/messages", body)
    assert (status, answer["type"], answer["error"]["type"]) == (400, "error", "invalid_request_error")
    assert words in answer["error"]["message"]


@pytest.mark.parametrize("body", CHAT_ACCEPTED.values(), ids=CHAT_ACCEPTED)
def test_chat_completions_takes_what_is_right(server: ModelServer, body: JSON) -> None:
    """A request that is right is answered with the script's next turn."""
    status, answer = post(server, "/v1/chat/completions", body)
    assert (status, answer["choices"][0]["message"]["content"]) == (200, "Taken.")


@pytest.mark.parametrize(("body", "code", "words"), CHAT_REFUSED.values(), ids=CHAT_REFUSED)
def test_chat_completions_refuses(server: ModelServer, body: JSON, code: str | None, words: str) -> None:
    """What the real API refuses is refused, in its shape and words."""
    status, answer = post(server, "/v1/chat/completions", body)
    assert (status, answer["error"]["type"], answer["error"]["code"]) == (400, "invalid_request_error", code)
    assert words in answer["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/messages", messages(TASK, assistant({**USE, "name": "gone"}), user(RESULT))),
        (
            "/v1/chat/completions",
            chat(
                ASKED,
                {**CALLING, "tool_calls": [{**CALL, "function": {"name": "gone", "arguments": "{}"}}]},
                TOLD,
            ),
        ),
    ],
)
def test_a_strict_server_refuses_unknown_tools_in_the_history(path: str, body: JSON) -> None:
    """With `strict` a call of a tool that is not offered is refused, too."""
    with ModelServer([[text("Taken.")]], strict=True) as server:
        status, answer = post(server, path, body)
    assert status == 400
    assert "'gone'" in answer["error"]["message"]


@pytest.mark.parametrize("body", ["", [], {}, {"messages": "x"}, {"messages": [1]}, {"messages": [{}], "tools": 3}])
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_nonsense_is_refused_and_never_breaks_the_server(server: ModelServer, path: str, body: object) -> None:
    """A body of any form is a bad request."""
    sound = {"model": "scripted", "max_tokens": 1, **body} if isinstance(body, dict) else body
    assert post(server, path, sound)[0] == 400


def test_a_path_that_is_none_is_not_found(server: ModelServer) -> None:
    """Any other path is not found."""
    assert post(server, "/v1/nothing", {})[0] == 404
