"""How the server answers: as JSON, with errors that say what was wrong and what to do."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..errors import StoreError
from ..transfer.data import JSON


class APIError(Exception):
    """A request that is not done. `code` is for programs, the message for people, `more` is added to the answer."""

    def __init__(
        self, status: int, code: str, message: str, more: JSON | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.more = more or {}
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


class JSONAnswer(Response):
    """Data as JSON. It is written in ASCII: a text may hold half a character, which no encoding can carry."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def error_answer(
    status: int, code: str, message: str, more: JSON | None = None, headers: Mapping[str, str] | None = None
) -> JSONAnswer:
    """What went wrong."""
    return JSONAnswer({"error": message, "code": code, **(more or {})}, status, headers)


async def api_error(request: Request, reason: Exception) -> Response:
    """The answer to a request that was not done."""
    assert isinstance(reason, APIError), "it is registered for these"
    return error_answer(reason.status, reason.code, str(reason), reason.more, reason.headers)


async def store_error(request: Request, reason: Exception) -> Response:
    """The answer while the store cannot be used."""
    assert isinstance(reason, StoreError), "it is registered for these"
    return error_answer(503, "store", str(reason), headers={"Retry-After": "1"})


async def not_found(request: Request, reason: Exception) -> Response:
    """The answer to an unknown address."""
    return error_answer(404, "not_found", "there is nothing at this address")


async def wrong_method(request: Request, reason: Exception) -> Response:
    """The answer to a method that an address does not take."""
    headers = getattr(reason, "headers", None)
    return error_answer(405, "wrong_method", "this address does not take this method", headers=headers)
