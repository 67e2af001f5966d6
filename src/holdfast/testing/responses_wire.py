"""The Responses API's answers, whole and streamed, and what it refuses."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..agent.messages import Block
from .chat_wire import error_body
from .wire import JSON, ScriptedAnswer, argument_pieces, arguments_text, require, require_objects, text_pieces

__all__ = ["answer_body", "answer_events", "check_request", "error_body"]


def check_request(body: JSON, strict: bool) -> None:
    """Raises APIRefusal for a request that the API refuses; if `strict`, for unknown tools in the history too."""
    require(body.get("model"), "Missing required parameter: 'model'.", "missing_required_parameter")
    require(body.get("input"), "Missing required parameter: 'input'.", "missing_required_parameter")
    items = [] if isinstance(body["input"], str) else require_objects(body["input"], "input")
    _check_pairs(items)
    offered = set(_names(require_objects(body.get("tools") or [], "tools")))
    for item in items if strict else ():
        known = item.get("type") != "function_call" or item.get("name") in offered
        require(known, f"Tool '{item.get('name')}' in 'input' not found in 'tools' parameter.")


def answer_body(answer: ScriptedAnswer) -> JSON:
    """The body of an answer that is not streamed."""
    output = [_item(answer, place, block) for place, block in enumerate(answer.blocks)]
    return {**_response(answer, "completed"), "output": output, "usage": _usage(answer)}


def answer_events(answer: ScriptedAnswer) -> Iterator[bytes]:
    """The events of a streamed answer."""
    begun = {**_response(answer, "in_progress"), "output": [], "usage": None}
    events = [("response.created", {"response": begun})]
    for place, block in enumerate(answer.blocks):
        events += _item_events(answer, place, block)
    events.append(("response.completed", {"response": answer_body(answer)}))
    for number, (kind, fields) in enumerate(events):
        data = json.dumps({"type": kind, "sequence_number": number, **fields}, ensure_ascii=False)
        yield f"event: {kind}\ndata: {data}\n\n".encode()


def _check_pairs(items: Sequence[JSON]) -> None:
    """Every answer belongs to a call before it, and every call is answered."""
    called = {str(item.get("call_id")) for item in items if item.get("type") == "function_call"}
    answered = {str(item.get("call_id")) for item in items if item.get("type") == "function_call_output"}
    for id in answered - called:
        require(False, f"No tool call found for function call output with call_id {id}.")
    for id in called - answered:
        require(False, f"No tool output found for function call {id}.")


def _names(tools: Sequence[JSON]) -> Iterator[str]:
    """The names of all functions on offer, those inside a namespace too."""
    for tool in tools:
        yield str(tool.get("name"))
        yield from _names(tool.get("tools") or ())


def _item_events(answer: ScriptedAnswer, place: int, block: Block) -> list[tuple[str, JSON]]:
    item = _item(answer, place, block)
    at = {"output_index": place, "item_id": item["id"]}
    is_call = block["type"] == "tool_use"
    empty: JSON = {"arguments": ""} if is_call else {"content": []}
    begun = {**item, "status": "in_progress", **empty}
    deltas = _call_deltas(at, block) if is_call else _text_deltas(at, block)
    return [
        ("response.output_item.added", {"output_index": place, "item": begun}),
        *deltas,
        ("response.output_item.done", {"output_index": place, "item": item}),
    ]


def _call_deltas(at: JSON, block: Block) -> list[tuple[str, JSON]]:
    pieces = [("response.function_call_arguments.delta", {**at, "delta": piece}) for piece in argument_pieces(block)]
    done = {**at, "name": block["name"], "arguments": arguments_text(block)}
    return [*pieces, ("response.function_call_arguments.done", done)]


def _text_deltas(at: JSON, block: Block) -> list[tuple[str, JSON]]:
    at = {**at, "content_index": 0}
    pieces = [
        ("response.output_text.delta", {**at, "delta": piece, "logprobs": []}) for piece in text_pieces(block["text"])
    ]
    return [
        ("response.content_part.added", {**at, "part": _text("")}),
        *pieces,
        ("response.output_text.done", {**at, "text": block["text"], "logprobs": []}),
        ("response.content_part.done", {**at, "part": _text(block["text"])}),
    ]


def _item(answer: ScriptedAnswer, place: int, block: Block) -> JSON:
    named = {"id": f"item_scripted_{answer.number}_{place}", "status": "completed"}
    if block["type"] != "tool_use":
        return {"type": "message", **named, "role": "assistant", "content": [_text(block["text"])]}
    space = {"namespace": block["namespace"]} if "namespace" in block else {}
    call = {"call_id": block["id"], "name": block["name"], **space, "arguments": arguments_text(block)}
    return {"type": "function_call", **named, **call}


def _text(text: str) -> JSON:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(answer: ScriptedAnswer, status: str) -> JSON:
    fixed: dict[str, Any] = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "metadata": {}}
    unset = dict.fromkeys(("error", "incomplete_details", "instructions"))
    named = {"id": f"resp_scripted_{answer.number}", "object": "response", "created_at": 0, "status": status}
    return {**named, "model": answer.model, **fixed, **unset}


def _usage(answer: ScriptedAnswer) -> JSON:
    return {
        "input_tokens": answer.tokens_in,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.tokens_in + answer.tokens_out,
    }
