"""What an SDK raised, in one line that says what to do: for good (ModelError), or worth another try (Passing).

Both SDKs are cut from one template: an error that came with a status has `status_code`, `response` and `body`, one of
the connection has none of them.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import ModelError, TooLong
from ...text import brief
from .retries import Passing

_BUSY = {"overloaded_error": 529, "api_error": 500, "rate_limit_error": 429, "timeout_error": 504, "server_error": 500}
"""Errors that arrive in a stream, under status 200, by the name that the server gives them."""

_TOO_LONG = re.compile(r"prompt is too long|(maximum|exceeds?|available).* context|context_length|exceed_context", re.I)
"""How servers say that a request is more than their model can read: Anthropic, OpenAI, vLLM, llama.cpp."""


class Place(NamedTuple):
    """Where a model is: its provider's name, its own, the variable its key is in, and the address of its server."""

    provider: str
    name: str
    key: str
    address: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" if self.name else f"the model at {self.address}"


def told(error: Exception, place: Place) -> ModelError | Passing:
    """The error to raise for one of an SDK's."""
    body = _inner(getattr(error, "body", None))
    status = _status(error, body)
    words = brief(str(body.get("message") or error), 300)
    if status:
        return _of_status(status, words, body, _asked(error), place)
    if isinstance(error, ValueError):
        return unreadable(place)
    if body:
        return Passing(f"{place} broke off: {words}", "try again later")
    return Passing(f"no connection to {place.address} ({words})", "check the address, and that the server runs")


def unreadable(place: Place) -> Passing:
    """An answer that is none."""
    return Passing(f"{place} sent an answer that cannot be read", f"check that {place.address} is a model's server")


def broken_off(place: Place) -> Passing:
    """A stream that ended before the answer did."""
    return Passing(f"{place} broke off in mid-answer", "try again later")


def _of_status(
    status: int, words: str, body: Mapping[str, Any], after: float | None, place: Place
) -> ModelError | Passing:
    match status:
        case 401:
            return ModelError(f"{place} refused the key (401): check {place.key}")
        case 403:
            return ModelError(f"the key in {place.key} may not use {place} (403): {words}")
        case 404:
            return ModelError(f"no model {place.name!r} at {place.address} (404): check its name, and the address")
        case 413:
            return TooLong(f"the request is too large for {place} (413): {words}")
        case 429 if body.get("code") == "insufficient_quota":
            return ModelError(f"there is no credit left for {place} (429): {words}")
        case 429:
            return Passing(f"{place} is at its rate limit (429)", "wait, or take another model", after)
        case 408 | 409:
            return Passing(f"{place} asks for the request again ({status})", "try again later", after)
        case _ if status >= 500:
            return Passing(f"{place} fails ({status}): {words}", "try again later, or take another model", after)
    is_too_long = _TOO_LONG.search(f"{body.get('code')} {body.get('type')} {words}") is not None
    return (TooLong if is_too_long else ModelError)(f"{place} refused the request ({status}): {words}")


def _inner(body: object) -> Mapping[str, Any]:
    """The error itself: one SDK hands over the whole body, the other what stands under `error` in it."""
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {"message": str(inner)}


def _status(error: Exception, body: Mapping[str, Any]) -> int:
    """The status of an error; of one that arrived in a stream the one that it would have come with; 0 if none."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return status
    code = body.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _BUSY.get(str(body.get("type")), 0)


def _asked(error: Exception) -> float | None:
    """The seconds that the server asks to wait; a date instead of a number is not read."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None
