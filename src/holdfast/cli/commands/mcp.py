"""The command `mcp`: plans for MCP clients. `holdfast.mcp`, with the SDK, is loaded only when it runs."""

from typing import TYPE_CHECKING

from ... import dialects
from ...extras import require
from ...stores.locate import VARIABLE
from ..command import Argument, Command, Example, Exit, Uses, comma_list
from ..invocation import AGENT_VARIABLE, SESSION_VARIABLE, CommandError, Invocation, Misuse, usage_is_misuse

if TYPE_CHECKING:
    from ...mcp.conversations import ClientConversations
    from ...mcp.projects import Projects

TOKEN_VARIABLE = "HOLDFAST_MCP_TOKEN"
CLAUDE_CODE_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""Where Claude Code tells a server that it starts which conversation it serves: its hooks get the same name."""


def run(call: Invocation) -> int:
    """Serve on standard input and output, or over HTTP."""
    try:
        require("mcp")
    except ImportError as error:
        raise CommandError(str(error)) from error
    try:
        from ...mcp import server as _  # noqa: F401 the SDK is there
        from ...mcp.projects import Projects
    except ImportError as error:
        raise CommandError("the MCP SDK is missing: pip install 'holdfast[mcp]'") from error
    projects = Projects(call.environ, call.database if call.word("db") or call.environ.get(VARIABLE) else None)
    address = call.word("http")
    try:
        return _serve_stdio(call, projects) if address is None else _serve_http(call, projects, address)
    finally:
        projects.close()


def _serve_stdio(call: Invocation, projects: "Projects") -> int:
    from ...mcp import stdio
    from ...mcp.server import server

    if call.word("token") or call.words("allow_host"):
        raise Misuse("--token and --allow-host are for --http only")
    stdio.serve(server(_conversations(call, projects, trusts_roots=True)))
    return Exit.OK


def _serve_http(call: Invocation, projects: "Projects", address: str) -> int:
    from ...mcp import http  # with its web server, which a client on pipes need not wait for
    from ...mcp.server import server

    token = call.word("token") or call.environ.get(TOKEN_VARIABLE, "")
    with usage_is_misuse():
        host, port = http.host_and_port(address)
    with http.bind(host, port) as listener:
        with usage_is_misuse():
            http.check_token(listener, token)
        # Every user of this machine can reach the port: without a token, none of them may name a folder of ours.
        conversations = _conversations(call, projects, trusts_roots=http.is_loopback(listener) and bool(token))
        call.screen.print_text(f"MCP server at {http.address(listener)}; Ctrl-C ends it")
        call.screen.stream.flush()
        http.serve(server(conversations), listener, token, call.words("allow_host"))
    return Exit.OK


def _conversations(call: Invocation, projects: "Projects", trusts_roots: bool) -> "ClientConversations":
    from ...coding_agents.hooks.trail import take_call
    from ...mcp.conversations import ClientConversations

    is_local = call.word("http") is None
    return ClientConversations(
        projects,
        call.word("dialect") or "holdfast",
        call.word("session") or call.environ.get(SESSION_VARIABLE) or "",
        call.word("agent") or call.environ.get(AGENT_VARIABLE) or "main",
        trusts_roots,
        call.environ.get(CLAUDE_CODE_VARIABLE, "") if is_local else "",
        lambda tool_use: take_call(call.environ, tool_use),
    )


COMMAND = Command(
    "mcp",
    "Serve plans to MCP clients: on standard input and output, or over HTTP.",
    run,
    (
        Argument("--dialect", "the form of the plan's tool; default holdfast", choices=dialects.names()),
        Argument("--http", "serve HTTP at PORT or HOST:PORT; default host: loopback", "ADDRESS"),
        Argument("--token", "the token that HTTP clients must send; default: HOLDFAST_MCP_TOKEN", "TOKEN"),
        Argument(
            "--allow-host",
            "other names of this machine that HTTP clients use, separated by commas",
            "NAMES",
            of=comma_list,
        ),
        Argument("--session", "the session, unless the client names one; default: HOLDFAST_SESSION", "NAME"),
        Argument("--agent", "the agent; default: HOLDFAST_AGENT, else main", "NAME"),
    ),
    (
        Example("claude mcp add holdfast -- holdfast mcp", "give Claude Code the plan tool"),
        Example("holdfast mcp --dialect mini", "for a model that knows another todo tool"),
        Example("holdfast mcp --http 8765", "one server for many clients, at http://127.0.0.1:8765/mcp"),
    ),
    uses=Uses.STORE,
)
