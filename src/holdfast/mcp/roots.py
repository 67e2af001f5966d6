"""The folder that a client works in: the first of its roots that is a folder on this machine."""

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mcp_types as types
from anyio import to_thread
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from .identity import Context, connection

PATIENCE = 5.0
"""How many seconds a client has to send its roots; after that, the working directory is used."""

MOST_KNOWN = 1_000
ANSWER = "roots"


class Roots:
    """Asks each client once per connection, in the way of its protocol, and remembers the answer."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    async def folder(self, context: Context, params: Any = None) -> str | types.InputRequiredResult | None:
        """The client's folder; None if it has none. A result is a question that the client must answer first."""
        name = connection(context)
        if name in self._known:
            return self._known[name]
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return None
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await self._read_answer(name, params)
        return await self._remember(name, await _ask(context))

    def forget(self, context: Context) -> None:
        """The client has other roots now."""
        self._known.pop(connection(context), None)

    async def _read_answer(self, name: str, params: Any) -> str | types.InputRequiredResult | None:
        if not isinstance(params, types.InputResponseRequestParams):
            return None
        answer = (params.input_responses or {}).get(ANSWER)
        if answer is None:
            return types.InputRequiredResult(input_requests={ANSWER: types.ListRootsRequest()})
        return await self._remember(name, answer.roots if isinstance(answer, types.ListRootsResult) else ())

    async def _remember(self, name: str, roots: Sequence[types.Root]) -> str | None:
        folder = await to_thread.run_sync(_first_folder, roots)
        if name:
            self._known[name] = folder
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return folder


async def _ask(context: Context) -> Sequence[types.Root]:
    on_its_stream = ServerMessageMetadata(related_request_id=context.request_id)
    try:
        answer = await context.session.send_request(
            types.ListRootsRequest(), types.ListRootsResult, PATIENCE, on_its_stream
        )
    except (MCPError, ValidationError):
        return ()
    return answer.roots


def _first_folder(roots: Sequence[types.Root]) -> str | None:
    for root in roots:
        address = urlsplit(str(root.uri))
        path = url2pathname(address.path)
        if address.scheme == "file" and address.netloc in ("", "localhost") and os.path.isdir(path):
            return path
    return None
