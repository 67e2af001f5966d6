"""Messages and tools of the Messages API in the form of Chat Completions."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..messages import Block, Definition, Message, text

JSON = dict[str, Any]


def to_chat(system: str, messages: Sequence[Message]) -> list[JSON]:
    """A conversation in chat form: tool results are messages of their own, and a text after them is the user's."""
    chat: list[JSON] = [{"role": "system", "content": system}] if system else []
    for message in messages:
        chat += _assistant_messages(message) if message["role"] == "assistant" else _user_messages(message)
    return chat


def functions(tools: Sequence[Definition]) -> list[JSON]:
    """Tools in chat form."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool["input_schema"],
            },
        }
        for tool in tools
    ]


def blocks_of(message: Message, kind: str) -> Iterator[Block]:
    """The blocks of one kind in a message, whose content may be a plain text."""
    content = message["content"]
    if isinstance(content, str):
        content = [text(content)]
    return (block for block in content if block["type"] == kind)


def joined_text(message: Message) -> str:
    """The text of a message, with a blank line between its blocks."""
    return "\n\n".join(block["text"] for block in blocks_of(message, "text"))


def result_text(result: Block) -> str:
    """The text of a tool's result. Chat form has no field for a failure, so the text begins with `Error`."""
    content = result.get("content", "")
    words = content if isinstance(content, str) else joined_text({"content": content})
    failed = result.get("is_error") and not words.startswith("Error")
    return f"Error: {words}" if failed else words


def _assistant_messages(message: Message) -> list[JSON]:
    calls = [_call(block) for block in blocks_of(message, "tool_use")]
    words = joined_text(message)
    if not calls:
        return [{"role": "assistant", "content": words}]
    return [{"role": "assistant", "content": words or None, "tool_calls": calls}]


def _user_messages(message: Message) -> list[JSON]:
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": result_text(block)}
        for block in blocks_of(message, "tool_result")
    ]
    words = joined_text(message)
    return [*results, {"role": "user", "content": words}] if words or not results else results


def _call(block: Block) -> JSON:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": arguments}}
