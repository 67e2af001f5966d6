"""Gemini's `generateContent`, whole and streamed, and what it refuses."""

import json
import re
from collections.abc import Iterator, Sequence

from ..agent.messages import Block
from .wire import JSON, APIRefusal, ScriptedAnswer, require, require_objects, text_pieces

PATH = "/v1beta/models"
"""Where its requests go; the model and the method follow."""

ERRORS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}


def normalize_request(path: str, body: JSON) -> tuple[str, JSON]:
    """A request to `/v1beta/models/NAME:streamGenerateContent` as the other APIs have it: the name is in the body."""
    found = re.fullmatch(rf"{PATH}/([^:/]+):(streamGenerateContent|generateContent)", path)
    if found is None:
        return path, body
    return PATH, {**body, "model": found[1], "stream": found[2].startswith("stream")}


def check_request(body: JSON, strict: bool) -> None:
    """Raises APIRefusal for a request that the API refuses; if `strict`, for unknown tools in the history too."""
    contents = require_objects(body.get("contents"), "contents")
    require(contents, "* GenerateContentRequest.contents: contents is not specified")
    declared = {
        function.get("name")
        for tool in require_objects(body.get("tools") or [], "tools")
        for function in tool.get("functionDeclarations") or ()
    }
    for content in contents:
        require(content.get("role") in ("user", "model"), "Please use a valid role: user, model.")
        parts = require_objects(content.get("parts"), "contents.parts")
        require(parts, "Unable to submit request because it must include at least one parts field.")
        called = [part["functionCall"].get("name") for part in parts if "functionCall" in part]
        for name in called if strict else ():
            require(name in declared, f"Function call {name} is not declared.")


def error_body(refusal: APIRefusal) -> JSON:
    """The body of an error."""
    status = ERRORS.get(refusal.status, "INTERNAL")
    return {"error": {"code": refusal.status, "message": refusal.message, "status": status}}


def answer_body(answer: ScriptedAnswer) -> JSON:
    """The body of an answer that is not streamed."""
    return _answer(answer, [_part(block) for block in answer.blocks], "STOP")


def answer_events(answer: ScriptedAnswer) -> Iterator[bytes]:
    """The events of a streamed answer: texts in pieces, calls whole."""
    parts: list[JSON] = []
    for block in answer.blocks:
        parts += (
            [_part(block)] if block["type"] == "tool_use" else [{"text": piece} for piece in text_pieces(block["text"])]
        )
    for part in parts[:-1]:
        yield _event(_answer(answer, [part]))
    yield _event(_answer(answer, parts[-1:] or [{"text": ""}], "STOP"))


def _part(block: Block) -> JSON:
    if block["type"] == "tool_use":
        return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
    return {"text": block["text"]}


def _answer(answer: ScriptedAnswer, parts: Sequence[JSON], reason: str | None = None) -> JSON:
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}}
    read, written = answer.tokens_in, answer.tokens_out
    usage = {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written}
    return {
        "candidates": [{**candidate, **({"finishReason": reason} if reason else {})}],
        "usageMetadata": usage,
        "modelVersion": answer.model,
        "responseId": f"scripted-{answer.number}",
    }


def _event(answer: JSON) -> bytes:
    return f"data: {json.dumps(answer, ensure_ascii=False)}\r\n\r\n".encode()
