"""Telling clients that a resource changed: on their connection or, since 2026-07-28, on a stream that they open."""

from collections.abc import Callable

import mcp_types as types
from anyio.abc import TaskGroup
from mcp.server.connection import Connection
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from ..board import Board
from ..stores import Key, Record, Store
from .follower import Follower
from .identity import Context
from .resources import PLAN, SESSIONS

MOST_SUBSCRIBERS = 1_000


class Notices:
    """The subscriptions of a server's clients. `tasks` is where they are told."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._followers: dict[int, Follower] = {}
        self._subscribed: dict[tuple[int, str], Callable[[], None]] = {}

    @property
    def subscribers(self) -> int:
        """How many are told of changes."""
        return sum(len(follower) for follower in self._followers.values())

    async def subscribe(self, context: Context, uri: str, board: Board) -> None:
        """Tell a client of a resource's changes until it unsubscribes, or its connection ends."""
        follower = await self._follower(board.store)
        connection = _connection(context)
        session, name = context.session, (id(connection), uri)

        def tell(record: Record) -> None:
            if uri in changed(record, board.key):
                self._tasks.start_soon(session.send_resource_updated, uri)

        if name not in self._subscribed:
            self._subscribed[name] = follower.add(tell)
            connection.exit_stack.callback(self._end, name)

    def unsubscribe(self, context: Context, uri: str) -> None:
        """Tell a client no more of a resource."""
        self._end((id(_connection(context)), uri))

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams, board: Board
    ) -> types.SubscriptionsListenResult:
        """Tell a client of changes on a stream of its own, until it closes that."""
        return await ListenHandler(_Bus(await self._follower(board.store), board.key))(context, params)

    async def _follower(self, store: Store) -> Follower:
        if self.subscribers >= MOST_SUBSCRIBERS:
            raise MCPError(types.INTERNAL_ERROR, f"{MOST_SUBSCRIBERS} clients are subscribed already: try again later")
        follower = self._followers.setdefault(id(store), Follower(store, self._tasks))
        await follower.ready()
        return follower

    def _end(self, name: tuple[int, str]) -> None:
        end = self._subscribed.pop(name, None)
        if end is not None:
            end()


class _Bus:
    """One conversation's view of a store, in the form that the SDK asks for."""

    def __init__(self, follower: Follower, key: Key) -> None:
        self._follower = follower
        self._key = key

    async def publish(self, event: ServerEvent) -> None:
        raise NotImplementedError("every change comes out of the store")

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        def tell(record: Record) -> None:
            for uri in changed(record, self._key):
                listener(ResourceUpdated(uri))

        return self._follower.add(tell)


def changed(record: Record, key: Key) -> tuple[str, ...]:
    """The resources, as one conversation sees them, that are other ones after a change."""
    return (PLAN, SESSIONS) if record.key == key else (SESSIONS,)


def _connection(context: Context) -> Connection:
    """The client's connection. The SDK has cleanup hung up on it, but hands it to no handler."""
    return context.session._connection
