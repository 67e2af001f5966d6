"""The layout of a plan file, and how an older file is brought up to date.

A migration is never changed after its release: a new layout is a new migration at the end of the list. The file
says how many it has seen in `user_version`, and which, and when, in its table `migrations`.
"""

import sqlite3
import time
from collections.abc import Mapping

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
}
"""The steps of the layout, in their order: each by its name, with its statements."""


def version(connection: sqlite3.Connection) -> int:
    """How many migrations the file has seen."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


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
            connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL UNIQUE, at REAL NOT NULL)")
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))
        connection.execute(f"PRAGMA user_version = {max(seen, len(migrations))}")
