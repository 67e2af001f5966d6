"""The live view: a loop that draws, waits for something to happen, and acts on it."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ..board import Board
from ..board.claims import current_claims
from ..board.person_steps import undoable
from ..dialects import Reply
from ..errors import StoreError, StoreReplaced
from ..plan import Status
from ..plan.pace import Pace
from ..stores import Key, Record, Store
from ..stores.follow import News, StoreFollower
from ..text import counted
from .dashboard import Scene, dashboard
from .dashboard_rows import (
    NO_CLAIMS,
    Claims,
    DashboardRow,
    RowTarget,
    SessionGroup,
    find_row,
    groups,
    move_cursor,
    rows,
)
from .full_screen import Terminal
from .input import Events
from .lines import FRAMES_PER_SECOND
from .words import describe_change

IDLE = 10.0
"""How many seconds pass between two drawings while nothing runs and nothing happens."""

MESSAGE_STAYS = 5.0
CHOOSE_FIRST = "choose a todo first: j and k move over them"


class Selection(NamedTuple):
    """What the person at the keyboard has chosen to see."""

    cursor: RowTarget | None = None
    folds: Mapping[Key, bool] = {}


class LiveDashboard:
    """The view of a store in a terminal, until somebody ends it."""

    def __init__(self, store: Store, news: News, terminal: Terminal, events: Events, where: str) -> None:
        self._store = store
        self._news = news
        self._terminal = terminal
        self._events = events
        self._where = where
        self._follower = StoreFollower(store, news.since, events.wake)
        self._selection = Selection()
        self._groups: list[SessionGroup] = []
        self._groups_as_of = (-1, 0.0)
        self._message = ""
        self._message_until = 0.0
        self._asked_about: tuple[Key, int] | None = None
        self._keys = self._key_actions()
        for error in news.damaged.values():
            self._show_error(error)

    def run(self) -> int:
        """Draw and act until it is ended. Returns the exit code: 0 if a person ended it, else that of the signal."""
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

    def _in_order(self, now: float) -> list[SessionGroup]:
        """The sessions in their order, sorted again after each change, and now and then for those gone quiet."""
        version, at = self._groups_as_of
        if version != self._news.version or not 0 <= now - at < IDLE:
            self._groups = groups(self._news.boards, now, self._claims())
            self._groups_as_of = (self._news.version, now)
        return self._groups

    def _claims(self) -> Claims:
        try:
            return current_claims(self._store, self._news.boards)
        except StoreError as error:
            self._show_error(error)
            return NO_CLAIMS

    def _draw(self, shown: list[SessionGroup], now: float) -> None:
        message = self._message if now < self._message_until else ""
        folds, cursor, damaged = self._selection.folds, self._selection.cursor, len(self._news.damaged)
        scene = Scene(shown, self._news.records, now, self._where, folds, cursor, message, damaged)
        size = self._terminal.size
        self._terminal.draw(dashboard(scene, size.columns, size.lines))

    def _pause(self, shown: list[SessionGroup], now: float) -> float:
        """For how long nothing on the screen changes by itself."""
        if shown and shown[0].pace is Pace.RUNNING:  # they come first
            return 1 / FRAMES_PER_SECOND
        return min(IDLE, self._message_until - now) if self._message_until > now else IDLE

    def _listen(self) -> None:
        for heard in self._follower.take():
            if isinstance(heard, Record):
                self._news.hear(heard)
            elif isinstance(heard, StoreReplaced):
                self._reload()
            elif isinstance(heard, StoreError):
                self._show_error(heard)
            else:
                raise heard

    def _reload(self) -> None:
        try:
            self._news.read(self._store)
        except StoreError as error:
            self._show_error(error)

    def _show_error(self, error: StoreError) -> None:
        self._show_message(str(error).replace(self._where, os.path.basename(self._where)))  # the title has it in full

    def _act(self, event: str | signal.Signals, shown: list[SessionGroup]) -> int | None:
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
            if event != "u":
                self._asked_about = None
            self._show_message("")
            self._keys[event](rows(shown, self._selection.folds))
        return None

    def _key_actions(self) -> dict[str, Callable[[list[DashboardRow]], None]]:
        return {
            **dict.fromkeys(("j", "down"), partial(self._move, 1)),
            **dict.fromkeys(("k", "up"), partial(self._move, -1)),
            **dict.fromkeys(("f", "space", "enter"), self._fold),
            "d": partial(self._mark, Status.COMPLETED),
            "c": partial(self._mark, Status.CANCELLED),
            "u": self._undo,
            "r": self._redo,
        }

    def _move(self, by: int, shown: list[DashboardRow]) -> None:
        self._selection = self._selection._replace(cursor=move_cursor(shown, self._selection.cursor, by))

    def _fold(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None:
            folds = {**self._selection.folds, row.key: not row.is_folded}
            self._selection = Selection(RowTarget(row.key), folds)

    def _mark(self, status: Status, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None and row.todo is not None:
            reply = self._board(row.key).edit(row.todo.id, status=status)
            self._news.know(row.key, reply.plan)
            self._show_message(f"{status}: {row.todo.content}" if reply.ok else reply.text)
        elif row is not None:
            self._show_message(CHOOSE_FIRST)

    def _undo(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is None:
            return
        board = self._board(row.key)
        plan, change = board.plan, undoable(board.history())
        empties = bool(plan.todos) and change is not None and not change.before.todos
        asked, self._asked_about = self._asked_about, (row.key, plan.revision)
        if empties and asked != self._asked_about:
            todos = counted(len(plan.todos), "todo")
            self._show_message(f"this takes {todos} off the plan: u again does it, r brings it back")
        else:
            self._report(board, board.undo(expected_revision=plan.revision))

    def _redo(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None:
            board = self._board(row.key)
            self._report(board, board.redo())

    def _report(self, board: Board, reply: Reply) -> None:
        """Show what became of the plan, or why nothing did."""
        self._news.know(board.key, reply.plan)
        self._show_message(describe_change(next(board.history()).change) if reply.ok else reply.text)

    def _selected_row(self, shown: list[DashboardRow]) -> DashboardRow | None:
        at = find_row(shown, self._selection.cursor)
        if at is None:
            self._show_message(CHOOSE_FIRST)
            return None
        return shown[at]

    def _board(self, key: Key) -> Board:
        return Board.for_person(self._store, key.session, key.agent)

    def _show_message(self, message: str) -> None:
        self._message, self._message_until = message, time.time() + MESSAGE_STAYS

    def _suspend(self) -> None:
        """Give the terminal back for as long as the shell has stopped us."""
        self._terminal.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._terminal.enter()
