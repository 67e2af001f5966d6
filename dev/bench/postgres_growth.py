"""A database with a million changes against an empty one, and how the server goes about the hot statements."""

import random
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import cycle

import psycopg

from dev.bench.durable import BUDGET, CHANGES, SESSIONS, USED_SESSIONS
from dev.bench.postgres import LEFT_OUT, is_installed, synced_server
from dev.bench.timing import Row
from dev.bench.writes import STATES
from holdfast import Board
from holdfast.stores import Key, codec
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.names import digest
from holdfast.stores.postgres.statements import Statements

ROUNDS = 400
NAMESPACE = "grown"
OTHERS = 1_000
"""How many other namespaces there are."""

NO_TOKEN = "00000000-0000-0000-0000-000000000000"
SCAN = "Seq Scan"


def growing() -> list[Row]:
    """Load and write in a grown database and in an empty one, by turns; the plans of the server are printed."""
    if not is_installed():
        return [LEFT_OUT]
    with synced_server() as server:
        stores = [PostgresStore(server.address(name, schema=name)) for name in (NAMESPACE, "empty")]
        with closing(stores[0]), closing(stores[1]):
            stores[0].sessions()
            with server.connect() as connection:
                grow(connection, SESSIONS, CHANGES)
                times = _by_turns(stores)
                plans = hot_plans(connection)
            size = stores[0].figures().size
    for name, plan in plans.items():
        print(f"  {name}\n    " + plan.replace("\n", "\n    "))
    scans = sum(SCAN in plan for plan in plans.values())
    grown, empty = times
    return [
        Row("load and write, an empty database", empty, "µs"),
        Row(
            f"load and write, {SESSIONS:,} sessions, {CHANGES:,} changes",
            grown,
            "µs",
            grown / empty,
            BUDGET,
        ),
        Row("  its tables and indexes", size / 1e6, "MB"),
        Row("  hot statements that scan a table", scans, "statements", most=0),
    ]


def grow(connection: psycopg.Connection[tuple[object, ...]], sessions: int, changes: int) -> None:
    """Fill the namespace: every session has had its share of changes, by turns with all the others."""
    rounds = changes // sessions
    plan, deltas = _life(rounds)
    with connection.cursor() as cursor:
        cursor.execute(b"INSERT INTO grown.namespaces (name) SELECT generate_series(1, %d)::text" % OTHERS)
        with cursor.copy(
            "COPY grown.boards (namespace, key, session, agent, revision, sequence, plan) FROM STDIN"
        ) as copy:
            for board in range(1, sessions + 1):
                key = Key(f"session {board - 1}", "main")
                copy.write_row((1, digest(*key), *key, rounds, sessions * (rounds - 1) + board, plan))
        with cursor.copy("COPY grown.changes FROM STDIN") as copy:
            for row in _rows(sessions, deltas):
                copy.write_row(row)
        cursor.execute("ANALYZE")


def hot_plans(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    """How the server runs what a load, a history, a watch and a commit ask for."""
    sql = Statements(NAMESPACE)
    newest = connection.execute("SELECT max(sequence) FROM grown.changes").fetchone()
    board = {"namespace": 1, "key": digest("session 7", "main")}
    latest = {**board, "sequence": newest[0] if newest else 0}
    asked = {
        "load": (sql.load, {**board, "known": 0}),
        "history": (sql.backward, latest),
        "watch": (sql.forward, latest),
    }
    plans = {name: _explained(connection, *question) for name, question in asked.items()}
    return {**plans, **_inside_a_commit(connection)}


def _explained(
    connection: psycopg.Connection[tuple[object, ...]], statement: bytes, values: Mapping[str, object]
) -> str:
    rows = connection.execute(b"EXPLAIN (COSTS OFF) " + statement, values).fetchall()
    return "\n".join(str(line) for (line,) in rows)


def _inside_a_commit(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, str]:
    """The plans of the statements in `keep_change`, told by the server as it runs them."""
    told: list[str] = []
    connection.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
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
                0, b.plan, '[[]]', gen_random_uuid()) FROM grown.boards AS b WHERE b.namespace = 1 AND b.key = %s
            """,
            (digest("session 7", "main"),) * 2,
        )
    connection.execute("RESET client_min_messages")
    inner = [text.split("Query Text:", 1)[1] for text in told if "keep_change" not in text and "Query Text:" in text]
    return {f"commit, part {number}": _plan_of(text) for number, text in enumerate(inner, 1)}


def _plan_of(text: str) -> str:
    """What follows the statement, from the first line that has a cost."""
    lines = text.split("\n")
    first = next(at for at, line in enumerate(lines) if "(cost=" in line)
    return "\n".join(line.split("  (cost=")[0] for line in lines[first:])


def _by_turns(stores: list[PostgresStore]) -> list[float]:
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


def _life(rounds: int) -> tuple[str, list[str]]:
    """The last plan and all deltas of a board that was written so many times."""
    board = Board()
    for _, todos in zip(range(rounds), cycle(STATES), strict=False):
        board.write({"todos": todos})
    changes = [record.change for record in board.history()][::-1]
    return codec.plan_to_json(changes[-1].after), [codec.delta_to_json(*change[:2]) for change in changes]


def _rows(sessions: int, deltas: list[str]) -> Iterator[tuple[object, ...]]:
    for index, delta in enumerate(deltas):
        for board in range(1, sessions + 1):
            sequence = index * sessions + board
            previous = sequence - sessions if index else 0
            yield 1, sequence, board, previous, index + 1, 1, 1.5, "model", "write", 0, NO_TOKEN, delta
