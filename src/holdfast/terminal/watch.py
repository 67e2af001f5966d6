"""`holdfast watch`: the plans of a store as they change, on a screen or as lines."""

import errno
import os
import sys
import time

from ..board.claims import current_claims
from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..stores import Record, Store
from ..stores.follow import FIRST_KNOWN, News, follow
from ..text import one_line
from .dashboard import Scene, dashboard
from .dashboard_rows import groups
from .lines import text_line, trim_line
from .plan import local_time
from .screen import NO_LIMIT, USUAL, Screen, is_dumb, wants_colours
from .words import board_label, describe_change

HUNG_UP = 129
"""What a shell calls the exit code of a command whose terminal has gone."""


def watch(store: Store, where: str, session: str | None = None, once: bool = False) -> int:
    """Show the plans of a store, or of one of its sessions, until somebody ends it; with `once`, show them and return.

    `where` is the store's name for people. Returns the exit code. Raises StoreError if the store cannot be read.
    """
    screen = Screen.of_stream(sys.stdout)
    try:
        if once:
            _print_view(store, News(store, session), where, screen)
            return 0
        if _is_interactive():
            return _watch_live(store, session, where)
        _watch_lines(store, session, where, screen)
        return 0
    except BrokenPipeError:  # whoever read our lines has gone; let nothing more be written at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno != errno.EIO:  # what the kernel says of a terminal that is gone
            raise
        return HUNG_UP


def _print_view(store: Store, news: News, where: str, screen: Screen) -> None:
    """Print the view as it is now."""
    now = time.time()
    for error in news.damaged.values():
        _warn(error)
    claims = current_claims(store, news.boards)
    scene = Scene(groups(news.boards, now, claims), list(news.records), now, where, damaged=len(news.damaged))
    columns = USUAL if screen.columns == NO_LIMIT else screen.columns
    screen.print(trim_line(line) for line in dashboard(scene, columns))
    screen.stream.flush()


def _watch_lines(store: Store, session: str | None, where: str, screen: Screen) -> None:
    """Print the view as it is now, and then a line for each change; the view again if another store is there."""
    news = News(store, session)
    _print_view(store, news, where, screen)
    for heard in follow(store, news.since):
        if isinstance(heard, Record):
            if news.hear(heard) and (line := change_line(heard)):
                screen.print([text_line(line)])
                screen.stream.flush()
        elif isinstance(heard, StoreReplaced):
            _warn(heard)
            news.read(store)
            _print_view(store, news, where, screen)
        elif not isinstance(heard, DamagedRecord):
            raise heard
        elif heard.sequence > news.since:
            _warn(heard)


def _warn(error: StoreError) -> None:
    print(f"holdfast: {one_line(str(error))}", file=sys.stderr, flush=True)


def change_line(record: Record) -> str:
    """A change on one line: when, where, who, what. Empty if there is nothing to see."""
    words = describe_change(record.change)
    at = local_time(record.change.after.updated_at, "%H:%M:%S")
    return f"{at} {board_label(record.key)} {record.change.by}: {words}" if words else ""


def _watch_live(store: Store, session: str | None, where: str) -> int:
    from .full_screen import Terminal
    from .input import Events
    from .live_dashboard import LiveDashboard

    news = News(store, session, FIRST_KNOWN)
    keyboard, output = sys.stdin.fileno(), sys.stdout.fileno()
    with Events(keyboard) as events, Terminal(keyboard, output, wants_colours(), sys.stdout.encoding) as terminal:
        return LiveDashboard(store, news, terminal, events, where).run()


def _is_interactive() -> bool:
    """Whether there is a terminal to draw on, and a keyboard to steer it."""
    return os.name == "posix" and sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb()
