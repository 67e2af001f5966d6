"""Deleting old changes and plans of a namespace, in steps so short that no writer waits long."""

import time
from collections.abc import Iterator
from functools import partial
from typing import LiteralString

from psycopg import sql

from ...errors import StoreError
from .connection import DatabaseConnection
from .namespace import Namespace

STEP = 5_000
"""How many sequences are looked at in one transaction."""

LONGEST = 3600.0
"""How many seconds the search for deletable changes may take, over all changes of a namespace."""

_LAST_TO_GO = """
    CREATE TEMP TABLE last_to_go AS
    SELECT board, max(sequence) AS sequence
    FROM (
        SELECT board, sequence, at, row_number() OVER (PARTITION BY board ORDER BY sequence DESC) AS place
        FROM {schema}.changes WHERE namespace = {namespace}
    ) AS changes
    WHERE place > {keep} AND at < {before}
    GROUP BY board
"""
_FORGET = """
    DELETE FROM {schema}.changes AS c USING pg_temp.last_to_go AS last
    WHERE c.namespace = {namespace} AND c.sequence > {start} AND c.sequence <= {start} + {step}
    AND last.board = c.board AND c.sequence <= last.sequence
"""


_COUNT = """
    SELECT count(*) FROM {schema}.changes AS c JOIN pg_temp.last_to_go AS last ON last.board = c.board
    WHERE c.namespace = {namespace} AND c.sequence <= last.sequence
"""
_MONTHS = """
    SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = (
        SELECT p.oid FROM pg_class AS p JOIN pg_namespace AS n ON n.oid = p.relnamespace
        WHERE n.nspname = %(schema)s AND p.relname = 'changes'
    )
    AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
        <= now() AT TIME ZONE 'UTC' - make_interval(secs => %(older_than)s)
    ORDER BY c.relname
"""
# A board that somebody writes to at this moment has a newer change by then: its row is locked, and looked at again.
_SAVE_NEWEST = """
    WITH saved AS (
        UPDATE {schema}.boards SET month = {schema}.month_after(0)
        WHERE month = to_date({month}, 'YYYY_MM') RETURNING namespace, sequence, month
    )
    UPDATE {schema}.changes AS c SET month = saved.month FROM saved
    WHERE c.namespace = saved.namespace AND c.sequence = saved.sequence AND c.month = to_date({month}, 'YYYY_MM')
"""
# An archived plan is known by when that was; if that change is gone with its month, by the month. They are
# looked at in the order of an index, so many at a time: a statement takes no longer where there are millions of others.
_PAGE = """
    WITH RECURSIVE page AS MATERIALIZED (
        SELECT id, key FROM {table} WHERE namespace = {namespace} AND key > {start} ORDER BY key LIMIT {step}
    ), old AS MATERIALIZED (
        SELECT a.id FROM {table} AS a WHERE a.id IN (SELECT id FROM page) AND coalesce(
            (SELECT to_timestamp(c.at) FROM {schema}.changes AS c
             WHERE c.namespace = a.namespace AND c.sequence = a.sequence AND c.month = a.month),
            (a.month + interval '1 month') AT TIME ZONE 'UTC'
        ) < now() - make_interval(secs => {older_than})
"""
_COUNT_ARCHIVED = (
    _PAGE
    + """
    )
    SELECT (SELECT key FROM page ORDER BY key DESC LIMIT 1), (SELECT count(*) FROM old)
    """
)
_DELETE_ARCHIVED = (
    _PAGE
    + """
        FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM {table} WHERE id IN (SELECT id FROM old) RETURNING namespace, key, sequence, month
    ), chain AS (
        SELECT c.namespace, c.sequence, c.month, c.previous, c.previous_month FROM gone JOIN {schema}.changes AS c
        ON c.namespace = gone.namespace AND c.sequence = gone.sequence AND c.month = gone.month
        UNION ALL
        SELECT c.namespace, c.sequence, c.month, c.previous, c.previous_month FROM chain JOIN {schema}.changes AS c
        ON c.namespace = chain.namespace AND c.sequence = chain.previous AND c.month = chain.previous_month
    ), changes AS (
        DELETE FROM {schema}.changes AS c USING chain
        WHERE c.namespace = chain.namespace AND c.sequence = chain.sequence AND c.month = chain.month
    ), tallies AS (
        DELETE FROM {schema}.tallies AS t USING gone WHERE t.namespace = gone.namespace AND t.key = gone.key
    ), journals AS (
        DELETE FROM {schema}.journals AS j USING gone WHERE j.namespace = gone.namespace AND j.key = gone.key
    ), leases AS (
        DELETE FROM {schema}.leases AS l USING gone WHERE l.namespace = gone.namespace AND l.key = gone.key
    )
    SELECT (SELECT key FROM page ORDER BY key DESC LIMIT 1), (SELECT count(*) FROM gone)
    """
)
BOARDS_AT_ONCE = 500
"""How many plans are looked at in one transaction, and deleted if they are old."""


def delete_archived(namespace: Namespace, older_than: float, dry_run: bool) -> int:
    """Delete plans that were archived `older_than` seconds ago, with all that is kept of them; returns how many.

    What is left of plans that were deleted before that time goes, too.
    """
    if dry_run:
        return sum(_archived_pages(namespace, "archived_boards", _COUNT_ARCHIVED, older_than))
    deleted = sum(_archived_pages(namespace, "archived_boards", _DELETE_ARCHIVED, older_than))
    sum(_archived_pages(namespace, "deleted_boards", _DELETE_ARCHIVED, older_than))
    return deleted


def _archived_pages(namespace: Namespace, table: str, text: LiteralString, older_than: float) -> Iterator[int]:
    """Run a statement for each page of a table; yields how many old plans it has found there."""
    start: bytes | None = b""
    while start is not None:
        statement = sql.SQL(text).format(
            schema=sql.Identifier(namespace.schema),
            table=sql.Identifier(namespace.schema, table),
            namespace=sql.Literal(namespace.number),
            start=sql.Literal(start),
            step=sql.Literal(BOARDS_AT_ONCE),
            older_than=sql.Literal(float(older_than)),
        )
        start, count = namespace.pool.run(partial(_first_row, statement))
        yield count


def _first_row(statement: sql.Composed, connection: DatabaseConnection) -> tuple[bytes | None, int]:
    row = connection.execute(statement).fetchone()
    assert row is not None, "it selects counts"
    return row[0], int(row[1])


def drop_months(namespace: Namespace, older_than: float, dry_run: bool) -> list[str]:
    """Drop the tables of months that ended `older_than` seconds ago; returns their names, the oldest first."""
    assert namespace.number, "the tables are there"
    asked = {"schema": namespace.schema, "older_than": float(older_than)}

    def drop(connection: DatabaseConnection) -> list[str]:
        months = [str(name) for (name,) in connection.execute(_MONTHS, asked).fetchall()]
        for name in [] if dry_run else months:
            schema = sql.Identifier(namespace.schema)
            with connection.transaction():
                connection.execute(sql.SQL(_SAVE_NEWEST).format(schema=schema, month=sql.Literal(name[-7:])))
                connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(namespace.schema, name)))
        return months

    return namespace.pool.run(drop)


def prune(namespace: Namespace, older_than: float | None, keep: int | None, dry_run: bool) -> int:
    """Delete changes, or only count them; returns how many.

    On each board one goes together with all before it, and the newest stays. Raises StoreError behind a pooler.
    """
    if namespace.pool.is_pooled:
        raise StoreError(f"{namespace.display}: prune over a connection of its own, without pooling=transaction")
    what = sql.SQL(_LAST_TO_GO).format(
        schema=sql.Identifier(namespace.schema),
        namespace=sql.Literal(namespace.number),
        before=sql.Literal(float("inf") if older_than is None else time.time() - older_than),
        keep=sql.Literal(max(keep or 0, 1)),
    )

    def work(connection: DatabaseConnection) -> int:
        try:
            connection.patience = LONGEST
            connection.execute(sql.SQL("SET statement_timeout = {}").format(sql.Literal(int(LONGEST * 1000))))
            connection.execute(what)
            if dry_run:
                count = connection.execute(_statement(namespace, _COUNT)).fetchone()
                return 0 if count is None else int(count[0])
            newest = connection.execute("SELECT coalesce(max(sequence), 0) FROM pg_temp.last_to_go").fetchone()
            steps = range(0, 0 if newest is None else int(newest[0]), STEP)
            return sum(connection.execute(_statement(namespace, _FORGET, start)).rowcount for start in steps)
        finally:
            connection.close()  # its temporary table and its patience are not for other work

    return namespace.pool.run(work)


def _statement(namespace: Namespace, text: LiteralString, start: int = 0) -> sql.Composed:
    """A statement for the namespace; one that goes step by step, after a start."""
    numbers = {"namespace": sql.Literal(namespace.number), "start": sql.Literal(start), "step": sql.Literal(STEP)}
    return sql.SQL(text).format(schema=sql.Identifier(namespace.schema), **numbers)
