"""Which conversation a request belongs to: what the client says of it, else what its connection tells."""

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from ..text import one_line, shorten

Context = ServerRequestContext[Any, Any]

META_KEY = "holdfast/session"
"""Where a client names the conversation in a request's `_meta`, and finds its name in that of a result."""

OPENCODE_KEY = "sessionID"
"""Where opencode names it of its own accord, from version 2 on."""

CODEX_KEY = "x-codex-turn-metadata"
"""Where Codex names it, and the thread, which is a subagent's own."""

QUERY = "session"
"""How an address over HTTP names the conversation: `http://127.0.0.1:8765/mcp?session=NAME`."""

LONGEST = 100
SESSION_HEADER = "mcp-session-id"
STDIO = "stdio"


def named(context: Context) -> str:
    """The conversation as a client was told to name it, in this request or in its address; empty if it was not."""
    request = context.request
    in_address = request.query_params.get(QUERY, "") if isinstance(request, Request) else ""
    return _name((context.meta or {}).get(META_KEY)) or _name(in_address)


def known(context: Context) -> str:
    """The conversation as a client names it of its own accord; empty for most."""
    meta = context.meta or {}
    turn = meta.get(CODEX_KEY)
    return _name(meta.get(OPENCODE_KEY)) or _name(turn.get("session_id") if isinstance(turn, Mapping) else "")


def subagent(context: Context) -> str:
    """The subagent that a request comes from, as the client names it; empty for the main agent."""
    turn = (context.meta or {}).get(CODEX_KEY)
    if not isinstance(turn, Mapping) or turn.get("session_id") == turn.get("thread_id"):
        return ""
    return _name(turn.get("thread_id"))


def client(context: Context) -> str:
    """What the client calls itself."""
    params = context.session.client_params
    return _name(None if params is None else params.client_info.name) or "mcp"


def connection(context: Context) -> str:
    """The connection that a request came on; empty over HTTP since 2026-07-28, where every request stands alone."""
    request = context.request
    return request.headers.get(SESSION_HEADER, "") if isinstance(request, Request) else STDIO


def _name(given: object) -> str:
    return shorten(one_line(given).strip(), LONGEST) if isinstance(given, str) else ""
