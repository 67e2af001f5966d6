"""Chat Completions' answers, whole and streamed. `chat_rules` says what it refuses."""

import json
from collections.abc import Iterator

from ..agent.messages import Block
from .chat_rules import check, fit
from .wire import JSON, Refusal, Spoken, argument_pieces, arguments, words

__all__ = ["check", "error", "events", "fit", "whole"]


def error(refusal: Refusal) -> JSON:
    """The body of an error."""
    kind = "invalid_request_error" if refusal.status < 500 and refusal.status != 429 else "server_error"
    return {"error": {"message": refusal.message, "type": kind, "param": None, "code": refusal.code}}


def whole(spoken: Spoken) -> JSON:
    """The body of an answer that is not streamed."""
    calls = [_call(block) for block in spoken.blocks if block["type"] == "tool_use"]
    text = "".join(block["text"] for block in spoken.blocks if block["type"] == "text")
    message = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": _reason(spoken)}
    return {**_named(spoken, "chat.completion"), "choices": [choice], "usage": _usage(spoken)}


def events(spoken: Spoken) -> Iterator[bytes]:
    """The events of an answer that is."""
    yield _chunk(spoken, {"role": "assistant", "content": ""})
    number = 0
    for block in spoken.blocks:
        if block["type"] == "text":
            yield from (_chunk(spoken, {"content": piece}) for piece in words(block["text"]))
            continue
        begun = _call({**block, "input": ""})
        yield _chunk(spoken, {"tool_calls": [{"index": number, **begun}]})
        for piece in argument_pieces(block):
            yield _chunk(spoken, {"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
        number += 1
    yield _chunk(spoken, {}, _reason(spoken))
    yield _event({**_named(spoken, "chat.completion.chunk"), "choices": [], "usage": _usage(spoken)})
    yield b"data: [DONE]\n\n"


def _call(block: Block) -> JSON:
    function = {"name": block["name"], "arguments": arguments(block)}
    return {"id": block["id"], "type": "function", "function": function}


def _named(spoken: Spoken, kind: str) -> JSON:
    named = {"id": f"chatcmpl-scripted-{spoken.number}", "object": kind, "created": 0, "model": spoken.model}
    return {**named, "system_fingerprint": "scripted"}


def _reason(spoken: Spoken) -> str:
    return "tool_calls" if spoken.calls_tools else "stop"


def _usage(spoken: Spoken) -> JSON:
    read, written = spoken.tokens_in, spoken.tokens_out
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _chunk(spoken: Spoken, delta: JSON, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _event({**_named(spoken, "chat.completion.chunk"), "choices": [choice]})


def _event(data: JSON) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
