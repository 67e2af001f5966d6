"""What Chat Completions refuses, in OpenAI's own words."""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..agent.messages import Block
from . import schemas
from .wire import JSON, APIRefusal, require, require_objects

ROLES = ("system", "developer", "user", "assistant", "tool")


def check_request(body: JSON, strict: bool) -> None:
    """Raises APIRefusal for a request that the API refuses; if `strict`, for unknown tools in the history too."""
    require(body.get("model"), "you must provide a model parameter")
    require("messages" in body, "Missing required parameter: 'messages'.", "missing_required_parameter")
    messages = require_objects(body["messages"], "messages")
    require(messages, _empty_array("messages"), "empty_array")
    names = _check_tools(body)
    _check_choice(body.get("tool_choice"), names)
    _check_format(body.get("response_format"))
    for place, message in enumerate(messages):
        _check_message(message, f"messages[{place}]")
    _check_pairs(messages)
    called = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()]
    for name in called if strict else ():
        require(name in names, f"Tool '{name}' in 'messages' not found in 'tools' parameter.")


def check_answer(body: JSON, blocks: Sequence[Block]) -> None:
    """Raises APIRefusal for an answer that `response_format` rules out: the script is wrong. Needs `jsonschema`."""
    schema = _response_schema(body)
    if schema is None or importlib.util.find_spec("jsonschema") is None:
        return
    import jsonschema

    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    try:
        jsonschema.validate(json.loads(text), schema)
    except (jsonschema.ValidationError, ValueError) as error:
        raise APIRefusal(f"the script's turn does not fit the response_format: {text[:200]}") from error


def _check_tools(body: JSON) -> set[str]:
    tools = require_objects(body.get("tools", []), "tools")
    require(tools or "tools" not in body, _empty_array("tools"), "empty_array")
    for place, tool in enumerate(tools):
        require(tool.get("type") == "function", f"Invalid value for 'tools[{place}].type'.", "invalid_value")
        function = tool.get("function", {})
        name, schema = function.get("name"), function.get("parameters", {"type": "object"})
        require(name, f"Missing required parameter: 'tools[{place}].function.name'.", "missing_required_parameter")
        wrong = schemas.schema_fault(schema)
        if not wrong and schema.get("type") != "object":
            wrong = "schema must be a JSON Schema of 'type: \"object\"'"
        require(not wrong, f"Invalid schema for function '{name}': {wrong}", "invalid_function_parameters")
    return {tool["function"]["name"] for tool in tools}


def _check_choice(choice: object, names: set[str]) -> None:
    if choice is None:
        return
    require(names, "'tool_choice' is only allowed when 'tools' are specified.")
    if isinstance(choice, Mapping):
        name = choice.get("function", {}).get("name")
        require(name in names, f"Tool choice '{name}' not found in 'tools' parameter.", "invalid_value")


def _check_format(wanted: Mapping[str, Any] | None) -> None:
    if wanted is None or wanted.get("type") != "json_schema":
        return
    inner = wanted.get("json_schema", {})
    name = inner.get("name")
    require(name, "Missing required parameter: 'response_format.json_schema.name'.", "missing_required_parameter")
    wrong = schemas.schema_fault(inner.get("schema"))
    require(not wrong, f"Invalid schema for response_format '{name}': {wrong}", "invalid_json_schema")


def _check_message(message: JSON, at: str) -> None:
    role = message.get("role")
    require(role in ROLES, f"Invalid value: '{role}'. Supported values are: {', '.join(ROLES)}.", "invalid_value")
    content = message.get("content")
    silent = role == "assistant" and message.get("tool_calls")
    require(
        isinstance(content, (str, list)) or silent, f"Invalid value for 'content': expected a string, got null. ({at})"
    )
    for call in require_objects(message.get("tool_calls") or [], f"{at}.tool_calls"):
        function = call.get("function")
        require(
            "id" in call and isinstance(function, dict) and isinstance(function.get("arguments"), str),
            f"Invalid type for '{at}.tool_calls[0].function.arguments': expected a string.",
            "invalid_type",
        )


def _check_pairs(messages: Sequence[JSON]) -> None:
    """Every call is answered by a message right behind it, and nothing else is."""
    waiting: list[str] = []
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            require(
                message.get("tool_call_id") in waiting,
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
            )
            waiting.remove(message["tool_call_id"])
            continue
        require(
            not waiting,
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
        )
        waiting = [call["id"] for call in message.get("tool_calls") or ()]


def _response_schema(body: JSON) -> Any:
    wanted = body.get("response_format") or {}
    return wanted.get("json_schema", {}).get("schema") if wanted.get("type") == "json_schema" else None


def _empty_array(field: str) -> str:
    return f"Invalid '{field}': empty array. Expected an array with minimum length 1, but got an empty array instead."
