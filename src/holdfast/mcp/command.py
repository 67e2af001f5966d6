"""The command `holdfast mcp`: puts a server together out of its options, and runs it."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..cli.command import Exit
from ..cli.invocation import AGENT_VARIABLE, SESSION_VARIABLE, Invocation, Misuse
from ..errors import UsageError
from ..stores.locate import VARIABLE
from .conversations import ClientConversations
from .projects import Projects
from .server import server

TOKEN_VARIABLE = "HOLDFAST_MCP_TOKEN"
CLAUDE_CODE_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""Where Claude Code tells a server that it starts which conversation it serves: its hooks hear the same name."""


def run(call: Invocation) -> int:
    """Serve on standard input and output, or over HTTP."""
    projects = Projects(call.environ, call.place if call.word("db") or call.environ.get(VARIABLE) else None)
    address = call.word("http")
    try:
        return _on_stdio(call, projects) if address is None else _over_http(call, projects, address)
    finally:
        projects.close()


def _on_stdio(call: Invocation, projects: Projects) -> int:
    from . import stdio

    if call.word("token") or call.word("allow_host"):
        raise Misuse("--token and --allow-host are for --http: there is nobody to keep out here")
    stdio.serve(server(_conversations(call, projects, trusts_roots=True)))
    return Exit.OK


def _over_http(call: Invocation, projects: Projects, address: str) -> int:
    from . import http  # with its web server, which a client on pipes need not wait for

    token = call.word("token") or call.environ.get(TOKEN_VARIABLE, "")
    hosts = [name.strip() for name in (call.word("allow_host") or "").split(",") if name.strip()]
    with _told_as_misuse():
        place = http.host_and_port(address)
    with http.bind(*place) as listener:
        with _told_as_misuse():
            http.check_token(listener, token)
        conversations = _conversations(call, projects, trusts_roots=http.is_loopback(listener))
        call.screen.print([f"MCP server at {http.address(listener)}; Ctrl-C ends it"])
        call.screen.stream.flush()
        http.serve(server(conversations), listener, token, hosts)
    return Exit.OK


@contextmanager
def _told_as_misuse() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise Misuse(str(error)) from error


def _conversations(call: Invocation, projects: Projects, trusts_roots: bool) -> ClientConversations:
    clients = call.environ.get(CLAUDE_CODE_VARIABLE, "") if call.word("http") is None else ""
    return ClientConversations(
        projects,
        call.word("dialect") or "holdfast",
        call.word("session") or call.environ.get(SESSION_VARIABLE) or clients,
        call.word("agent") or call.environ.get(AGENT_VARIABLE) or "main",
        trusts_roots,
    )
