"""The Messages API's answers, whole and streamed. `messages_rules` says what it refuses."""

import json
from collections.abc import Iterator, Mapping

from ..agent.messages import Block
from .messages_rules import check_request
from .wire import JSON, APIRefusal, ScriptedAnswer, argument_pieces, text_pieces

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}

EMPTY: Mapping[str, JSON] = {
    "text": {"text": ""},
    "tool_use": {"input": {}},
    "thinking": {"thinking": "", "signature": ""},
}
"""What each kind of block starts with in a stream."""

__all__ = ["answer_body", "answer_events", "check_request", "error_body"]


def error_body(refusal: APIRefusal) -> JSON:
    """The body of an error."""
    kind = ERRORS.get(refusal.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_scripted"}


def answer_body(answer: ScriptedAnswer) -> JSON:
    """The body of an answer that is not streamed."""
    content = [_readable(block) for block in answer.blocks]
    return {**_message(answer), "content": content, "stop_reason": _reason(answer), "usage": _usage(answer)}


def answer_events(answer: ScriptedAnswer) -> Iterator[bytes]:
    """The events of a streamed answer."""
    message = {**_message(answer), "content": [], "stop_reason": None}
    yield _event("message_start", message={**message, "usage": {**_usage(answer), "output_tokens": 1}})
    for index, block in enumerate(answer.blocks):
        yield _event("content_block_start", index=index, content_block={**block, **EMPTY[block["type"]]})
        for delta in _deltas(block):
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": _reason(answer), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": answer.tokens_out})
    yield _event("message_stop")


def _deltas(block: Block) -> list[JSON]:
    if block["type"] == "tool_use":
        return [{"type": "input_json_delta", "partial_json": piece} for piece in argument_pieces(block)]
    if block["type"] == "thinking":
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in text_pieces(block["thinking"])]
        return [*thoughts, {"type": "signature_delta", "signature": block["signature"]}]
    return [{"type": "text_delta", "text": piece} for piece in text_pieces(block["text"])]


def _readable(block: Block) -> Block:
    return {**block, "input": {}} if isinstance(block.get("input"), str) else block


def _message(answer: ScriptedAnswer) -> JSON:
    named = {"id": f"msg_scripted_{answer.number}", "type": "message", "role": "assistant", "model": answer.model}
    return {**named, "stop_sequence": None}


def _reason(answer: ScriptedAnswer) -> str:
    return "tool_use" if answer.calls_tools else "end_turn"


def _usage(answer: ScriptedAnswer) -> JSON:
    return {
        "input_tokens": answer.tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": answer.tokens_out,
    }


def _event(kind: str, **fields: object) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()
