"""Deleting old changes of a namespace, in steps so short that no writer waits long."""

import time

from psycopg import sql

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


def prune(namespace: Namespace, older_than: float | None, keep: int | None) -> int:
    """Delete changes; returns how many. On each board one goes together with all before it, and the newest stays."""
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
            newest = connection.execute("SELECT coalesce(max(sequence), 0) FROM pg_temp.last_to_go").fetchone()
            steps = range(0, 0 if newest is None else int(newest[0]), STEP)
            return sum(connection.execute(_delete_step(namespace, start)).rowcount for start in steps)
        finally:
            connection.close()  # its temporary table and its patience are not for other work

    return namespace.pool.run(work)


def _delete_step(namespace: Namespace, start: int) -> sql.Composed:
    """The statement that deletes changes of one step, after a start."""
    numbers = {"namespace": sql.Literal(namespace.number), "start": sql.Literal(start), "step": sql.Literal(STEP)}
    return sql.SQL(_FORGET).format(schema=sql.Identifier(namespace.schema), **numbers)
