"""Which conversation a request belongs to: by what the client says, or by its connection."""

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from ..text import one_line, shorten

Context = ServerRequestContext[Any, Any]

META_KEY = "holdfast/session"
"""Where a client names the conversation in a request's `_meta`, and finds its name in that of a result."""

OPENCODE_KEY = "sessionID"
"""Where opencode, from version 2 on, names it by itself."""

CODEX_KEY = "x-codex-turn-metadata"
"""Where Codex names it, and the thread: each subagent has its own."""

CLAUDE_KEY = "claudecode/toolUseId"
"""Where Claude Code says which use of a tool a call is: its hooks know whose it is."""

QUERY = "session"
"""How an address over HTTP names the conversation: `http://127.0.0.1:8765/mcp?session=NAME`."""

LONGEST_NAME = 100
SESSION_HEADER = "mcp-session-id"
STDIO = "stdio"


def chosen_session(context: Context) -> str:
    """The conversation that somebody chose for this request or in the client's address; empty if nobody did."""
    request = context.request
    in_address = request.query_params.get(QUERY, "") if isinstance(request, Request) else ""
    return _name((context.meta or {}).get(META_KEY)) or _name(in_address)


def client_session(context: Context) -> str:
    """The conversation as a client names it by itself; empty for most clients."""
    meta = context.meta or {}
    turn = meta.get(CODEX_KEY)
    return _name(meta.get(OPENCODE_KEY)) or _name(turn.get("session_id") if isinstance(turn, Mapping) else "")


def subagent(context: Context) -> str:
    """The subagent that a request comes from, as the client names it; empty for the main agent."""
    turn = (context.meta or {}).get(CODEX_KEY)
    if not isinstance(turn, Mapping) or turn.get("session_id") == turn.get("thread_id"):
        return ""
    return _name(turn.get("thread_id"))


def tool_use(context: Context) -> str:
    """Which use of a tool a call is, where the client says so."""
    return _name((context.meta or {}).get(CLAUDE_KEY))


def client(context: Context) -> str:
    """What the client calls itself."""
    params = context.session.client_params
    return _name(None if params is None else params.client_info.name) or "mcp"


def connection(context: Context) -> str:
    """The connection of a request; empty over HTTP since 2026-07-28, where every request stands alone."""
    request = context.request
    return request.headers.get(SESSION_HEADER, "") if isinstance(request, Request) else STDIO


def _name(given: object) -> str:
    return shorten(one_line(given).strip(), LONGEST_NAME) if isinstance(given, str) else ""
