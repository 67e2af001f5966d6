"""A database with a million changes against an empty one, and the query plans of the hot statements."""

import random
import statistics
import time
from collections.abc import Mapping
from contextlib import closing
from itertools import cycle

import psycopg

from dev.bench.durable import (
    BUDGET,
    CHANGES,
    SESSIONS,
    USED_SESSIONS,
    active_at_once,
    last_change,
    plans_and_deltas,
)
from dev.bench.measurement import Measurement
from dev.bench.payloads import STATES
from dev.bench.postgres import synced_server
from holdfast import Board
from holdfast.stores import Key
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.names import digest
from holdfast.stores.postgres.statements import PAGE, Statements

ROUNDS = 400
NAMESPACE = "grown"
OTHERS = 1_000
"""How many other namespaces there are."""

ARCHIVED = 2_000
MONTHS = 10
"""Over how many months the changes are spread."""

NO_TOKEN = "00000000-0000-0000-0000-000000000000"
SCAN = "Seq Scan"
_CHANGES = f"""
    INSERT INTO grown.changes
    SELECT 1, sequence, (%(months)s::date[])[1 + (sequence - 1) * {MONTHS} / %(last)s],
        (sequence - 1) / (%(active)s * %(rounds)s) * %(active)s + (sequence - 1) %% %(active)s + 1,
        previous, (%(months)s::date[])[1 + greatest(previous - 1, 0) * {MONTHS} / %(last)s], turn + 1, 1, 1.5,
        'model', 'write', 0, '{NO_TOKEN}', (%(deltas)s::text[])[1 + turn]
    FROM generate_series(1::bigint, %(last)s) AS sequence
    CROSS JOIN LATERAL (SELECT (sequence - 1) %% (%(active)s * %(rounds)s) / %(active)s AS turn) AS its
    CROSS JOIN LATERAL (SELECT CASE turn WHEN 0 THEN 0 ELSE sequence - %(active)s END AS previous) AS before
"""


def growth_measurements() -> list[Measurement]:
    """Load and write in a grown database and in an empty one, in turn; the server's query plans are printed."""
    with synced_server() as server:
        stores = [PostgresStore(server.address(name, schema=name)) for name in (NAMESPACE, "empty")]
        with closing(stores[0]), closing(stores[1]):
            stores[0].sessions()
            with server.connect() as connection:
                grow(connection, SESSIONS, CHANGES)
                times = _median_times(stores)
                plans = hot_plans(connection)
            size = stores[0].figures().size
    for name, plan in plans.items():
        print(f"  {name}\n    " + plan.replace("\n", "\n    "))
    scans = sum(SCAN in plan for plan in plans.values())
    grown, empty = times
    return [
        Measurement("load and write, PostgreSQL, an empty database", empty, "µs"),
        Measurement(
            f"load and write, PostgreSQL, {SESSIONS:,} sessions, {CHANGES:,} changes",
            grown,
            "µs",
            grown / empty,
            BUDGET,
        ),
        Measurement(f"tables and indexes of {SESSIONS:,} sessions, {CHANGES:,} changes", size / 1e6, "MB"),
        Measurement("hot statements of PostgreSQL that scan a table", scans, "statements", most=0),
    ]


def grow(connection: psycopg.Connection[tuple[object, ...]], sessions: int, changes: int) -> None:
    """Fill the namespace: every session has had its share of changes, as sessions come and go."""
    rounds, active = changes // sessions, active_at_once(sessions)
    plans, deltas = plans_and_deltas(rounds)
    with connection.cursor() as cursor:
        cursor.execute(b"INSERT INTO grown.namespaces (name) SELECT generate_series(1, %d)::text" % OTHERS)
        months = _add_months(cursor)
        with cursor.copy(
            "COPY grown.boards (namespace, key, session, agent, revision, sequence, month, plan) FROM STDIN"
        ) as copy:
            for board in range(1, sessions + 1):
                key, last = Key(f"session {board - 1}", "main"), last_change(board, rounds, active)
                month = months[(last - 1) * MONTHS // (sessions * rounds)]
                copy.write_row((1, digest(*key), *key, rounds, last, month, plans[-1]))
        sizes = {"rounds": rounds, "active": active, "last": sessions * rounds}
        cursor.execute(_CHANGES.encode(), {"deltas": deltas, "months": months, **sizes})
        cursor.execute("INSERT INTO grown.members SELECT id, 'postgres'::regrole, true FROM grown.namespaces")
        for place, table in enumerate((b"archived_boards", b"deleted_boards")):
            cursor.execute(
                b"INSERT INTO grown.%s SELECT -2 * id - %d, namespace, sha256(key || '\\x%02d'), 'away ' || id, agent, "
                b"revision, sequence, month, plan FROM grown.boards LIMIT %d" % (table, place, place, ARCHIVED)
            )
        cursor.execute("SELECT setval('grown.changes_of_1', %s)", (rounds * sessions,))
        cursor.execute("UPDATE grown.namespaces SET settled = %s WHERE id = 1", (rounds * sessions,))
        cursor.execute("ANALYZE")


def _add_months(cursor: psycopg.Cursor[tuple[object, ...]]) -> list[object]:
    """Make tables for the months before this one; returns all of them, the oldest first."""
    months = [f"grown.month_after({-back})" for back in range(MONTHS - 1, -1, -1)]
    for month in months:
        cursor.execute(f"SELECT grown.add_month({month})".encode())
    return list(cursor.execute(f"SELECT {', '.join(months)}".encode()).fetchone() or ())


def hot_plans(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    """The query plans of a load, a history, a list, a watch and a commit."""
    sql = Statements(NAMESPACE)
    newest = connection.execute("SELECT max(sequence) FROM grown.changes").fetchone()
    month = connection.execute("SELECT grown.month_after(0)").fetchone()
    board = {"namespace": 1, "key": digest("session 7", "main"), "month": month[0] if month else None}
    latest = {**board, "sequence": newest[0] if newest else 0}
    asked = {
        "load": (sql.load, {**board, "known": 0}),
        "history": (sql.backward, {**latest, "page": PAGE}),
        "watch": (sql.forward, latest),
        "a watcher's start": (sql.unsettled, {**board, "after": None}),
        "the newest boards": (sql.newest_boards, {**board, "looked": PAGE, "limit": 1, "archived": True}),
    }
    plans = {name: _explain(connection, *question) for name, question in asked.items()}
    ahead = connection.execute("SELECT to_char(grown.month_after(1), 'YYYY_MM')").fetchone()
    empty = f"{SCAN} on changes_{ahead[0] if ahead else ''}"  # to scan what is empty is the fastest way
    return {name: plan.replace(empty, "nothing") for name, plan in {**plans, **_commit_plans(connection)}.items()}


def _explain(connection: psycopg.Connection[tuple[object, ...]], statement: bytes, values: Mapping[str, object]) -> str:
    rows = connection.execute(b"EXPLAIN (COSTS OFF) " + statement, values).fetchall()
    return "\n".join(str(line) for (line,) in rows)


def _commit_plans(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    """The query plans of the statements in `keep_change`, as the server logs them."""
    messages: list[str] = []
    connection.add_notice_handler(lambda notice: messages.append(notice.message_primary or ""))
    for setting in (
        "LOAD 'auto_explain'",
        "SET auto_explain.log_min_duration = 0",
        "SET auto_explain.log_nested_statements = on",
        "SET client_min_messages = log",
    ):
        connection.execute(setting.encode())
    with connection.transaction(force_rollback=True):
        connection.execute(
            """
            SELECT grown.keep_change(1, %s, 'session 7', 'main', b.revision, b.revision + 1, 1, 1.0, 'model', 'write',
                0, b.plan, '[[]]', gen_random_uuid(), false) FROM grown.boards AS b WHERE b.namespace = 1 AND b.key = %s
            """,
            (digest("session 7", "main"),) * 2,
        )
    connection.execute("RESET client_min_messages")
    inner = [
        text.split("Query Text:", 1)[1] for text in messages if "keep_change" not in text and "Query Text:" in text
    ]
    return {f"commit, part {number}": _query_plan(text) for number, text in enumerate(inner, 1)}


def _query_plan(text: str) -> str:
    """The query plan after the statement: from the first line with a cost."""
    lines = text.split("\n")
    first = next(at for at, line in enumerate(lines) if "(cost=" in line)
    return "\n".join(line.split("  (cost=")[0] for line in lines[first:])


def _median_times(stores: list[PostgresStore]) -> list[float]:
    chosen = random.Random(1).sample(range(SESSIONS), USED_SESSIONS)
    boards = [[Board(store=store, session=f"session {number}") for number in chosen] for store in stores]
    for board in [*boards[0], *boards[1]]:
        board.write({"todos": STATES[-1]})
    turns = [cycle(each) for each in boards]
    times: list[list[float]] = [[] for _ in stores]
    for _, todos in zip(range(ROUNDS), cycle(STATES), strict=False):
        for place, turn in enumerate(turns):
            started = time.perf_counter()
            next(turn).write({"todos": todos})
            times[place].append((time.perf_counter() - started) * 1e6)
    return [statistics.median(each) for each in times]
