"""How the tables of a PostgreSQL store are brought up to date: all steps or none, by one process at a time."""

import hashlib
from typing import LiteralString

from psycopg import sql
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction

from ...errors import StoreError
from .connection import DatabaseConnection
from .layout import MIGRATIONS

LOCK = 0x486F6C64
"""The first half of the advisory lock for migrations: "Hold". The second half is a hash of the schema's name."""

# Asked of the catalog itself: to_regclass() may remember what it saw before we waited for the lock.
_THERE = """
    SELECT EXISTS (
        SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = %s AND c.relname = 'migrations'
    )
"""
_LOCK = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
_HAS_SCHEMA = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s)"


def channel(schema: str) -> str:
    """How the names of a schema's channels start; the number of a namespace ends them."""
    return f"holdfast.{hashlib.sha256(schema.encode()).hexdigest()[:12]}."


def layout(connection: DatabaseConnection, schema: str) -> tuple[str, ...]:
    """The names of the migrations that a schema has seen."""
    if not _ask(connection, _THERE, schema):
        return ()
    names = sql.SQL("SELECT name FROM {} ORDER BY number").format(sql.Identifier(schema, "migrations"))
    rows = connection.execute(names).fetchall()
    return tuple(str(name) for (name,) in rows)


def migrate(connection: DatabaseConnection, schema: str) -> None:
    """Apply the migrations that a schema has not seen, and create the schema if it is missing.

    Raises StoreError if a newer Holdfast was here, or if the role may not create tables; psycopg.Error for the rest.
    """
    seen = layout(connection, schema)
    _check_known(seen, schema)
    if len(seen) == len(MIGRATIONS):
        return
    try:
        with connection.transaction():
            connection.execute(_LOCK, (LOCK, schema))
            seen = layout(connection, schema)  # again: another process may have migrated while we waited
            _check_known(seen, schema)
            if not seen:
                _create_schema(connection, schema)
            for number, name in list(enumerate(MIGRATIONS))[len(seen) :]:
                _apply(connection, schema, number, name)
    except (InsufficientPrivilege, ReadOnlySqlTransaction) as error:
        raise StoreError(
            f"the tables of Holdfast in schema {schema!r} are missing or old, and this role may not create them "
            f"({error}): let the owner of the schema run `holdfast doctor --db …` once, and grant this role what "
            "docs/scale.md says"
        ) from error


def _create_schema(connection: DatabaseConnection, schema: str) -> None:
    """Create the schema, if it is missing, and the table of its migrations."""
    if not _ask(connection, _HAS_SCHEMA, schema):
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    table = "CREATE TABLE {} (number integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())"
    connection.execute(sql.SQL(table).format(sql.Identifier(schema, "migrations")))


def _apply(connection: DatabaseConnection, schema: str, number: int, name: str) -> None:
    names: dict[str, sql.Composable] = {
        "schema": sql.Identifier(schema),
        "schema_name": sql.Literal(schema),
        "channel": sql.Literal(channel(schema)),
    }
    for statement in MIGRATIONS[name]:
        connection.execute(sql.SQL(statement).format(**names))
    note = sql.SQL("INSERT INTO {schema}.migrations (number, name) VALUES ({number}, {name})")
    connection.execute(note.format(**names, number=sql.Literal(number), name=sql.Literal(name)))


def _ask(connection: DatabaseConnection, question: LiteralString, schema: str) -> bool:
    answer = connection.execute(question, (schema,)).fetchone()
    return answer is not None and bool(answer[0])


def _check_known(seen: tuple[str, ...], schema: str) -> None:
    if len(seen) > len(MIGRATIONS):
        raise StoreError(
            f"the tables in schema {schema!r} were made by a newer Holdfast (layout {len(seen)}, this one knows "
            f"{len(MIGRATIONS)}): update Holdfast"
        )
