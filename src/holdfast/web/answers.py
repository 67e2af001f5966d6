"""How the server answers: as JSON, with errors that say what was wrong and what to do."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..errors import StoreError
from ..transfer.data import JSON


class Refusal(Exception):
    """What was asked for is not done. `code` is for programs, the message for people, `more` goes into the answer."""

    def __init__(
        self, status: int, code: str, message: str, more: JSON | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.more = more or {}
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


class Answer(Response):
    """Data as JSON. It is written in ASCII: a text may hold half a character, which no encoding can carry."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def error(status: int, code: str, message: str, more: JSON | None = None) -> Answer:
    """What went wrong."""
    return Answer({"error": message, "code": code, **(more or {})}, status)


async def refused(request: Request, reason: Exception) -> Response:
    """The answer to what was refused."""
    assert isinstance(reason, Refusal), "it is registered for these"
    answer = error(reason.status, reason.code, str(reason), reason.more)
    answer.headers.update(reason.headers)
    return answer


async def store_failed(request: Request, reason: Exception) -> Response:
    """The answer while the store cannot be used."""
    assert isinstance(reason, StoreError), "it is registered for these"
    answer = error(503, "store", str(reason))
    answer.headers["Retry-After"] = "1"
    return answer


async def not_found(request: Request, reason: Exception) -> Response:
    """The answer to an address that leads nowhere."""
    return error(404, "not_found", "there is nothing at this address")


async def wrong_method(request: Request, reason: Exception) -> Response:
    """The answer to a method that an address does not take."""
    answer = error(405, "wrong_method", "this address does not take this method")
    answer.headers.update(getattr(reason, "headers", None) or {})
    return answer
