"""The tables of a PostgreSQL store, and how older ones are brought up to date.

A migration is never changed after its release: a new layout is a new migration at the end of the list. They are
applied all or none, by one process at a time. `{schema}` is the schema's name, quoted; `{channel}` starts the names of
the channels that watchers listen on.
"""

import hashlib
from collections.abc import Mapping
from typing import LiteralString

from psycopg import sql
from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction

from ...errors import StoreError
from .connection import DatabaseConnection

LOCK = 0x486F6C64
"""The first half of the advisory lock for migrations: "Hold". The second half is a hash of the schema's name."""

MIGRATIONS: Mapping[str, tuple[LiteralString, ...]] = {
    "boards and their changes": (
        """
        CREATE TABLE {schema}.namespaces (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            watched_until timestamptz NOT NULL DEFAULT '-infinity' -- until then, who writes tells watchers
        ) WITH (fillfactor = 50)
        """,
        # Names may be of any length, and an index entry may not: `key` is a digest of session and agent. No index
        # holds what a commit changes, so that the row is updated in its place.
        """
        CREATE TABLE {schema}.boards (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            namespace integer NOT NULL,
            key bytea NOT NULL,
            session text NOT NULL,
            agent text NOT NULL,
            revision integer NOT NULL,
            sequence bigint NOT NULL, -- of its newest change
            plan text NOT NULL, -- as it is now
            UNIQUE (namespace, key)
        ) WITH (fillfactor = 70)
        """,
        # Every change names the one before it on its board, and a board its newest: history is followed from there.
        # The one index starts with the namespace, so that the table can be partitioned by it. `token` is what a
        # writer that lost its connection knows its own change by.
        """
        CREATE TABLE {schema}.changes (
            namespace integer NOT NULL,
            sequence bigint NOT NULL, -- counts in its namespace, without a gap, in the order of the commits
            board bigint NOT NULL,
            previous bigint NOT NULL, -- 0 for the first
            revision integer NOT NULL,
            number integer NOT NULL,
            at double precision NOT NULL,
            made_by text NOT NULL,
            action text NOT NULL,
            undoes integer NOT NULL,
            token uuid NOT NULL,
            delta text NOT NULL,
            PRIMARY KEY (namespace, sequence)
        )
        """,
        # The row of the namespace is locked, not counted up: a counter would leave a dead row behind each write.
        # Whoever comes second waits until the first one's change can be seen, so sequences are committed in their
        # order, and a watcher that has seen one has seen all below it. A board's row is always locked first.
        """
        CREATE FUNCTION {schema}.keep_change(
            its_namespace integer, its_key bytea, its_session text, its_agent text,
            revision_before integer, revision_after integer, its_number integer, its_time double precision,
            its_maker text, its_action text, its_undoes integer, its_plan text, its_delta text, its_token uuid
        ) RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            board record;
            kept bigint;
            watched timestamptz;
        BEGIN
            IF revision_before = 0 THEN
                INSERT INTO {schema}.boards (namespace, key, session, agent, revision, sequence, plan)
                VALUES (its_namespace, its_key, its_session, its_agent, 0, 0, '') ON CONFLICT DO NOTHING;
            END IF;
            SELECT id, revision, sequence INTO board FROM {schema}.boards
            WHERE namespace = its_namespace AND key = its_key FOR NO KEY UPDATE;
            IF NOT FOUND THEN
                RETURN NULL;
            ELSIF board.revision <> revision_before THEN -- too late; or ours, and the answer was lost
                WITH RECURSIVE chain AS (
                    SELECT c.* FROM {schema}.changes AS c
                    WHERE c.namespace = its_namespace AND c.sequence = board.sequence
                    UNION ALL
                    SELECT c.* FROM chain JOIN {schema}.changes AS c
                    ON c.namespace = its_namespace AND c.sequence = chain.previous
                    WHERE chain.revision > revision_after
                )
                SELECT sequence INTO kept FROM chain WHERE token = its_token;
                RETURN kept;
            END IF;
            SELECT watched_until INTO watched FROM {schema}.namespaces
            WHERE id = its_namespace FOR NO KEY UPDATE;
            INSERT INTO {schema}.changes
            SELECT its_namespace, coalesce(max(sequence), 0) + 1, board.id, board.sequence, revision_after,
                its_number, its_time, its_maker, its_action, its_undoes, its_token, its_delta
            FROM {schema}.changes WHERE namespace = its_namespace
            RETURNING sequence INTO kept;
            UPDATE {schema}.boards SET revision = revision_after, sequence = kept, plan = its_plan
            WHERE id = board.id;
            IF watched > clock_timestamp() THEN
                PERFORM pg_notify({channel} || its_namespace, '');
            END IF;
            RETURN kept;
        END
        $$
        """,
    ),
    "tallies": (
        """
        CREATE TABLE {schema}.tallies (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            name text NOT NULL,
            total bigint NOT NULL,
            PRIMARY KEY (namespace, key, name)
        ) WITH (fillfactor = 70)
        """,
    ),
    "leases": (
        """
        CREATE TABLE {schema}.leases (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            what text NOT NULL,
            holder text NOT NULL,
            expires_at timestamptz NOT NULL, -- by this server's clock
            PRIMARY KEY (namespace, key, what)
        ) WITH (fillfactor = 70)
        """,
    ),
    "journals": (
        """
        CREATE TABLE {schema}.journals (
            namespace integer NOT NULL,
            key bytea NOT NULL,
            work text NOT NULL, -- what was done for the current todo since the last plan write
            PRIMARY KEY (namespace, key)
        ) WITH (fillfactor = 70)
        """,
    ),
}
"""The steps of the layout, in their order: each by its name, with its statements."""

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
    names: dict[str, sql.Composable] = {"schema": sql.Identifier(schema), "channel": sql.Literal(channel(schema))}
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
