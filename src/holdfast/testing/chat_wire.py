"""Chat Completions' answers, whole and streamed. `chat_rules` says what it refuses."""

import json
from collections.abc import Iterator

from ..agent.messages import Block
from .chat_rules import check_request
from .wire import JSON, APIRefusal, ScriptedAnswer, argument_pieces, arguments_text, text_pieces

__all__ = ["answer_body", "answer_events", "check_request", "error_body"]


def error_body(refusal: APIRefusal) -> JSON:
    """The body of an error."""
    kind = "invalid_request_error" if refusal.status < 500 and refusal.status != 429 else "server_error"
    return {"error": {"message": refusal.message, "type": kind, "param": None, "code": refusal.code}}


def answer_body(answer: ScriptedAnswer) -> JSON:
    """The body of an answer that is not streamed."""
    calls = [_call(block) for block in answer.blocks if block["type"] == "tool_use"]
    text = "".join(block["text"] for block in answer.blocks if block["type"] == "text")
    message = {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": _reason(answer)}
    return {**_envelope(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def answer_events(answer: ScriptedAnswer) -> Iterator[bytes]:
    """The events of a streamed answer."""
    yield _chunk(answer, {"role": "assistant", "content": ""})
    number = 0
    for block in answer.blocks:
        if block["type"] == "text":
            yield from (_chunk(answer, {"content": piece}) for piece in text_pieces(block["text"]))
            continue
        begun = _call({**block, "input": ""})
        yield _chunk(answer, {"tool_calls": [{"index": number, **begun}]})
        for piece in argument_pieces(block):
            yield _chunk(answer, {"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
        number += 1
    yield _chunk(answer, {}, _reason(answer))
    yield _event({**_envelope(answer, "chat.completion.chunk"), "choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def _call(block: Block) -> JSON:
    function = {"name": block["name"], "arguments": arguments_text(block)}
    return {"id": block["id"], "type": "function", "function": function}


def _envelope(answer: ScriptedAnswer, kind: str) -> JSON:
    named = {"id": f"chatcmpl-scripted-{answer.number}", "object": kind, "created": 0, "model": answer.model}
    return {**named, "system_fingerprint": "scripted"}


def _reason(answer: ScriptedAnswer) -> str:
    return "tool_calls" if answer.calls_tools else "stop"


def _usage(answer: ScriptedAnswer) -> JSON:
    read, written = answer.tokens_in, answer.tokens_out
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _chunk(answer: ScriptedAnswer, delta: JSON, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _event({**_envelope(answer, "chat.completion.chunk"), "choices": [choice]})


def _event(data: JSON) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
