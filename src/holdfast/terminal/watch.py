"""`holdfast watch`: the plans of a store as they change, on a screen or as lines."""

import errno
import os
import shutil
import sys
import time
from typing import TextIO

from ..cli.command import Exit
from ..errors import DamagedRecord, StoreError, StoreReplaced
from ..stores import Record, Store, open_store
from ..stores.address import without_password
from ..stores.follow import News, follow
from ..stores.locate import locate
from ..text import one_line
from .dashboard import Scene, dashboard
from .dashboard_rows import groups
from .lines import carried, painted, plain_text
from .plan import when
from .words import what_changed, whose

HUNG_UP = 129
"""What a shell calls the exit code of a command whose terminal has gone."""


def watch(db: str | None, session: str | None, once: bool) -> int:
    """Show the plans of a store, or of one of its sessions, until somebody ends it; with `once`, show them and return.

    `db` names the store as `Board` takes it; without it, it is the project's. Returns the exit code.
    """
    where = locate() if db is None else db
    shown = without_password(where)
    store = open_store(where)
    try:
        if once:
            return _show(News(store, session), shown, sys.stdout)
        if _is_screen():
            return _live(store, session, shown)
        return _lines(store, session, shown, sys.stdout)
    except StoreError as error:
        _warn(error)
        return Exit.STORE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:  # who read our lines has gone; let nothing more be written at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except OSError as error:
        if error.errno != errno.EIO:  # what the kernel says of a terminal that is gone
            raise
        return HUNG_UP
    finally:
        store.close()


def _show(news: News, where: str, output: TextIO) -> int:
    """Print the view as it is now."""
    now = time.time()
    for error in news.damaged.values():
        _warn(error)
    scene = Scene(groups(news.boards, now), list(news.records), now, where, damaged=len(news.damaged))
    columns = shutil.get_terminal_size().columns
    text = painted if output.isatty() and _wants_colour() and not _is_dumb() else plain_text
    for line in dashboard(scene, columns):
        print(text(line, output.encoding).rstrip(), file=output)
    output.flush()
    return Exit.OK


def _lines(store: Store, session: str | None, where: str, output: TextIO) -> int:
    """Print the view as it is now, and then a line for each change; the view again if another store is there."""
    news = News(store, session)
    _show(news, where, output)
    for heard in follow(store, news.since):
        if isinstance(heard, Record):
            if news.hear(heard) and (line := change_line(heard)):
                print(carried(line, output.encoding), file=output, flush=True)
        elif isinstance(heard, StoreReplaced):
            _warn(heard)
            news.read(store)
            _show(news, where, output)
        elif not isinstance(heard, DamagedRecord):
            raise heard
        elif heard.sequence > news.since:
            _warn(heard)
    return Exit.OK


def _warn(error: StoreError) -> None:
    print(f"holdfast: {one_line(str(error))}", file=sys.stderr, flush=True)


def change_line(record: Record) -> str:
    """A change on one line: when, where, who, what. Empty if there is nothing to see."""
    words = what_changed(record.change)
    at = when(record.change.after.updated_at, "%H:%M:%S")
    return f"{at} {whose(record.key)} {record.change.by}: {words}" if words else ""


def _live(store: Store, session: str | None, where: str) -> int:
    from .full_screen import Terminal
    from .input import Events
    from .live import Live

    news = News(store, session)
    keyboard, output = sys.stdin.fileno(), sys.stdout.fileno()
    with Events(keyboard) as events, Terminal(keyboard, output, _wants_colour(), sys.stdout.encoding) as terminal:
        return Live(store, news, terminal, events, where).run()


def _is_screen() -> bool:
    """Whether there is a terminal to draw on, and a keyboard to steer it."""
    return os.name == "posix" and sys.stdin.isatty() and sys.stdout.isatty() and not _is_dumb()


def _is_dumb() -> bool:
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def _wants_colour() -> bool:
    return not os.environ.get("NO_COLOR")
