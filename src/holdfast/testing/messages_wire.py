"""The Messages API's answers, whole and streamed. `messages_rules` says what it refuses."""

import json
from collections.abc import Iterator, Mapping, Sequence

from ..agent.messages import Block
from .messages_rules import check
from .wire import JSON, Refusal, Spoken, argument_pieces, words

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

__all__ = ["check", "error", "events", "fit", "whole"]


def fit(body: JSON, blocks: Sequence[Block]) -> None:
    """Nothing in a request rules an answer out."""


def error(refusal: Refusal) -> JSON:
    """The body of an error."""
    kind = ERRORS.get(refusal.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_scripted"}


def whole(spoken: Spoken) -> JSON:
    """The body of an answer that is not streamed."""
    content = [_readable(block) for block in spoken.blocks]
    return {**_message(spoken), "content": content, "stop_reason": _reason(spoken), "usage": _usage(spoken)}


def events(spoken: Spoken) -> Iterator[bytes]:
    """The events of an answer that is."""
    message = {**_message(spoken), "content": [], "stop_reason": None}
    yield _event("message_start", message={**message, "usage": {**_usage(spoken), "output_tokens": 1}})
    for index, block in enumerate(spoken.blocks):
        yield _event("content_block_start", index=index, content_block={**block, **EMPTY[block["type"]]})
        for delta in _deltas(block):
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": _reason(spoken), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": spoken.tokens_out})
    yield _event("message_stop")


def _deltas(block: Block) -> list[JSON]:
    if block["type"] == "tool_use":
        return [{"type": "input_json_delta", "partial_json": piece} for piece in argument_pieces(block)]
    if block["type"] == "thinking":
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in words(block["thinking"])]
        return [*thoughts, {"type": "signature_delta", "signature": block["signature"]}]
    return [{"type": "text_delta", "text": piece} for piece in words(block["text"])]


def _readable(block: Block) -> Block:
    return {**block, "input": {}} if isinstance(block.get("input"), str) else block


def _message(spoken: Spoken) -> JSON:
    named = {"id": f"msg_scripted_{spoken.number}", "type": "message", "role": "assistant", "model": spoken.model}
    return {**named, "stop_sequence": None}


def _reason(spoken: Spoken) -> str:
    return "tool_use" if spoken.calls_tools else "end_turn"


def _usage(spoken: Spoken) -> JSON:
    return {
        "input_tokens": spoken.tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": spoken.tokens_out,
    }


def _event(kind: str, **fields: object) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()
