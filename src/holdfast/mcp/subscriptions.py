"""Telling clients that a resource changed: on their connection or, since 2026-07-28, on a stream that they open.

Whoever makes the changes, they are heard from the store, for as long as a client is subscribed.
"""

import asyncio
import logging
from collections.abc import Callable

import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp.server.connection import Connection
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from ..board import Board
from ..stores import Key, Record, Store
from ..stores.follow import StoreFollower, newest_sequence, wake_in
from .identity import Context
from .resources import PLAN, SESSIONS

MOST_SUBSCRIBERS = 1_000
PAUSE = 2.0
"""How many seconds a quiet store is followed, at most, after the last subscriber has left."""

OnChange = Callable[[Record], None]
_log = logging.getLogger("holdfast")


class Subscriptions:
    """The subscriptions of a server's clients. Messages to them are sent in `tasks`."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._stores: dict[int, StoreSubscribers] = {}
        self._subscribed: dict[tuple[int, str], Callable[[], None]] = {}

    @property
    def count(self) -> int:
        """How many subscriptions there are."""
        return sum(len(subscribers) for subscribers in self._stores.values())

    async def subscribe(self, context: Context, uri: str, board: Board) -> None:
        """Tell a client of a resource's changes until it unsubscribes, or its connection ends."""
        subscribers = await self._subscribers(board.store)
        connection = _connection(context)
        session, name = context.session, (id(connection), uri)

        def send(record: Record) -> None:
            if uri in changed_resources(record, board.key):
                self._tasks.start_soon(session.send_resource_updated, uri)

        if name not in self._subscribed:
            self._subscribed[name] = subscribers.add(send)
            connection.exit_stack.callback(self._end, name)

    def unsubscribe(self, context: Context, uri: str) -> None:
        """Stop telling a client of a resource's changes."""
        self._end((id(_connection(context)), uri))

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams, board: Board
    ) -> types.SubscriptionsListenResult:
        """Tell a client of changes on a stream of its own, until it closes the stream."""
        return await ListenHandler(_Bus(await self._subscribers(board.store), board.key))(context, params)

    def close(self) -> None:
        """Stop following every store."""
        for subscribers in self._stores.values():
            subscribers.close()

    async def _subscribers(self, store: Store) -> "StoreSubscribers":
        if self.count >= MOST_SUBSCRIBERS:
            raise MCPError(types.INTERNAL_ERROR, f"{MOST_SUBSCRIBERS} clients are subscribed already: try again later")
        subscribers = self._stores.setdefault(id(store), StoreSubscribers(store, self._tasks))
        await subscribers.catch_up()
        return subscribers

    def _end(self, name: tuple[int, str]) -> None:
        end = self._subscribed.pop(name, None)
        if end is not None:
            end()


class StoreSubscribers:
    """Who is told of the changes in one store, which is followed only while there is somebody.

    They are called in a task of `tasks`, and must not raise.
    """

    def __init__(self, store: Store, tasks: TaskGroup) -> None:
        self._store = store
        self._tasks = tasks
        self._subscribers: dict[object, OnChange] = {}
        self._follower: StoreFollower | None = None
        self._is_awake = asyncio.Event()
        self._since = 0

    def __len__(self) -> int:
        """How many there are."""
        return len(self._subscribers)

    async def catch_up(self) -> None:
        """Find the last change: whoever is added next is told of every change after it. Raises StoreError."""
        if self._follower is None:
            since = await to_thread.run_sync(newest_sequence, self._store)
            if self._follower is None:
                self._since = since

    def add(self, on_change: OnChange) -> Callable[[], None]:
        """Tell somebody of changes; call what is returned to end that."""
        token = object()
        self._subscribers[token] = on_change
        if self._follower is None:
            self._is_awake = asyncio.Event()
            wake = wake_in(asyncio.get_running_loop(), self._is_awake.set)
            self._follower = StoreFollower(self._store, self._since, wake, PAUSE)
            self._tasks.start_soon(self._pass_on, self._follower, self._is_awake)

        def remove() -> None:
            self._subscribers.pop(token, None)
            if not self._subscribers:
                self.close()

        return remove

    def close(self) -> None:
        """Stop following the store."""
        if self._follower is not None:
            self._follower.close()
            self._follower = None
            self._is_awake.set()

    async def _pass_on(self, follower: StoreFollower, is_awake: asyncio.Event) -> None:
        while self._follower is follower:
            for heard in follower.take():
                if isinstance(heard, Record):
                    self._since = heard.sequence
                    for on_change in list(self._subscribers.values()):
                        on_change(heard)
                else:
                    _log.warning("holdfast: trouble while following the plans: %s", heard)
            await is_awake.wait()
            is_awake.clear()


class _Bus:
    """One conversation's view of a store, in the form that the SDK asks for."""

    def __init__(self, subscribers: StoreSubscribers, key: Key) -> None:
        self._subscribers = subscribers
        self._key = key

    async def publish(self, event: ServerEvent) -> None:
        raise NotImplementedError("every change comes out of the store")

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        def send(record: Record) -> None:
            for uri in changed_resources(record, self._key):
                listener(ResourceUpdated(uri))

        return self._subscribers.add(send)


def changed_resources(record: Record, key: Key) -> tuple[str, ...]:
    """The resources of one conversation that a change has changed."""
    return (PLAN, SESSIONS) if record.key == key else (SESSIONS,)


def _connection(context: Context) -> Connection:
    """The client's connection. The SDK runs clean-up work when it ends, but gives it to no handler."""
    return context.session._connection
