"""Messages and tools of the Messages API in the form of Chat Completions: pure functions, one way."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..messages import Block, Message

JSON = dict[str, Any]


def to_chat(system: str, messages: Sequence[Message]) -> list[JSON]:
    """A conversation in chat form: tool results are messages of their own, a text behind them follows as the user's."""
    chat: list[JSON] = [{"role": "system", "content": system}] if system else []
    for message in messages:
        chat += _said(message) if message["role"] == "assistant" else _heard(message)
    return chat


def functions(tools: Sequence[Mapping[str, Any]]) -> list[JSON]:
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


def blocks(message: Message, kind: str) -> Iterator[Block]:
    """The blocks of one kind in a message, whose content may be a plain text."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return (block for block in content if block["type"] == kind)


def texts(message: Message) -> str:
    """All that a message says, a blank line between its blocks."""
    return "\n\n".join(block["text"] for block in blocks(message, "text"))


def result_text(result: Block) -> str:
    """What a tool answered. Chat form has no field for a failure, so its text begins with the word."""
    content = result.get("content", "")
    text = content if isinstance(content, str) else texts({"content": content})
    failed = result.get("is_error") and not text.startswith("Error")
    return f"Error: {text}" if failed else text


def _said(message: Message) -> list[JSON]:
    calls = [_call(block) for block in blocks(message, "tool_use")]
    text = texts(message)
    if not calls:
        return [{"role": "assistant", "content": text}]
    return [{"role": "assistant", "content": text or None, "tool_calls": calls}]


def _heard(message: Message) -> list[JSON]:
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": result_text(block)}
        for block in blocks(message, "tool_result")
    ]
    text = texts(message)
    return [*results, {"role": "user", "content": text}] if text or not results else results


def _call(block: Block) -> JSON:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": arguments}}
