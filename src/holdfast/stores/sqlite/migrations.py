"""The layout of a plan file, and how an older file is brought up to date.

A migration is never changed after its release: a new layout is a new migration at the end of the list. The file
says how many it has seen in `user_version`, and which, and when, in its table `migrations`.
"""

import sqlite3
import time
from collections.abc import Mapping
from functools import cache
from itertools import islice

APPLICATION_ID = 0x486F6C64
"""The application id in the header of our files: "Hold"."""

MIGRATIONS: Mapping[str, tuple[str, ...]] = {
    "boards and their changes": (
        """
        CREATE TABLE boards (
            id INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            revision INTEGER NOT NULL,
            sequence INTEGER NOT NULL, -- of its newest change
            plan TEXT NOT NULL, -- as it is now
            UNIQUE (session, agent)
        )
        """,
        # Every change names the one before it on its board, and a board its newest. History is followed from
        # there, so no index grows with it, and a commit writes two pages however many changes there are. The newest
        # change of a board is never deleted, so a sequence is never given twice.
        """
        CREATE TABLE changes (
            sequence INTEGER PRIMARY KEY,
            board INTEGER NOT NULL,
            previous INTEGER NOT NULL, -- 0 for the first
            revision INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at REAL NOT NULL,
            made_by TEXT NOT NULL,
            action TEXT NOT NULL,
            undoes INTEGER NOT NULL,
            delta TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE damaged (
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            revision INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            plan TEXT,
            at REAL NOT NULL
        )
        """,
    ),
    "tallies": (
        """
        CREATE TABLE tallies (
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            name TEXT NOT NULL,
            total INTEGER NOT NULL,
            PRIMARY KEY (session, agent, name)
        ) WITHOUT ROWID
        """,
    ),
    "leases": (
        """
        CREATE TABLE leases (
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            what TEXT NOT NULL,
            holder TEXT NOT NULL,
            expires_at REAL NOT NULL,
            PRIMARY KEY (session, agent, what)
        ) WITHOUT ROWID
        """,
    ),
    "journals": (
        """
        CREATE TABLE journals (
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            work TEXT NOT NULL, -- what was done for the current todo since the last plan write
            PRIMARY KEY (session, agent)
        ) WITHOUT ROWID
        """,
    ),
    # What is left of a board that was deleted: with its last change, it keeps each number from being given twice.
    "deleted boards": (
        """
        CREATE TABLE deleted_boards (
            id INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            agent TEXT NOT NULL,
            revision INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            plan TEXT NOT NULL,
            UNIQUE (session, agent)
        )
        """,
    ),
}
"""The steps of the layout, in their order: each by its name, with its statements."""

_SEEN = "CREATE TABLE migrations (name TEXT NOT NULL UNIQUE, at REAL NOT NULL)"


def version(connection: sqlite3.Connection) -> int:
    """How many migrations the file has seen."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@cache
def schema_at(layout: int) -> Mapping[str, str]:
    """What a file that has seen so many migrations consists of: each table and index, with its statement."""
    steps = islice(MIGRATIONS.values(), layout)
    created = [statement.strip() for statements in steps for statement in statements]
    return {_name_of(statement): statement for statement in ([*created, _SEEN] if created else [])}


def _name_of(statement: str) -> str:
    """What `CREATE TABLE name (…)` or `CREATE INDEX name ON …` creates."""
    words = statement.split()
    return words[words.index("TABLE" if "TABLE" in words else "INDEX") + 1]


def migrate(connection: sqlite3.Connection, migrations: Mapping[str, tuple[str, ...]] = MIGRATIONS) -> None:
    """Apply the migrations that the file has not seen, all or none. Safe when many processes start at once."""
    if version(connection) >= len(migrations):
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        seen = version(connection)  # again: another process may have migrated while we waited for the lock
        for name, statements in list(migrations.items())[seen:]:
            for statement in statements:
                connection.execute(statement)
            connection.execute(_SEEN.replace("TABLE", "TABLE IF NOT EXISTS", 1))
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        connection.execute(f"PRAGMA user_version = {max(seen, len(migrations))}")
