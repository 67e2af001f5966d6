"""Follows the store once, and sends each change to every open stream.

Events are kept for a while, so that a stream that broke off can go on where it ended. A stream that does not keep up is
cut off, and its reader comes back for the rest: no reader makes the others wait, and nothing grows without limit.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..plan.pace import MAIN
from ..stores import Key, Record, Store, StoredPlan
from ..stores.damage import PlanOrDamage, damaged_records, follow, readable, sessions_with_damage
from ..stores.follow import FIRST_KNOWN, MOST_KNOWN, RETRY, StoreFollower, boards_and_position, wake_in
from ..stores.newest import boards_of, boards_with_text
from ..transfer.data import JSON, damaged_data
from .forms import change_form, searched_text
from .overview import Overview, Query

MOST_RECENT = 1_000
"""How many changes are kept for streams that broke off; older ones are read from the store."""

MOST_MISSED = 5_000
"""How many changes a stream may have missed. A reader that missed more starts again."""

MOST_BEHIND = 256
"""How many changes a stream may be behind before it is cut off."""

MOST_STREAMS = 500

MOST_SOUGHT = 1_000
"""How many boards that may have a text are read from the store."""

LARGEST_SEQUENCE = 2**53
"""The largest number that JavaScript can count to. No change has it."""

SEARCH_AGAIN = 60.0
"""After how many seconds the store is searched again for the same text."""


class StreamEvent(NamedTuple):
    """One server-sent event, ready to be sent. A sequence of 0 means that it is no change."""

    sequence: int
    data: bytes


class Stream:
    """One reader's events, from `start` on: those after this sequence come by `take`."""

    def __init__(self, start: int) -> None:
        self.start = start
        self._events: asyncio.Queue[StreamEvent | None] = asyncio.Queue(MOST_BEHIND + 1)
        self._is_over = False

    def put(self, event: StreamEvent) -> None:
        """Add an event, or end the stream if too many wait."""
        if self._events.qsize() >= MOST_BEHIND:
            self.end()
        elif not self._is_over:
            self._events.put_nowait(event)

    def end(self) -> None:
        """End it after the events that wait."""
        if not self._is_over:
            self._is_over = True
            self._events.put_nowait(None)

    async def take(self) -> StreamEvent | None:
        """The next event; None at the end."""
        return await self._events.get()


class Broadcast:
    """What a server knows of a store. Everything but `end_streams` is called in the loop of `start`."""

    def __init__(self, store: Store) -> None:
        self.overview = Overview()
        self.sequence = 0
        self.trouble = ""
        self.damaged: dict[Key, DamagedRecord] = {}
        self.is_over = False
        self._store = store
        self._loaded = asyncio.Event()
        self._whole = asyncio.Event()
        self._deleted_meanwhile: set[Key] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._follower: StoreFollower | None = None
        self._streams: set[Stream] = set()
        self._recent: deque[StreamEvent] = deque()
        self._recent_after = 0
        self._searches: dict[str, float] = {}
        self._loading: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Read the store, and follow it. A store in trouble is asked again until it answers.

        The first answers wait for the boards that were changed last; the others are read after that.
        """
        self._loop = asyncio.get_running_loop()
        while not self._loaded.is_set():
            try:
                boards, self.sequence = await asyncio.to_thread(boards_and_position, self._store, FIRST_KNOWN)
                plans, has_older = await asyncio.to_thread(self._complete, boards, FIRST_KNOWN)
            except StoreError as error:
                self.trouble = str(error)
                await asyncio.sleep(RETRY)
            else:
                self.trouble = ""
                self.overview = Overview.of(plans, time.time(), has_older)
                self._know_damage(boards)
                self._recent_after = self.sequence
                self._follower = StoreFollower(self._store, self.sequence, wake_in(self._loop, self._hear))
                self._loaded.set()
        try:
            if self.overview.has_older:
                await self._load_older()
        finally:
            self._whole.set()

    async def _load_older(self) -> None:
        """Learn of the boards that were changed before those that are known. If the store fails, they are not known."""
        overview = self.overview
        with suppress(StoreError):
            boards = await asyncio.to_thread(sessions_with_damage, self._store, MOST_KNOWN)
            plans, has_older = await asyncio.to_thread(self._complete, boards, MOST_KNOWN)
            if overview is self.overview:  # else it is another store by now
                there = [board for board in plans if board.key not in self._deleted_meanwhile]
                overview.know_older(there, time.time())
                overview.has_older = has_older
                self._know_damage(boards)

    def close(self) -> None:
        """Stop following the store."""
        if self._follower is not None:
            self._follower.close()

    async def ready(self) -> None:
        """Wait until the store was read. Raises StoreError if it cannot be."""
        while not self._loaded.is_set():
            if self.trouble:
                raise StoreError(self.trouble)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._loaded.wait(), RETRY)

    async def whole(self) -> bool:
        """Wait until all was read that a server knows. Returns whether it was before."""
        was_whole = self._whole.is_set()
        await self._whole.wait()
        return was_whole

    async def check(self) -> str:
        """What is wrong with the store; empty if nothing is. It is asked again if something was."""
        if self.trouble and self._loaded.is_set():
            try:
                await asyncio.to_thread(sessions_with_damage, self._store, 1)
            except StoreError as error:
                self.trouble = str(error)
            else:
                self.trouble = ""
        return self.trouble

    async def page(self, query: Query) -> JSON:
        """The sessions that a query asks for. Those that are not known yet are read from the store first."""
        if self.overview.has_older and query.session is not None:
            await self._load_sessions([query.session])
        elif self.overview.has_older and query.search and self._is_new_search(query.search):
            found = await asyncio.to_thread(_sessions_with_text, self._store, query.search, query.limit)
            await self._load_sessions([name for name in found if not self.overview.knows(name)])
        return self.overview.page(query, time.time())

    @property
    def follow_after(self) -> int:
        """The sequence after which to follow what `page` lists.

        While older boards are read, it is one that no change has: whoever comes with it is told to load all again.
        """
        return self.sequence if self._whole.is_set() else LARGEST_SEQUENCE

    def damage(self) -> list[JSON]:
        """The boards that cannot be read in full, and why."""
        return [damaged_data(error) for error in self.damaged.values()]

    @property
    def open_streams(self) -> int:
        """How many streams are open."""
        return len(self._streams)

    def open(self) -> Stream | None:
        """A new stream from now on; None if there are too many, or the server is about to stop."""
        if self.is_over or len(self._streams) >= MOST_STREAMS:
            return None
        stream = Stream(self.sequence)
        self._streams.add(stream)
        return stream

    def drop(self, stream: Stream) -> None:
        """A reader has gone."""
        self._streams.discard(stream)

    def end_streams(self) -> None:
        """End every stream, and open no more. May be called in any thread, and in a signal's handler."""
        self.is_over = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end_open_streams)

    async def missed(self, since: int, until: int) -> list[StreamEvent] | None:
        """The changes after one sequence, up to another; None if they are too many, or the first one is unknown."""
        if since >= self._recent_after:
            return [event for event in self._recent if since < event.sequence <= until] if since <= until else None
        records = await asyncio.to_thread(self._read, since)
        return None if len(records) > MOST_MISSED else [self._event(r) for r in records if r.sequence <= until]

    def latest(self, limit: int) -> list[Record]:
        """The newest changes of all boards, the newest first: up to a limit, fewer if some are gone. In any thread."""
        records = self._read(max(self.sequence - limit, 0))[:limit]
        return sorted(records, key=lambda record: record.change.after.updated_at)[::-1]

    def _is_new_search(self, search: str) -> bool:
        """Whether nobody searched for it a moment ago: what was found then is known by now."""
        now = time.time()
        self._searches = {text: at for text, at in self._searches.items() if at > now - SEARCH_AGAIN}
        is_new = search not in self._searches
        self._searches.setdefault(search, now)
        return is_new

    async def _load_sessions(self, sessions: Sequence[str]) -> None:
        """Read all boards of sessions, and learn of those that are not known."""
        for board in await asyncio.to_thread(_all_boards_of, self._store, sessions):
            self.overview.know_unless_known(board.key, board.plan, time.time())

    async def _load_rest_of(self, session: str) -> None:
        """Read the other boards of a known session. If the store fails, the next request tries again."""
        with suppress(StoreError):
            await self._load_sessions([session])

    def _end_open_streams(self) -> None:
        for stream in self._streams:
            stream.end()

    def _complete(self, boards: Sequence[PlanOrDamage], most: int) -> tuple[list[StoredPlan], bool]:
        """The plans of boards and of their sessions' others, the newest last; and whether there are older ones."""
        plans = readable(boards)[::-1]
        has_older = len(boards) >= most
        if has_older:  # subagents that were changed later than their main agent
            names = {key.session for key, _ in plans} - {key.session for key, _ in plans if key.agent == MAIN}
            plans = [*_all_boards_of(self._store, sorted(names)), *plans]
        return plans, has_older

    def _know_damage(self, boards: Sequence[PlanOrDamage]) -> None:
        self.damaged.update({Key(*error.key): error for error in damaged_records(boards)})

    def _read(self, since: int) -> list[Record]:
        """The changes after a sequence. Damaged ones are left out: they were reported when they were found."""
        readable = (news for news in follow(self._store, since, timeout=0) if isinstance(news, Record))
        return list(islice(readable, MOST_MISSED + 1))

    def _hear(self) -> None:
        for heard in self._follower.take() if self._follower is not None else ():
            if isinstance(heard, Record):
                self._publish(heard)
            elif isinstance(heard, StoreReplaced):
                self._start_again()
            else:
                self._publish_trouble(heard)

    def _start_again(self) -> None:
        """Forget everything: the changes of the new store follow. The readers of streams come back for them."""
        self.overview, self.sequence, self.damaged = Overview(), 0, {}
        self._recent.clear()
        self._recent_after = 0
        self._end_open_streams()

    def _publish_trouble(self, error: Exception) -> None:
        if isinstance(error, DamagedRecord):  # the rest of the store is fine
            self.sequence = error.sequence
            self.damaged[Key(*error.key)] = error
        else:
            self.trouble = str(error)
        self._send(StreamEvent(0, server_sent_event("trouble", {"error": str(error)})))

    def _publish(self, record: Record) -> None:
        self.trouble = ""
        self.damaged.pop(record.key, None)
        self.sequence = record.sequence
        if self.overview.has_older and not self.overview.knows(record.key.session):
            self._loading = asyncio.ensure_future(self._load_rest_of(record.key.session))
        self.overview.know(record.key, record.change.after, time.time())
        event = self._event(record)
        if record.change.after.is_deleted and not self._whole.is_set():  # it may be among those that are being read
            self._deleted_meanwhile.add(record.key)
        if record.change.after.is_deleted:  # what is kept for streams that broke off may be of this plan
            self._recent.clear()
            self._recent_after = record.sequence - 1
        self._recent.append(event)
        if len(self._recent) > MOST_RECENT:
            self._recent_after = self._recent.popleft().sequence
        self._send(event)

    def _send(self, event: StreamEvent) -> None:
        for stream in self._streams:
            stream.put(event)

    def _event(self, record: Record) -> StreamEvent:
        name = record.key.session
        session = self.overview.session(name) or {"session": name, "pace": None, "boards": [], "left_out": 0}
        data = {"change": change_form(record), "session": session, "counts": self.overview.counts()}
        return StreamEvent(record.sequence, server_sent_event("change", data, record.sequence))


def _sessions_with_text(store: Store, text: str, limit: int) -> list[str]:
    """Sessions with a text in what is searched of their plans, the one changed last first, at most `limit` of them."""
    found = readable(boards_with_text(store, text, MOST_SOUGHT))
    fitting = (key.session for key, plan in found if text.casefold() in searched_text(key, plan))
    return list(islice(dict.fromkeys(fitting), limit))


def _all_boards_of(store: Store, sessions: Sequence[str]) -> list[StoredPlan]:
    return [board for session in sessions for board in readable(boards_of(store, session))]


def server_sent_event(kind: str, data: object, sequence: int | None = None) -> bytes:
    """An event in the form of an event stream."""
    return "".join(_lines(kind, json.dumps(data, separators=(",", ":")), sequence)).encode()


def _lines(kind: str, data: str, sequence: int | None) -> Iterator[str]:
    yield f"event: {kind}\n"
    if sequence is not None:
        yield f"id: {sequence}\n"
    yield f"data: {data}\n\n"
