"""The command `doctor`: where plans are kept, whether they are sound, and a way to go on after damage."""

import os
import platform
import sqlite3
import time
from contextlib import closing
from textwrap import wrap

from ... import __version__
from ...coding_agents.diagnosis import ClientDiagnosis, diagnose
from ...stores import Key
from ...stores.locate import VARIABLE, state_folder
from ...stores.sqlite import SQLiteStore
from ...stores.sqlite.file import quarantine
from ...terminal.durations import age
from ...terminal.lines import Line
from ...terminal.table import pair_lines
from ...text import one_line
from ..command import Argument, Command, Example, Exit, Uses
from ..health import Health, examine
from ..invocation import Invocation, is_address

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
WAY_OUT = "`holdfast doctor --set-aside` moves the damage out of use, deletes nothing, and lets you start again"


def run(call: Invocation) -> int:
    """Print what was found. The exit code is 3 while the store cannot be used."""
    health = examine(call.database)
    aside = None
    if call.flag("set_aside") and health.is_damaged:
        aside = _set_aside(call.database, health)
        health = examine(call.database)
    if call.wants_json:
        call.screen.print_json(_data(call, health, aside))
    else:
        call.screen.print(_report(call, health, aside))
    return Exit.OK if health.is_sound else Exit.STORE


def _set_aside(path: str, health: Health) -> str:
    """Take what is damaged out of use. Returns where it is kept."""
    if health.trouble:
        return quarantine(path)
    with closing(SQLiteStore(path)) as store:
        for key in health.damaged:
            store.quarantine(key)
    return f"the table `damaged` of {path}"


def _report(call: Invocation, health: Health, aside: str | None) -> list[Line]:
    rows = [
        ("holdfast", f"{__version__} on Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"),
        ("store", call.database_label),
        ("", _path_from(call)),
        ("tables" if is_address(call.database) else "file", _file(health)),
        ("health", "sound" if health.is_sound else health.trouble or f"damaged records: {_list_keys(health.damaged)}"),
        *([("", WAY_OUT)] if health.is_damaged else []),
        *([("set aside", f"kept as {aside}")] if aside is not None else []),
        *((name, _installed(name) or _missing(name)) for name in PACKAGES),
        *(row for client in _clients(call) for row in _client_rows(client)),
    ]
    return _wrapped(rows, call.screen.columns)


def _clients(call: Invocation) -> list[ClientDiagnosis]:
    return diagnose(os.getcwd(), call.environ)


def _client_rows(client: ClientDiagnosis) -> list[tuple[str, str]]:
    """A coding agent: where our part is, when a hook last ran, what went wrong last, and what to do."""
    seen = f"last event {age(time.time() - client.last_event)}" if client.last_event else "no event yet"
    where = ", ".join(client.files) or "not installed"
    return [
        (client.name, f"{where}; {seen}"),
        *([("", f"log: {client.trouble}")] if client.trouble else []),
        *([("", f"to do: {client.advice}")] if client.advice else []),
    ]


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
    return f"{found}; {VARIABLE} names another"


def _file(health: Health) -> str:
    if not health.exists:
        return "gone" if health.trouble else "none yet: it is made at the first write"
    if health.trouble:
        return f"{health.size} bytes"
    return f"{health.size} bytes, layout {health.layout}, plans: {health.boards}, changes: {health.changes}"


def _list_keys(keys: tuple[Key, ...]) -> str:
    return ", ".join(f"{session} / {agent}" for session, agent in keys)


def _installed(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and only this command needs it

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _missing(name: str) -> str:
    extra = PACKAGES[name]
    return f"not installed: pip install 'holdfast[{extra}]'" if extra else f"not installed: pip install {name}"


def _data(call: Invocation, health: Health, aside: str | None) -> dict[str, object]:
    return {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "path": call.database_label,
        "path_from": _path_from(call),
        **health._asdict(),
        "healthy": health.is_sound,
        "damaged": [key._asdict() for key in health.damaged],
        "set_aside": aside,
        "packages": {name: _installed(name) for name in PACKAGES},
        "clients": [client._asdict() for client in _clients(call)],
    }


COMMAND = Command(
    "doctor",
    "Say where plans are kept, whether they are sound, what is installed, and how each coding agent is set up.",
    run,
    (Argument("--set-aside", "move a damaged file, or damaged records, out of use; nothing is deleted"),),
    (
        Example("holdfast doctor", "is everything well?"),
        Example("holdfast doctor --set-aside", "start again, and keep the damaged data"),
    ),
    KEYS,
    uses=Uses.STORE,
)
