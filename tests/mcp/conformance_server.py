"""The server of `holdfast mcp` with the names in it that the protocol's conformance suite asks for.

The suite calls tools, resources and prompts by names of its own, which no product has. Here they are put in front of
the product's handlers; all else is the product. `python conformance_server.py PLAN_FILE` prints an address, and serves.
"""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from holdfast.mcp import http
from holdfast.mcp.conversations import ClientConversations
from holdfast.mcp.identity import Context
from holdfast.mcp.projects import Projects
from holdfast.mcp.server import PlanServer, server
from holdfast.mcp.tools import error_result

Handler = Callable[[Context, Any], Awaitable[Any]]

ANYTHING = {"type": "object", "properties": {}}
TOOLS = ("test_simple_text", "test_error_handling", "test_missing_capability")
RESOURCES = ("test://static-text", "test://watched-resource")
PROMPTS = ("test_simple_prompt", "test_prompt_with_arguments")


def main(place: str) -> None:
    """Serve until told to end."""
    made = server(ClientConversations(Projects({}, place)))
    for method, params, answer in (
        ("tools/list", types.PaginatedRequestParams, list_tools),
        ("tools/call", types.CallToolRequestParams, call_tool),
        ("resources/read", types.ReadResourceRequestParams, read_resource),
        ("resources/subscribe", types.SubscribeRequestParams, subscribe),
        ("resources/unsubscribe", types.UnsubscribeRequestParams, subscribe),
        ("prompts/get", types.GetPromptRequestParams, get_prompt),
    ):
        put_in_front(made, method, params, answer)
    with http.bind() as listener:
        print(http.address(listener), flush=True)
        http.serve(made, listener)


def put_in_front(made: PlanServer, method: str, params_type: type[BaseModel], answer: Callable[..., Any]) -> None:
    """Let `answer` answer what it knows, and the product the rest."""
    entry = made.get_request_handler(method)
    assert entry is not None

    async def handler(context: Context, params: Any) -> Any:
        return await answer(context, params, entry.handler)

    made.add_request_handler(method, params_type, handler)


async def list_tools(context: Context, params: Any, product: Handler) -> Any:
    """The product's tools, and the suite's."""
    listed = await product(context, params)
    suite = [types.Tool(name=name, description=name, input_schema=ANYTHING) for name in TOOLS]
    return types.ListToolsResult(tools=[*listed.tools, *suite])


async def call_tool(context: Context, params: types.CallToolRequestParams, product: Handler) -> Any:
    """The suite's tools: a text, an error of the tool, one that wants more than the client can do."""
    if params.name not in TOOLS:
        return await product(context, params)
    if params.name == "test_error_handling":
        return error_result("This tool intentionally returns an error for testing")
    if params.name == "test_missing_capability":
        wanted: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", wanted)
    text = types.TextContent(text="This is a simple text response for testing.")
    return types.CallToolResult(content=[text])


async def read_resource(context: Context, params: types.ReadResourceRequestParams, product: Handler) -> Any:
    """The suite's text."""
    if str(params.uri) not in RESOURCES:
        return await product(context, params)
    text = types.TextResourceContents(uri=str(params.uri), mime_type="text/plain", text="This is a static text.")
    return types.ReadResourceResult(contents=[text])


async def subscribe(context: Context, params: Any, product: Handler) -> Any:
    """A subscription to the suite's resource is one to the product's plan."""
    known = str(params.uri) not in RESOURCES
    return await product(context, params if known else params.model_copy(update={"uri": "holdfast://plan"}))


async def get_prompt(context: Context, params: types.GetPromptRequestParams, product: Handler) -> Any:
    """The suite's prompts."""
    if params.name not in PROMPTS:
        return await product(context, params)
    given = ", ".join(f"{key}='{value}'" for key, value in (params.arguments or {}).items())
    words = f"Prompt with arguments: {given}" if given else "This is a simple prompt for testing."
    message = types.PromptMessage(role="user", content=types.TextContent(text=words))
    return types.GetPromptResult(messages=[message])


if __name__ == "__main__":
    main(sys.argv[1])
