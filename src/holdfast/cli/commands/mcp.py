"""The command `mcp`. What it does is in `holdfast.mcp`, which is loaded only when it is asked for."""

from ... import dialects
from ..command import Argument, Command, Example, Uses
from ..invocation import Invocation, Refusal


def run(call: Invocation) -> int:
    """Serve plans to MCP clients."""
    try:
        from ...mcp.command import run
    except ImportError as error:
        raise Refusal("the MCP SDK is missing: pip install 'holdfast[mcp]'") from error
    return run(call)


COMMANDS = (
    Command(
        "mcp",
        "Serve plans to MCP clients: on standard input and output, or over HTTP.",
        run,
        (
            Argument("--dialect", "the form of the plan's tool", choices=dialects.names()),
            Argument("--http", "serve HTTP at PORT or HOST:PORT, on loopback if no host is named", "ADDRESS"),
            Argument("--token", "what HTTP clients must show; else HOLDFAST_MCP_TOKEN", "TOKEN"),
            Argument(
                "--allow-host", "further names of this machine that HTTP clients use, with commas between", "NAMES"
            ),
            Argument("--session", "the session if the client names none; else HOLDFAST_SESSION", "NAME"),
            Argument("--agent", "the agent; else HOLDFAST_AGENT, else main", "NAME"),
        ),
        (
            Example("claude mcp add holdfast -- holdfast mcp", "give Claude Code the plan tool"),
            Example("holdfast mcp --dialect mini", "for a model that knows another todo tool"),
            Example("holdfast mcp --http 8765", "one server for many clients, at http://127.0.0.1:8765/mcp"),
        ),
        uses=Uses.STORE,
    ),
)
