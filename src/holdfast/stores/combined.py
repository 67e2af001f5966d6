"""The stores of several projects as one, for views: every plan of this machine beside each other.

A session is called `PROJECT: SESSION` here. Sequences are numbers of our own: the changes from before we opened are
numbered backwards from a base, so that each keeps its number, and what comes later is numbered as it is heard.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, islice
from typing import NamedTuple

from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..plan import Change, Plan
from . import open_store
from .damage import PlanOrDamage, damaged_records, readable, readable_or_warn, sessions_with_damage
from .follow import MOST_KNOWN, StoreFollower, boards_and_position
from .journals import Journals
from .leases import Lease, leases_of, leases_on
from .locate import FOLDER
from .newest import boards_unchanged_since, boards_with_text, keys_starting
from .store import EMPTY, Deletes, Key, Record, Store, StoredPlan

MOST_KEPT = 5_000
"""How many changes are kept for followers. One that is further behind continues with the oldest of them."""

LOOK_AGAIN = 5.0
"""After how many seconds to look for projects that are new."""

HEADROOM = 10**9
"""Below the base there are numbers for the past of projects that come later, too."""

PAUSE = 1.0
SEPARATOR = ": "


@dataclass
class Member:
    """One project: its store, and the last change that was there when it was opened."""

    label: str
    store: Store
    place: int
    start: int
    follower: StoreFollower
    numbers: dict[int, int] = field(default_factory=dict)


class Heard(NamedTuple):
    """News of a project: a change, or the error that came instead."""

    number: int
    news: Record | DamagedRecord


class CombinedStore:
    """Every project that `find` names, each opened once, and new ones while it is followed.

    `skipped` has those that cannot be opened, and why.
    """

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find
        self._members: dict[str, Member] = {}
        self.skipped: dict[str, StoreError] = {}
        self._heard: deque[Heard] = deque(maxlen=MOST_KEPT)
        self._trouble: StoreError | None = None
        self._changed = threading.Condition(threading.RLock())
        self._looked_at = 0.0
        self._is_closed = False
        self._base = self._count = 0
        self._look(is_first=True)
        self._opened = max(len(self._members), 1)
        self._base = HEADROOM + self._opened * max((member.start for member in self._members.values()), default=0)

    @property
    def labels(self) -> list[str]:
        """What the projects are called."""
        return [member.label for member in self._members.values()]

    def origin(self, key: Key) -> tuple[str, Key]:
        """Where a board is kept, and what it is called there."""
        member, own = self._member(key)
        return next((path for path, one in self._members.items() if one is member), ""), own

    def load(self, key: Key) -> Plan:
        """The plan of a board; an empty one for a project that is not here."""
        member, own = self._member(key)
        return EMPTY if member is None else member.store.load(own)

    def commit(self, key: Key, change: Change) -> None:
        """Store a change where its project is."""
        self._known(key).store.commit(self._member(key)[1], change)

    def delete(self, key: Key, change: Change) -> None:
        """Delete a plan where its project is."""
        store = self._known(key).store
        if not isinstance(store, Deletes):
            raise StoreError(f"the project of session {key.session!r} cannot delete plans")
        store.delete(self._member(key)[1], change)

    def history(self, key: Key) -> Iterator[Record]:
        """Every change of a board, the newest first."""
        member, own = self._member(key)
        if member is None:
            return
        pending: list[Record] = []
        for record in member.store.history(own):
            if record.sequence > member.start and record.sequence not in member.numbers:
                pending.append(record)
                continue
            yield from self._numbered(member, pending)
            pending = []
            yield self._ours(member, record)
        yield from self._numbered(member, pending)

    def sessions(self, limit: int | None = None) -> list[StoredPlan]:
        """Boards of every project, the one changed last first: all of them, or the first `limit`."""
        return list(readable_or_warn(self.sessions_with_damage(limit)))

    def sessions_with_damage(self, limit: int | None = None, archived: bool = True) -> list[PlanOrDamage]:
        """Every project's boards, the one changed last first: all, or the first `limit`. The damaged ones come last."""
        return _by_age(self._of_each(lambda store: sessions_with_damage(store, limit, archived)), limit)

    def keys_starting(self, start: str) -> list[Key]:
        """Whose boards there are in sessions whose names start so, project by project."""
        found: list[Key] = []
        for member in list(self._members.values()):
            label = f"{member.label}{SEPARATOR}"
            if start.startswith(label) or label.startswith(start):
                found += [_our_key(member, key) for key in keys_starting(member.store, start[len(label) :])]
        return found

    def boards_with_text(self, text: str, limit: int) -> list[PlanOrDamage]:
        """Boards that may have a text in their names or plans, the one changed last first, at most `limit` of them."""
        return _by_age(self._of_each(lambda store: boards_with_text(store, text, limit)), limit)

    def boards_unchanged_since(self, time: float, archived: bool) -> Iterator[PlanOrDamage]:
        """Boards whose last change was before a time, project by project."""
        for member in list(self._members.values()):
            for board in boards_unchanged_since(member.store, time, archived):
                yield self._board(member, board)

    def _of_each(self, ask: Callable[[Store], list[PlanOrDamage]]) -> list[PlanOrDamage]:
        return [self._board(member, board) for member in list(self._members.values()) for board in ask(member.store)]

    def position(self) -> int:
        """A number that a follower may start after: whatever is read from now on has every change up to it."""
        with self._changed:
            self._drain()
            return self._last

    def watch(self, since: int | None = None, timeout: float | None = None) -> Iterator[Record]:
        """Each change after a number, as it comes, in whichever project."""
        at = self._last if since is None else since
        if at < self._base:
            yield from self._past(at)
            at = self._base
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._is_closed:
            with self._changed:
                self._look()
                self._drain()
                self._raise_trouble()
                news = [heard for heard in self._heard if heard.number > at]
                if not news:
                    left = PAUSE if deadline is None else min(deadline - time.monotonic(), PAUSE)
                    if left <= 0:
                        return
                    self._changed.wait(left)
            for number, heard in news:
                at = number
                if isinstance(heard, DamagedRecord):
                    raise heard
                yield heard
            if news and timeout is not None:
                deadline = time.monotonic() + timeout

    def tally(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add to a board's running totals."""
        self._known(key).store.tally(self._member(key)[1], counts)

    def tallies(self, key: Key) -> dict[str, int]:
        """A board's running totals."""
        member, own = self._member(key)
        return {} if member is None else member.store.tallies(own)

    def acquire_lease(self, key: Key, what: str, holder: str, seconds: float) -> bool:
        """Take a lease where its project is."""
        return leases_of(self._known(key).store).acquire_lease(self._member(key)[1], what, holder, seconds)

    def release_lease(self, key: Key, what: str, holder: str) -> None:
        """Give a lease back."""
        leases_of(self._known(key).store).release_lease(self._member(key)[1], what, holder)

    def active_leases(self, key: Key) -> Mapping[str, Lease]:
        """The leases on a board."""
        member, own = self._member(key)
        return {} if member is None else leases_on(member.store, own)

    def keep_work(self, key: Key, work: str) -> None:
        """Keep a board's journal where its project is."""
        member, own = self._member(key)
        if member is not None and isinstance(member.store, Journals):
            member.store.keep_work(own, work)

    def kept_work(self, key: Key) -> str:
        """A board's journal."""
        member, own = self._member(key)
        return member.store.kept_work(own) if member is not None and isinstance(member.store, Journals) else ""

    def close(self) -> None:
        """Close every project."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for member in self._members.values():
            member.follower.close()
            member.store.close()

    @property
    def _last(self) -> int:
        return self._base + self._count

    def _look(self, is_first: bool = False) -> None:
        """Open the projects that are new. The changes of those that come later are told as they are: one per board."""
        if not is_first and time.monotonic() - self._looked_at < LOOK_AGAIN:
            return
        self._looked_at = time.monotonic()
        new = [path for path in self._find() if path not in self._members and path not in self.skipped]
        for path in new:
            try:
                member, boards = self._open(path)
            except StoreError as error:
                self.skipped[path] = error
                continue
            self._members[path] = member
            if not is_first:
                self._introduce(member, boards)

    def _open(self, path: str) -> tuple[Member, list[PlanOrDamage]]:
        store = open_store(path)
        try:
            boards, start = boards_and_position(store, MOST_KNOWN)
        except StoreError:
            store.close()
            raise
        follower = StoreFollower(store, start, self._wake)
        return Member(self._free_label(path), store, len(self._members), start, follower), boards

    def _introduce(self, member: Member, boards: list[PlanOrDamage]) -> None:
        """Tell of a project that is new: the newest change of each of its boards."""
        newest = [record for board in boards for record in _newest(member.store, Key(*board.key))]
        member.start, start = 0, member.start
        for record in sorted(newest):
            self._hear(member, record)
        member.start = start

    def _free_label(self, path: str) -> str:
        above, folder = os.path.split(os.path.dirname(path))
        name = os.path.basename(above) if folder == FOLDER else "elsewhere"
        name = (name or "root").replace(":", "_")
        taken = self.labels
        names = (name if number == 1 else f"{name} {number}" for number in count(1))
        return next(label for label in names if label not in taken)

    def _member(self, key: Key) -> tuple[Member | None, Key]:
        label, _, session = key.session.partition(SEPARATOR)
        found = next((member for member in list(self._members.values()) if member.label == label), None)
        return found, Key(session, key.agent)

    def _known(self, key: Key) -> Member:
        member, _ = self._member(key)
        if member is None:
            raise StoreError(f"no project of session {key.session!r} is open here")
        return member

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _drain(self) -> None:
        """Number what the followers have heard, in the order in which it came."""
        for member in self._members.values():
            for heard in member.follower.take():
                if isinstance(heard, (Record, DamagedRecord)):
                    self._hear(member, heard)
                elif isinstance(heard, StoreReplaced):
                    member.start, member.numbers, self._trouble = 0, {}, heard
                elif isinstance(heard, StoreError):
                    self._trouble = heard
                else:
                    raise heard

    def _hear(self, member: Member, news: Record | DamagedRecord) -> None:
        if news.sequence in member.numbers:
            return
        self._count += 1
        member.numbers[news.sequence] = self._last
        ours = self._ours(member, news) if isinstance(news, Record) else self._our_damage(member, news)
        self._heard.append(Heard(self._last, ours))

    def _raise_trouble(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    def _numbered(self, member: Member, pending: list[Record]) -> list[Record]:
        """Changes that a history has before the follower does, the newest first, with their numbers."""
        with self._changed:
            for record in reversed(pending):
                self._hear(member, record)
        return [self._ours(member, record) for record in pending]

    def _number(self, member: Member, sequence: int) -> int:
        if sequence in member.numbers:
            return member.numbers[sequence]
        return self._base - (member.start - sequence) * self._opened - member.place

    def _past(self, since: int) -> list[Record]:
        """The changes from before we opened that have a number after this one."""
        found = []
        for member in list(self._members.values()):
            own = max(member.start - (self._base - since) // self._opened - 1, 0)
            past = (record for record in member.store.watch(own, 0) if record.sequence <= member.start)
            found += [record for record in (self._ours(member, one) for one in past) if record.sequence > since]
        return sorted(found, key=lambda record: record.sequence)

    def _ours(self, member: Member, record: Record) -> Record:
        return Record(self._number(member, record.sequence), _our_key(member, record.key), record.change)

    def _our_damage(self, member: Member, error: DamagedRecord) -> DamagedRecord:
        return DamagedRecord(str(error), _our_key(member, error.key), self._number(member, error.sequence))

    def _board(self, member: Member, board: PlanOrDamage) -> PlanOrDamage:
        if isinstance(board, DamagedRecord):
            return self._our_damage(member, board)
        return StoredPlan(_our_key(member, board.key), board.plan)


def _by_age(boards: list[PlanOrDamage], limit: int | None) -> list[PlanOrDamage]:
    """Boards that can be read, the one changed last first, at most `limit`; then the others."""
    by_age = sorted(readable(boards), key=lambda board: -board.plan.updated_at)
    return [*by_age[:limit], *damaged_records(boards)]


def _our_key(member: Member, key: tuple[str, str]) -> Key:
    return Key(f"{member.label}{SEPARATOR}{key[0]}", key[1])


def _newest(store: Store, key: Key) -> list[Record]:
    try:
        return list(islice(store.history(key), 1))
    except DamagedRecord:
        return []
