"""The server on standard input and output: a client starts it, and it ends with its client."""

import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ..errors import UsageError
from .server import PlanServer

Item = SessionMessage | Exception

GRACE = 0.05
"""How many seconds a question for the protocols waits for what the client sends next."""


def serve(server: PlanServer) -> None:
    """Serve one client until it closes standard input, or goes away. Raises UsageError if standard input is closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed: an MCP client starts this command, and speaks to it there")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread waits for input: only this ends it, and no write is lost
    if sys.stdin.isatty():
        print(
            "An MCP client starts this command, and speaks to it on standard input. Press Ctrl-C to stop.",
            file=sys.stderr,
        )
    try:
        anyio.run(_serve, server)
    except* ConnectionError:  # nobody reads what we write any more
        pass


async def _serve(server: PlanServer) -> None:
    async with stdio_server() as (read, write):
        sender, sound = anyio.create_memory_object_stream[Item]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(relay, read, write, sender)
            await server.run(sound, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()


async def relay(
    read: ReadStream[Item], write: WriteStream[SessionMessage], sender: MemoryObjectSendStream[Item]
) -> None:
    """Pass on what the client sends. What is not a message is repaired or answered: no client waits for ever."""
    async with sender:
        async for item in without_given_up_questions(read):
            message = item if isinstance(item, SessionMessage) else repair(item)
            if isinstance(message, SessionMessage):
                await sender.send(message)
            else:
                await write.send(SessionMessage(message))


async def without_given_up_questions(read: ReadStream[Item]) -> AsyncIterator[Item]:
    """What the client sends, without a question for the protocols that it does not wait for any more.

    Some clients give an answer one second. A server that starts on a busy machine needs longer, and finds the old
    handshake right behind the question: an answer would refuse that handshake, for it settles on the new protocol.
    """
    async for item in read:
        if _method_of(item) == "server/discover":
            following = None
            with anyio.move_on_after(GRACE), suppress(anyio.EndOfStream):
                following = await read.receive()
            if _method_of(following) != "initialize":
                yield item
            if following is not None:
                yield following
        else:
            yield item


def _method_of(item: Item | None) -> str:
    message = item.message if isinstance(item, SessionMessage) else None
    return message.method if isinstance(message, types.JSONRPCRequest) else ""


def repair(error: Exception) -> SessionMessage | types.JSONRPCError:
    """The message in a line that was rejected for half of a surrogate pair in a text; else an error for the client.

    JavaScript writes such halves, where an emoji was cut: the board tells the model of it. The error has the id of the
    request if that can be read.
    """
    if not isinstance(error, ValidationError):
        return _rpc_error(None, types.PARSE_ERROR, "this line cannot be read")
    faults = error.errors()
    if faults[0]["type"] != "json_invalid":
        return _not_a_message(next((fault["input"] for fault in faults if fault["type"] == "missing"), None))
    try:
        body = json.loads(faults[0]["input"])
    except (ValueError, RecursionError):
        return _rpc_error(None, types.PARSE_ERROR, "this line is not JSON")
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(body, by_name=False))
    except (ValidationError, RecursionError):
        return _not_a_message(body)


def _not_a_message(body: object) -> types.JSONRPCError:
    id = body.get("id") if isinstance(body, dict) else None
    return _rpc_error(id, types.INVALID_REQUEST, "this line is not a JSON-RPC message")


def _rpc_error(id: object, code: int, message: str) -> types.JSONRPCError:
    request_id = id if isinstance(id, int | str) and not isinstance(id, bool) else None
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
