"""The live view: a loop that draws, waits for something to happen, and acts on it."""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ..board import Board
from ..board.claims import current_claims
from ..board.person_steps import undoable
from ..dialects import Reply
from ..errors import StoreError, StoreReplaced
from ..plan import Status, Todo
from ..plan.pace import Pace
from ..stores import Key, Record, Store
from ..stores.follow import News, StoreFollower
from ..text import counted
from .dashboard import Scene, dashboard, help_page
from .dashboard_rows import (
    NO_CLAIMS,
    Claims,
    DashboardRow,
    RowTarget,
    SessionGroup,
    find_row,
    groups,
    matching,
    move_cursor,
    next_session,
    rows,
)
from .full_screen import Terminal
from .input import Events
from .lines import FRAMES_PER_SECOND, Line
from .plan import short_id
from .prompt import Prompt
from .todo_page import todo_page
from .words import board_label, describe_change

IDLE = 10.0
"""How many seconds pass between two drawings while nothing runs and nothing happens."""

MESSAGE_STAYS = 5.0
CHOOSE_FIRST = "choose a todo first: j and k move over them"
HELP = "help"
"""The page of the keys. Any other page is that of a todo."""


class Selection(NamedTuple):
    """What the person at the keyboard has chosen to see. `page` is shown in place of the rows, from line `top` on."""

    cursor: RowTarget | None = None
    folds: Mapping[Key, bool] = {}
    sought: str = ""
    page: RowTarget | str | None = None
    top: int = 0


class Question(NamedTuple):
    """A line that the person is typing, and what to do with it: at each key, and at the end."""

    prompt: Prompt
    submit: Callable[[str], None]
    typed: Callable[[str], None] = lambda _: None


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
        self._question: Question | None = None
        self._keys = self._key_actions()
        for error in news.damaged.values():
            self._show_error(error)

    def run(self) -> int:
        """Draw and act until it is ended. Returns the exit code: 0 if a person ended it, else that of the signal."""
        while True:
            now = time.time()
            shown = self._in_order(now)
            self._draw(self._sought(shown), now)
            if not self._news.is_whole:  # the first screen waits for no more than it shows
                self._reload()
                continue
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

    def _sought(self, shown: list[SessionGroup]) -> list[SessionGroup]:
        return matching(shown, self._selection.sought) if self._selection.sought else shown

    def _claims(self) -> Claims:
        try:
            return current_claims(self._store, self._news.boards)
        except StoreError as error:
            self._show_error(error)
            return NO_CLAIMS

    def _draw(self, shown: list[SessionGroup], now: float) -> None:
        message = self._message if now < self._message_until else ""
        size = self._terminal.size
        page = self._page(shown, now, size.columns)
        if page is None:  # there is none, or its todo is gone
            self._turn_to(None)
        chosen = self._selection
        scene = Scene(
            shown,
            self._records(shown),
            now,
            self._where,
            chosen.folds,
            chosen.cursor,
            message,
            len(self._news.damaged),
            chosen.sought,
            None if self._question is None else self._question.prompt,
            page,
            chosen.top,
        )
        self._terminal.draw(dashboard(scene, size.columns, size.lines))

    def _records(self, shown: list[SessionGroup]) -> Sequence[Record]:
        """The recent changes of what is shown."""
        if not self._selection.sought:
            return self._news.records
        sessions = {group.boards[0].key.session for group in shown}
        return [record for record in self._news.records if record.key.session in sessions]

    def _page(self, shown: list[SessionGroup], now: float, columns: int) -> list[Line] | None:
        """What is shown in place of the rows; None for nothing, as for a todo that is gone."""
        page = self._selection.page
        if page == HELP:
            return help_page(columns - 4)
        if isinstance(page, RowTarget):
            boards = (board for group in shown for board in group.boards if board.key == page.key)
            for board in boards:
                if (todo := board.plan.get(page.todo or "")) is not None:
                    return todo_page(board.plan, todo, columns - 4, now, board.leases)
        return None

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
            self._news.is_whole = True  # as far as can be
            self._show_error(error)

    def _show_error(self, error: StoreError) -> None:
        self._show_message(str(error).replace(self._where, os.path.basename(self._where)))  # the title has it in full

    def _act(self, event: str | signal.Signals, shown: list[SessionGroup]) -> int | None:
        """Do what a key or a signal asks for; the exit code if that is the end."""
        if event is signal.SIGINT or (event == "q" and self._question is None and self._selection.page is None):
            return 0
        if event is signal.SIGTERM or event is signal.SIGHUP:
            return 128 + event
        if event is signal.SIGTSTP:
            self._suspend()
        elif event is signal.SIGCONT:
            self._terminal.enter()
        elif isinstance(event, str) and self._question is not None:
            self._type(event, self._question)
        elif isinstance(event, str) and self._selection.page is not None:
            self._read(event)
        elif isinstance(event, str) and event in self._keys:
            if event != "u":
                self._asked_about = None
            self._show_message("")
            self._keys[event](rows(self._sought(shown), self._selection.folds))
        return None

    def _key_actions(self) -> dict[str, Callable[[list[DashboardRow]], None]]:
        return {
            **dict.fromkeys(("j", "down"), partial(self._move, 1)),
            **dict.fromkeys(("k", "up"), partial(self._move, -1)),
            "page down": lambda shown: self._move(self._screenful, shown),
            "page up": lambda shown: self._move(-self._screenful, shown),
            **dict.fromkeys(("g", "home"), partial(self._jump, 0)),
            **dict.fromkeys(("G", "end"), partial(self._jump, -1)),
            "tab": self._next_session,
            **dict.fromkeys(("f", "space"), self._fold),
            "enter": self._open,
            "F": self._fold_all,
            "/": self._find,
            "escape": lambda _: self._seek(""),
            "?": lambda _: self._turn_to(HELP),
            "a": self._add,
            "e": self._reword,
            "s": partial(self._mark, Status.IN_PROGRESS),
            "d": partial(self._mark, Status.COMPLETED),
            "c": partial(self._mark, Status.CANCELLED),
            "b": partial(self._mark, Status.BLOCKED),
            "o": partial(self._mark, Status.PENDING),
            "u": self._undo,
            "r": self._redo,
            "p": self._approve,
        }

    def _type(self, key: str, question: Question) -> None:
        """A key while a line is typed: enter takes it, escape leaves everything as it was."""
        if key == "enter":
            self._question = None
            question.submit(question.prompt.text.strip())
        elif key == "escape":
            self._question = None
            question.typed("")
        else:
            self._question = question._replace(prompt=question.prompt.typed(key))
            question.typed(self._question.prompt.text.strip())

    def _read(self, key: str) -> None:
        """A key while a page is shown: it scrolls, or goes back to the rows."""
        by = {"j": 1, "down": 1, "k": -1, "up": -1, "page down": self._screenful, "page up": -self._screenful}.get(key)
        if by is not None:
            self._selection = self._selection._replace(top=max(self._selection.top + by, 0))
        elif key in ("q", "escape", "enter", "space", "?"):
            self._turn_to(None)

    @property
    def _screenful(self) -> int:
        return max(self._terminal.size.lines - 4, 1)

    def _turn_to(self, page: RowTarget | str | None) -> None:
        self._selection = self._selection._replace(page=page, top=0)

    def _seek(self, sought: str) -> None:
        self._selection = self._selection._replace(sought=sought)

    def _find(self, shown: list[DashboardRow]) -> None:
        self._question = Question(Prompt.with_text("find", self._selection.sought), self._seek, self._seek)

    def _move(self, by: int, shown: list[DashboardRow]) -> None:
        self._selection = self._selection._replace(cursor=move_cursor(shown, self._selection.cursor, by))

    def _jump(self, to: int, shown: list[DashboardRow]) -> None:
        self._selection = self._selection._replace(cursor=shown[to].target if shown else None)

    def _next_session(self, shown: list[DashboardRow]) -> None:
        self._selection = self._selection._replace(cursor=next_session(shown, self._selection.cursor))

    def _open(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None and row.todo is not None:
            self._turn_to(row.target)
        elif row is not None:
            self._fold(shown)

    def _fold(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None:
            folds = {**self._selection.folds, row.key: not row.is_folded}
            self._selection = self._selection._replace(cursor=RowTarget(row.key), folds=folds)

    def _fold_all(self, shown: list[DashboardRow]) -> None:
        """Fold everything; if nothing is left to fold, unfold everything."""
        is_folded = any(row.todo is None and not row.is_folded for row in shown)
        folds = {key: is_folded for key, _ in self._news.boards}
        at = find_row(shown, self._selection.cursor)
        cursor = None if at is None else RowTarget(shown[at].key)
        self._selection = self._selection._replace(cursor=cursor, folds=folds)

    def _add(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None:
            self._question = Question(Prompt(f"add to {board_label(row.key)}"), partial(self._save_new, row.key))

    def _save_new(self, key: Key, text: str) -> None:
        if text:
            board = self._board(key)
            self._report(board, board.add(text))

    def _reword(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None and row.todo is not None:
            ask = Prompt.with_text(f"reword {short_id(row.todo)}", row.todo.content)
            self._question = Question(ask, partial(self._save_words, row.key, row.todo))
        elif row is not None:
            self._show_message(CHOOSE_FIRST)

    def _save_words(self, key: Key, seen: Todo, text: str) -> None:
        """Give a todo another text, unless somebody else did while the person was typing."""
        board = self._board(key)
        plan = board.plan
        todo = plan.get(seen.id)
        if todo is None or todo.content != seen.content:
            self._show_message(f"not saved: todo {short_id(seen)} was changed meanwhile. You wrote: {text}")
        elif text and text != seen.content:
            self._report(board, board.edit(seen.id, content=text, expected_revision=plan.revision))

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
            self._show_message(f"this removes {todos} from the plan: press u again to do it; r brings them back")
        else:
            self._report(board, board.undo(expected_revision=plan.revision))

    def _redo(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is not None:
            board = self._board(row.key)
            self._report(board, board.redo())

    def _approve(self, shown: list[DashboardRow]) -> None:
        row = self._selected_row(shown)
        if row is None:
            return
        if not row.plan.awaits_approval:
            self._show_message("this plan does not wait for approval")
            return
        board = self._board(row.key)
        reply = board.approve(expected_revision=row.plan.revision)  # what the person sees, and nothing else
        self._news.know(board.key, reply.plan)
        self._show_message("approved: the agent is told with its next step" if reply.ok else reply.text)

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
