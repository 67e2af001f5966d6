"""The command `doctor`: where plans are kept, whether they are sound, and a way to go on after damage."""

import os
import platform
import sqlite3
import time
from contextlib import closing
from textwrap import wrap
from typing import NamedTuple

from ... import __version__
from ...coding_agents.diagnosis import ClientDiagnosis, diagnose
from ...coding_agents.install.targets import TARGETS
from ...errors import StoreError
from ...stores import Key, Store, open_store
from ...stores.damage import damaged_records, sessions_with_damage
from ...stores.locate import VARIABLE, state_folder
from ...stores.sqlite import SQLiteStore
from ...stores.sqlite.file import SMALLEST, check_nothing_left, connect, quarantine
from ...stores.sqlite.migrations import version
from ...stores.sqlite.trouble import damaged_file_error, store_error
from ...terminal.durations import age
from ...terminal.lines import Line
from ...terminal.table import pair_lines
from ...text import one_line
from ..command import Argument, Command, Example, Exit, Uses
from ..invocation import Invocation, is_address

PATIENCE = 2.0
"""How many seconds to wait for a file that another program has locked."""

PACKAGES = {
    "rich": "",
    "mcp": "mcp",
    "starlette": "web",
    "uvicorn": "web",
    "psycopg": "postgres",
    "anthropic": "agent",
    "openai": "agent",
}
"""What Holdfast can use, and the extra that brings it; an empty one is installed with Holdfast itself."""

KEYS = (
    "`version`, `python`, `sqlite`, `path`, `path_from`, `exists`, `size`, `layout`, `boards`, `changes`, `healthy`, "
    "`is_damaged`, `trouble`, `damaged` (each `session`, `agent`), `set_aside` (where damage was put, or null), "
    "`packages` (version or null), `clients` (each `name`, `files`, `command`, `is_found`, `is_trusted` (or null), "
    "`last_event`, `trouble`, `advice`)"
)
WAY_OUT = "`holdfast doctor --set-aside` moves the damaged data away, so that you can start again; it deletes nothing"


class Health(NamedTuple):
    """What is known of a plan file. `trouble` is what keeps it from being used, `damaged` whose records are broken.

    `is_damaged` separates a broken file from one that is locked, forbidden or another program's.
    """

    exists: bool
    size: int = 0
    layout: int = 0
    boards: int = 0
    changes: int = 0
    trouble: str = ""
    damaged: tuple[Key, ...] = ()
    is_damaged: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether everything in it can be read."""
        return not self.trouble and not self.damaged


def run(call: Invocation) -> int:
    """Print what was found. The exit code is 3 while the store cannot be used."""
    health = examine(call.database)
    kept_as = None
    if call.flag("set_aside") and health.is_damaged:
        kept_as = _set_aside(call.database, health)
        health = examine(call.database)
    if call.wants_json:
        call.screen.print_json(_data(call, health, kept_as))
    else:
        call.screen.print(_report(call, health, kept_as))
    return Exit.OK if health.is_sound else Exit.STORE


def _set_aside(path: str, health: Health) -> str:
    """Move what is damaged away. Returns where it is kept."""
    if health.trouble:
        return quarantine(path)
    with closing(SQLiteStore(path)) as store:
        for key in health.damaged:
            store.quarantine(key)
    return f"the table `damaged` of {path}"


def _report(call: Invocation, health: Health, kept_as: str | None) -> list[Line]:
    rows = [
        ("holdfast", f"{__version__} on Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"),
        ("store", call.database_label),
        ("", _path_from(call)),
        ("tables" if is_address(call.database) else "file", _file(health)),
        ("health", "sound" if health.is_sound else health.trouble or f"damaged records: {_list_keys(health.damaged)}"),
        *([("", WAY_OUT)] if health.is_damaged else []),
        *([("set aside", f"kept as {kept_as}")] if kept_as is not None else []),
        *((name, _installed(name) or _missing(name)) for name in PACKAGES),
        *(row for client in _clients(call) for row in _client_rows(client)),
    ]
    return _wrapped(rows, call.screen.columns)


def _clients(call: Invocation) -> list[ClientDiagnosis]:
    return diagnose(os.getcwd(), call.environ)


def _client_rows(client: ClientDiagnosis) -> list[tuple[str, str]]:
    """A coding agent: where our part is, when a hook last ran, what went wrong last, and what to do."""
    where = ", ".join(client.files) or "not installed"
    return [
        (client.name, f"{where}; {_last_event(client)}"),
        *([("", f"log: {client.trouble}")] if client.trouble else []),
        *([("", f"to do: {client.advice}")] if client.advice else []),
    ]


def _last_event(client: ClientDiagnosis) -> str:
    if client.last_event:
        return f"last event {age(time.time() - client.last_event)}"
    return "no event yet" if TARGETS[client.name].has_hooks else "the MCP server alone, no hooks"


def _wrapped(rows: list[tuple[str, str]], columns: int) -> list[Line]:
    """Two columns whose right side is wrapped: a path that is cut short helps nobody."""
    left = max(len(name) for name, _ in rows) + 2
    room = min(max(columns - left, 20), 1000)
    pairs: list[tuple[str, str]] = []
    for name, value in rows:
        text = one_line(value)
        lines = wrap(text, room if text.isascii() else room // 2)  # wrap counts characters, and some are two columns
        pairs += [(name if at == 0 else "", line) for at, line in enumerate(lines)]
    return pair_lines(pairs, columns)


def _path_from(call: Invocation) -> str:
    if call.word("db") is not None:
        return "named by --db"
    if call.environ.get(VARIABLE):
        return f"named by {VARIABLE}"
    is_project = os.path.dirname(call.database) != state_folder(call.environ)
    found = "found from this folder" if is_project else "yours for every folder that belongs to no project"
    return f"{found}; set {VARIABLE} to use another"


def _file(health: Health) -> str:
    if not health.exists:
        return "gone" if health.trouble else "none yet: the first write creates it"
    if health.trouble:
        return f"{health.size} bytes"
    return f"{health.size} bytes, layout {health.layout}, plans: {health.boards}, changes: {health.changes}"


def _list_keys(keys: tuple[Key, ...]) -> str:
    return ", ".join(f"{session} / {agent}" for session, agent in keys)


def _installed(name: str) -> str | None:
    from importlib import metadata  # slow to load, and only this command needs it

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _missing(name: str) -> str:
    extra = PACKAGES[name]
    return f"not installed: pip install 'holdfast[{extra}]'" if extra else f"not installed: pip install {name}"


def _data(call: Invocation, health: Health, kept_as: str | None) -> dict[str, object]:
    return {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "path": call.database_label,
        "path_from": _path_from(call),
        **health._asdict(),
        "healthy": health.is_sound,
        "damaged": [key._asdict() for key in health.damaged],
        "set_aside": kept_as,
        "packages": {name: _installed(name) for name in PACKAGES},
        "clients": [client._asdict() for client in _clients(call)],
    }


def examine(path: str) -> Health:
    """Look at a plan file. Nothing in it is changed, but an old layout is brought up to date.

    For a database at an address, this only finds out which of its plans can be read, and how many there are.
    """
    if is_address(path):
        return _examine_address(path)
    if not os.path.lexists(path):
        return _examine_missing(path)
    size = 0
    try:
        size = os.path.getsize(path)
        with closing(connect(path, PATIENCE)) as connection:
            return _examine_contents(connection, path)._replace(size=size)
    except StoreError as error:
        return Health(True, size, trouble=str(error), is_damaged=os.path.isfile(path) and size < SMALLEST)
    except (sqlite3.Error, OSError) as error:
        is_damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        return Health(True, size, trouble=str(store_error(error, path)), is_damaged=is_damaged)


def _examine_missing(path: str) -> Health:
    try:
        check_nothing_left(path)
    except StoreError as error:
        return Health(False, trouble=str(error), is_damaged=True)
    return Health(False)


def _examine_contents(connection: sqlite3.Connection, path: str) -> Health:
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        return Health(True, trouble=str(damaged_file_error(path, "; ".join(found))), is_damaged=True)
    keys = [Key(*row) for row in connection.execute("SELECT session, agent FROM boards")]
    changes = connection.execute("SELECT count(*) FROM changes").fetchone()[0]
    unreadable = _unreadable(path, keys)
    return Health(True, 0, version(connection), len(keys), changes, "", unreadable, bool(unreadable))


def _examine_address(address: str) -> Health:
    try:
        with closing(open_store(address)) as store:
            unreadable = tuple(Key(*error.key) for error in damaged_records(sessions_with_damage(store)))
            return _figures(store)._replace(damaged=unreadable)
    except StoreError as error:
        return Health(True, trouble=str(error))


def _figures(store: Store) -> Health:
    from ...stores.postgres import PostgresStore

    if not isinstance(store, PostgresStore):
        return Health(True)
    boards, changes, size, layout = store.figures()
    return Health(True, size, layout, boards, changes)


def _unreadable(path: str, keys: list[Key]) -> tuple[Key, ...]:
    """The boards whose records cannot be read."""
    with closing(SQLiteStore(path)) as store:
        return tuple(key for key in keys if not _is_readable(store, key))


def _is_readable(store: SQLiteStore, key: Key) -> bool:
    try:
        store.load(key)
        for _ in store.history(key):
            pass
    except StoreError:
        return False
    return True


COMMAND = Command(
    "doctor",
    "Say where plans are kept, whether they are sound, what is installed, and how each coding agent is set up.",
    run,
    (Argument("--set-aside", "move a damaged file, or damaged records, away; nothing is deleted"),),
    (
        Example("holdfast doctor", "is everything well?"),
        Example("holdfast doctor --set-aside", "start again, and keep the damaged data"),
    ),
    KEYS,
    uses=Uses.STORE,
)
