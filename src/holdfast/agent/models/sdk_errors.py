"""What an SDK raised, in one line that says what to do: final (ModelError), or worth another try (TransientError).

Both SDKs follow one template: an error with a status has `status_code`, `response` and `body`; a connection error has
none of them.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import ModelError, TooLong
from ...text import brief
from .retries import TransientError

_STREAM_STATUSES = {
    "overloaded_error": 529,
    "api_error": 500,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "server_error": 500,
}
"""Errors that arrive in a stream, under status 200, by the name that the server gives them."""

_TOO_LONG = re.compile(r"prompt is too long|(maximum|exceeds?|available).* context|context_length|exceed_context", re.I)
"""How servers say that a request is more than their model can read: Anthropic, OpenAI, vLLM, llama.cpp."""


class ModelSource(NamedTuple):
    """Where a model comes from: its provider, its name, the variable with its key, and the address of its server."""

    provider: str
    name: str
    key: str
    address: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" if self.name else f"the model at {self.address}"


def translate_error(error: Exception, source: ModelSource) -> ModelError | TransientError:
    """The error to raise for one of an SDK's."""
    body = _error_body(getattr(error, "body", None))
    status = _status(error, body)
    words = brief(str(body.get("message") or error), 300)
    if status:
        return _status_error(status, words, body, _retry_after(error), source)
    if isinstance(error, ValueError):
        advice = f"check that {source.address} is a model's server"
        return TransientError(f"{source} sent an answer that cannot be read", advice)
    if body:
        return TransientError(f"{source} broke off: {words}", "try again later")
    return TransientError(f"no connection to {source.address} ({words})", "check the address, and that the server runs")


def broken_stream(source: ModelSource) -> TransientError:
    """The error for a stream that ended before the answer did."""
    return TransientError(f"{source} broke off in mid-answer", "try again later")


def _status_error(
    status: int, words: str, body: Mapping[str, Any], after: float | None, source: ModelSource
) -> ModelError | TransientError:
    match status:
        case 401:
            return ModelError(f"{source} refused the key (401): check {source.key}")
        case 403:
            return ModelError(f"the key in {source.key} may not use {source} (403): {words}")
        case 404:
            return ModelError(f"no model {source.name!r} at {source.address} (404): check its name, and the address")
        case 413:
            return TooLong(f"the request is too large for {source} (413): {words}")
        case 429 if body.get("code") == "insufficient_quota":
            return ModelError(f"there is no credit left for {source} (429): {words}")
        case 429:
            return TransientError(f"{source} is at its rate limit (429)", "wait, or take another model", after)
        case 408 | 409:
            return TransientError(f"{source} asks for the request again ({status})", "try again later", after)
        case _ if status >= 500:
            return TransientError(
                f"{source} fails ({status}): {words}", "try again later, or take another model", after
            )
    is_too_long = _TOO_LONG.search(f"{body.get('code')} {body.get('type')} {words}") is not None
    return (TooLong if is_too_long else ModelError)(f"{source} refused the request ({status}): {words}")


def _error_body(body: object) -> Mapping[str, Any]:
    """The error itself: one SDK gives the whole body, the other only its field `error`."""
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {"message": str(inner)}


def _status(error: Exception, body: Mapping[str, Any]) -> int:
    """The status of an error, also of one that arrived in a stream; 0 if it has none."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return status
    code = body.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _STREAM_STATUSES.get(str(body.get("type")), 0)


def _retry_after(error: Exception) -> float | None:
    """The seconds that the server asks to wait. A date instead of a number is ignored."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None
