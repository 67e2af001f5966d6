"""The live view: a loop that draws, waits for something to happen, and acts on it."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ..board import Board
from ..errors import StoreError, StoreReplaced
from ..plan import Status
from ..plan.pace import Pace
from ..stores import Key, Record, Store
from ..stores.follow import News, StoreFollower
from .dashboard import Scene, dashboard
from .dashboard_lines import FRAMES_A_SECOND
from .dashboard_rows import Group, Place, Row, groups, locate, moved, rows
from .full_screen import Terminal
from .input import Events
from .words import what_changed

IDLE = 10.0
"""How many seconds pass between two drawings while nothing runs and nothing happens."""

MESSAGE_STAYS = 5.0
CHOOSE_FIRST = "choose a todo first: j and k move over them"


class Chosen(NamedTuple):
    """What the person at the keyboard has chosen to see."""

    cursor: Place | None = None
    folds: Mapping[Key, bool] = {}


class Live:
    """The view of a store in a terminal, until somebody ends it."""

    def __init__(self, store: Store, news: News, terminal: Terminal, events: Events, where: str) -> None:
        self._store = store
        self._news = news
        self._terminal = terminal
        self._events = events
        self._where = where
        self._follower = StoreFollower(store, news.since, events.wake)
        self._chosen = Chosen()
        self._groups: list[Group] = []
        self._groups_as_of = (-1, 0.0)
        self._message = ""
        self._message_until = 0.0
        self._keys = self._key_actions()
        for error in news.damaged.values():
            self._tell_trouble(error)

    def run(self) -> int:
        """Draw and act until it is ended. The exit code: 0 when a person ended it, else that of the signal."""
        while True:
            now = time.time()
            shown = self._in_order(now)
            self._draw(shown, now)
            try:
                for event in self._events.wait(self._pause(shown, now)):
                    code = self._act(event, shown)
                    if code is not None:
                        return code
            except EOFError:
                return 128 + signal.SIGHUP
            self._listen()

    def _in_order(self, now: float) -> list[Group]:
        """The sessions in their order: put in order anew when there is news, and now and then for those gone quiet."""
        version, at = self._groups_as_of
        if version != self._news.version or not 0 <= now - at < IDLE:
            self._groups = groups(self._news.boards, now)
            self._groups_as_of = (self._news.version, now)
        return self._groups

    def _draw(self, shown: list[Group], now: float) -> None:
        message = self._message if now < self._message_until else ""
        folds, cursor, damaged = self._chosen.folds, self._chosen.cursor, len(self._news.damaged)
        scene = Scene(shown, self._news.records, now, self._where, folds, cursor, message, damaged)
        size = self._terminal.size
        self._terminal.draw(dashboard(scene, size.columns, size.lines))

    def _pause(self, shown: list[Group], now: float) -> float:
        """For how long nothing on the screen changes by itself."""
        if shown and shown[0].pace is Pace.RUNNING:  # they come first
            return 1 / FRAMES_A_SECOND
        return min(IDLE, self._message_until - now) if self._message_until > now else IDLE

    def _listen(self) -> None:
        for heard in self._follower.take():
            if isinstance(heard, Record):
                self._news.hear(heard)
            elif isinstance(heard, StoreReplaced):
                self._begin_anew()
            elif isinstance(heard, StoreError):
                self._tell_trouble(heard)
            else:
                raise heard

    def _begin_anew(self) -> None:
        try:
            self._news.read(self._store)
        except StoreError as error:
            self._tell_trouble(error)

    def _tell_trouble(self, error: StoreError) -> None:
        self._say(str(error).replace(self._where, os.path.basename(self._where)))  # the title has it in full

    def _act(self, event: str | signal.Signals, shown: list[Group]) -> int | None:
        """Do what a key or a signal asks for; the exit code if that is the end."""
        if event == "q" or event is signal.SIGINT:
            return 0
        if event is signal.SIGTERM or event is signal.SIGHUP:
            return 128 + event
        if event is signal.SIGTSTP:
            self._suspend()
        elif event is signal.SIGCONT:
            self._terminal.enter()
        elif isinstance(event, str) and event in self._keys:
            self._say("")
            self._keys[event](rows(shown, self._chosen.folds))
        return None

    def _key_actions(self) -> dict[str, Callable[[list[Row]], None]]:
        return {
            **dict.fromkeys(("j", "down"), partial(self._move, 1)),
            **dict.fromkeys(("k", "up"), partial(self._move, -1)),
            **dict.fromkeys(("f", "space", "enter"), self._fold),
            "d": partial(self._mark, Status.COMPLETED),
            "c": partial(self._mark, Status.CANCELLED),
            "u": self._undo,
        }

    def _move(self, by: int, shown: list[Row]) -> None:
        self._chosen = self._chosen._replace(cursor=moved(shown, self._chosen.cursor, by))

    def _fold(self, shown: list[Row]) -> None:
        row = self._row(shown)
        if row is not None:
            folds = {**self._chosen.folds, row.key: not row.is_folded}
            self._chosen = Chosen(Place(row.key), folds)

    def _mark(self, status: Status, shown: list[Row]) -> None:
        row = self._row(shown)
        if row is not None and row.todo is not None:
            reply = self._board(row.key).edit(row.todo.id, status=status)
            self._news.know(row.key, reply.plan)
            self._say(f"{status}: {row.todo.content}" if reply.ok else reply.text)
        elif row is not None:
            self._say(CHOOSE_FIRST)

    def _undo(self, shown: list[Row]) -> None:
        row = self._row(shown)
        if row is not None:
            board = self._board(row.key)
            reply = board.undo()
            self._news.know(row.key, reply.plan)
            self._say(what_changed(next(board.history()).change) if reply.ok else reply.text)

    def _row(self, shown: list[Row]) -> Row | None:
        at = locate(shown, self._chosen.cursor)
        if at is None:
            self._say(CHOOSE_FIRST)
            return None
        return shown[at]

    def _board(self, key: Key) -> Board:
        return Board.for_person(self._store, key.session, key.agent)

    def _say(self, message: str) -> None:
        self._message, self._message_until = message, time.time() + MESSAGE_STAYS

    def _suspend(self) -> None:
        """Give the terminal back for as long as the shell has stopped us."""
        self._terminal.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._terminal.enter()
