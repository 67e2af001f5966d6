"""What the Messages API refuses, in its own words.

Like the API, it reads messages of one role in a row as one. It is stricter in one point: no system message midway.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import schemas
from .wire import JSON, require, require_objects

FIELDS: Mapping[str, tuple[set[str], set[str]]] = {
    "text": ({"text"}, {"cache_control", "citations"}),
    "tool_use": ({"id", "name", "input"}, {"cache_control", "caller"}),
    "tool_result": ({"tool_use_id"}, {"content", "is_error", "cache_control"}),
    "thinking": ({"thinking", "signature"}, set()),
    "redacted_thinking": ({"data"}, set()),
}
"""The fields of each kind of block: those that it must have, and those that it may have."""
MOST_MARKS = 4


def check_request(body: JSON, strict: bool) -> None:
    """Raises APIRefusal for a request that the API refuses; if `strict`, for unknown tools in the history too."""
    for field in ("model", "max_tokens", "messages"):
        require(field in body, f"{field}: Field required")
    most = body["max_tokens"]
    require(isinstance(most, int) and most >= 0, "max_tokens: Input should be greater than or equal to 0")
    names = _check_tools(require_objects(body.get("tools", []), "tools"))
    _check_choice(body.get("tool_choice"), names)
    messages = [{**message, "content": _blocks(message)} for message in require_objects(body["messages"], "messages")]
    _check_roles(messages)
    messages = _joined(messages)
    for place, message in enumerate(messages):
        _check_content(message, place)
    _check_pairs(messages)
    require(
        messages[-1]["role"] == "user",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )
    called = [block["name"] for block in _blocks_of_type(messages, "tool_use")]
    require(names or not called, "Requests which include `tool_use` or `tool_result` blocks must define tools.")
    for name in called if strict else ():
        require(name in names, f"messages: tool '{name}' not found in provided tools")
    _check_marks(body, messages)


def _check_tools(tools: Sequence[Mapping[str, Any]]) -> set[str]:
    for place, tool in enumerate(tools):
        at = f"tools.{place}.custom"
        name, schema = str(tool.get("name", "")), tool.get("input_schema")
        require(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name), f"{at}.name: String should match pattern")
        require(isinstance(schema, dict), f"{at}.input_schema: Field required")
        assert isinstance(schema, dict)
        require(schema.get("type") == "object", f"{at}.input_schema.type: Input should be 'object'")
        branching = {"oneOf", "allOf", "anyOf"} & schema.keys()
        require(not branching, f"{at}.input_schema: does not support oneOf, allOf, or anyOf at the top level")
        wrong = schemas.schema_fault(schema)
        require(not wrong, f"{at}.input_schema: JSON schema is invalid. It must match draft 2020-12: {wrong}")
    names = [tool["name"] for tool in tools]
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")
    return set(names)


def _check_choice(choice: Mapping[str, Any] | None, names: set[str]) -> None:
    if choice is None:
        return
    require(names, "tool_choice: may only be specified while providing tools")
    if choice.get("type") == "tool":
        name = choice.get("name")
        require(name in names, f"tool_choice.tool.name: Tool '{name}' not found in provided tools")


def _check_roles(messages: Sequence[JSON]) -> None:
    require(messages, "messages: at least one message is required")
    for place, message in enumerate(messages):
        role = message.get("role")
        require(role in ("user", "assistant"), f"messages.{place}.role: Input should be 'user' or 'assistant'")
    require(messages[0]["role"] == "user", 'messages: first message must use the "user" role')


def _joined(messages: Sequence[JSON]) -> list[JSON]:
    """The messages with those of one role in a row as one. An empty one stays alone, to be refused at its place."""
    joined: list[JSON] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"] and joined[-1]["content"] and message["content"]:
            joined[-1] = {**joined[-1], "content": [*joined[-1]["content"], *message["content"]]}
        else:
            joined.append(message)
    return joined


def _check_content(message: JSON, place: int) -> None:
    require(message["content"], f"messages.{place}: all messages must have non-empty content")
    for number, block in enumerate(message["content"]):
        _check_block(block, message["role"], f"messages.{place}.content.{number}")


def _check_block(block: JSON, role: str, at: str) -> None:
    kind = block.get("type")
    require(kind in FIELDS, f"{at}: Input tag '{kind}' found using 'type' does not match any of the expected tags")
    needed, allowed = FIELDS[str(kind)]
    for field in sorted(needed - block.keys()):
        require(False, f"{at}.{kind}.{field}: Field required")
    for field in sorted(block.keys() - needed - allowed - {"type"}):
        require(False, f"{at}.{kind}.{field}: Extra inputs are not permitted")
    require(kind != "tool_result" or role == "user", f"{at}: `tool_result` blocks can only be in `user` messages")
    require(kind != "tool_use" or role == "assistant", f"{at}: `tool_use` blocks can only be in `assistant` messages")
    if kind == "text":
        require(block["text"], "messages: text content blocks must be non-empty")
        require(block["text"].strip(), "messages: text content blocks must contain non-whitespace text")
    if kind == "tool_use":
        require(isinstance(block["input"], dict), f"{at}.tool_use.input: Input should be a valid dictionary")


def _check_pairs(messages: Sequence[JSON]) -> None:
    """Every call is answered at the start of the next message, and nothing else is."""
    calls: list[str] = []
    for place, message in enumerate([*messages, {"role": "end", "content": []}]):
        leading = _leading_results(message["content"])
        missing = ", ".join(id for id in calls if id not in leading)
        require(
            not missing,
            f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{missing}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        )
        for number, block in enumerate(message["content"]):
            require(
                block["type"] != "tool_result" or block["tool_use_id"] in calls,
                f"messages.{place}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block.get('tool_use_id')}. Each `tool_result` block must have a corresponding `tool_use` block in "
                "the previous message.",
            )
        require(len(set(leading)) == len(leading), "messages: each tool_use must have a single result.")
        calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
    ids = [block["id"] for block in _blocks_of_type(messages, "tool_use")]
    require(len(set(ids)) == len(ids), "messages: `tool_use` ids must be unique")


def _check_marks(body: JSON, messages: Sequence[JSON]) -> None:
    system = body.get("system", [])
    blocks = [*([] if isinstance(system, str) else system), *body.get("tools", ())]
    blocks += [block for message in messages for block in message["content"]]
    marks = sum("cache_control" in block for block in blocks)
    require(marks <= MOST_MARKS, f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {marks}.")


def _leading_results(content: Sequence[JSON]) -> list[str]:
    ids = []
    for block in content:
        if block["type"] != "tool_result":
            break
        ids.append(block["tool_use_id"])
    return ids


def _blocks(message: JSON) -> list[JSON]:
    content = message.get("content", [])
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return require_objects(content, "messages.content")


def _blocks_of_type(messages: Sequence[JSON], kind: str) -> list[JSON]:
    return [block for message in messages for block in message["content"] if block["type"] == kind]
