"""The MCP server: what each method answers. It keeps no plan itself: every plan is in a store."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from .. import __version__, dialects
from ..board import Board
from ..board.handover import take_over
from ..errors import HoldfastError, UsageError
from ..text import describe, one_line
from . import prompts, resources, tools
from .conversations import ClientConversations
from .identity import Context
from .subscriptions import Subscriptions

_log = logging.getLogger("holdfast")

_Result = TypeVar("_Result")


class PlanServer(Server[Subscriptions]):
    """A server whose tools, resources and prompts never change: it does not claim to announce new ones."""

    def get_capabilities(self, *given: Any, **named: Any) -> types.ServerCapabilities:
        """What the server claims, in the revision of the protocol that the client speaks."""
        claims = super().get_capabilities(*given, **named)
        for claim in (claims.tools, claims.resources, claims.prompts):
            if claim is not None:
                claim.list_changed = False
        return claims


def server(conversations: ClientConversations) -> PlanServer:
    """A server for the conversations, to be run on any transport."""
    methods = Methods(conversations)
    plan_server = PlanServer(
        "holdfast",
        version=__version__,
        title="Holdfast",
        description="The plan of an agent: checked, kept safe, shown live.",
        instructions=dialects.get(conversations.dialect).prompt,
        lifespan=_lifespan,
        get_tool_input_schema=methods.input_schema,
        on_list_tools=methods.list_tools,
        on_call_tool=methods.call_tool,
        on_list_resources=methods.list_resources,
        on_list_resource_templates=methods.list_templates,
        on_read_resource=methods.read_resource,
        on_subscribe_resource=methods.subscribe,
        on_unsubscribe_resource=methods.unsubscribe,
        on_subscriptions_listen=methods.listen,
        on_list_prompts=methods.list_prompts,
        on_get_prompt=methods.get_prompt,
    )
    plan_server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, conversations.roots_changed
    )
    return plan_server


class Methods:
    """What the server answers, method by method."""

    def __init__(self, conversations: ClientConversations) -> None:
        self._conversations = conversations
        self._tools = tools.definitions(conversations.dialect)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's input."""
        return next((tool.input_schema for tool in self._tools if tool.name == name), None)

    async def list_tools(self, context: Context, params: object) -> types.ListToolsResult:
        """The tools, which never change."""
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Write or read the plan. The model is told whatever is wrong."""
        if self.input_schema(params.name) is None:
            return tools.unknown_tool(params.name, self._tools)
        try:
            board = await self._conversations.board(context, params)
            if isinstance(board, types.InputRequiredResult):
                return board
            return await to_thread.run_sync(self._call, board, params)
        except HoldfastError as error:
            return tools.error_result(f"The plan cannot be used: {one_line(str(error))}")
        except Exception as error:
            _log.exception("holdfast: a call failed")
            return tools.error_result(f"The plan cannot be used: unexpected {type(error).__name__}")

    async def list_resources(self, context: Context, params: object) -> types.ListResourcesResult:
        """The resources, which never change."""
        return types.ListResourcesResult(resources=resources.RESOURCES)

    async def list_templates(self, context: Context, params: object) -> types.ListResourceTemplatesResult:
        """There are none."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """A resource as it is now."""
        uri = _known_uri(str(params.uri))
        return await self._with_board(context, params, lambda board: resources.read(uri, board))

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Tell the client of a resource's changes."""
        uri = _known_uri(str(params.uri))
        subscriptions: Subscriptions = context.lifespan_context
        await subscriptions.subscribe(context, uri, await self._board(context))
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Stop telling the client of a resource's changes."""
        subscriptions: Subscriptions = context.lifespan_context
        subscriptions.unsubscribe(context, _known_uri(str(params.uri)))
        return types.EmptyResult()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell the client of changes on a stream."""
        subscriptions: Subscriptions = context.lifespan_context
        return await subscriptions.listen(context, params, await self._board(context))

    async def list_prompts(self, context: Context, params: object) -> types.ListPromptsResult:
        """The prompts, which never change."""
        return types.ListPromptsResult(prompts=prompts.PROMPTS)

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """A prompt for a person to send."""
        return await self._with_board(context, params, lambda board: self._prompt(board, params))

    def _call(self, board: Board, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The result of a call. What it writes of a plan that was offered is taken over from there."""
        result = tools.call(board, params.name, params.arguments)
        source = self._conversations.offered.get(board.key)
        if source is not None and not result.is_error:
            take_over(board, source)
        return result

    def _prompt(self, board: Board, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        elsewhere = prompts.plan_to_resume(params.name, board)
        if elsewhere is not None:
            self._conversations.offered[board.key] = elsewhere.key
        return prompts.get(params.name, params.arguments, board, elsewhere)

    async def _with_board(
        self, context: Context, params: object, act: Callable[[Board], _Result]
    ) -> _Result | types.InputRequiredResult:
        with _protocol_errors():
            board = await self._conversations.board(context, params)
            return board if isinstance(board, types.InputRequiredResult) else await to_thread.run_sync(act, board)

    async def _board(self, context: Context) -> Board:
        with _protocol_errors():
            board = await self._conversations.board(context)
        assert isinstance(board, Board), "only requests that can carry an answer are asked for one"
        return board


@asynccontextmanager
async def _lifespan(_: Server[Subscriptions]) -> AsyncIterator[Subscriptions]:
    async with anyio.create_task_group() as tasks:
        subscriptions = Subscriptions(tasks)
        try:
            yield subscriptions
        finally:
            subscriptions.close()
        tasks.cancel_scope.cancel()


@contextmanager
def _protocol_errors() -> Iterator[None]:
    """Turn errors into those of the protocol, for the methods that no model calls."""
    try:
        yield
    except UsageError as error:
        raise MCPError(types.INVALID_PARAMS, one_line(str(error))) from error
    except HoldfastError as error:
        raise MCPError(types.INTERNAL_ERROR, one_line(str(error))) from error


def _known_uri(uri: str) -> str:
    if all(uri != resource.uri for resource in resources.RESOURCES):
        known = " and ".join(resource.uri for resource in resources.RESOURCES)
        raise MCPError(types.INVALID_PARAMS, f"no resource {describe(uri)}; there are {known}", {"uri": uri})
    return uri
