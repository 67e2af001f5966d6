"""Roles of one team in PostgreSQL that try to get at another team's plans, or to rewrite history: they are refused."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dev import NotRun
from dev.database import database_server

from .tally import TortureResult

if TYPE_CHECKING:
    from postgres_server import Server

WHAT = "statements of a team's roles in PostgreSQL"
SECRET = "what team b plans"
BATCH = 50
"""How many statements are run before somebody looks at what is there."""

TRICKS = (
    "SET search_path = pg_temp, holdfast, pg_catalog",
    "SET row_security = off",
    "SET session_replication_role = replica",
    "SET synchronous_commit = off",
    "CREATE TEMP TABLE IF NOT EXISTS members (namespace integer, role regrole, may_write boolean)",
    "CREATE TEMP TABLE IF NOT EXISTS namespaces (id integer, name text)",
    "SET ROLE postgres",
    "RESET ALL",
)
LOOKS = (
    "SELECT * FROM holdfast.{table}",
    "SELECT * FROM holdfast.{table} WHERE {column} = {number}",
    "SELECT t.* FROM holdfast.{table} AS t, holdfast.namespaces AS n WHERE n.name <> 'team-a' OR true",
    "SELECT count(*), max(t::text) FROM holdfast.{table} AS t",
    "COPY (SELECT * FROM holdfast.{table}) TO STDOUT",
    "EXPLAIN ANALYZE SELECT * FROM holdfast.{table} WHERE 1 / (1 - (strpos({table}::text, 'plans') > 0)::int) = 1",
    "SELECT most_common_vals::text FROM pg_stats WHERE schemaname = 'holdfast' AND tablename = '{table}'",
)


def torture_roles(seed: int, times: int) -> TortureResult:
    """So many statements by an agent and a viewer of one team, on a server of our own."""
    try:
        with database_server() as server:
            return _torture(server, seed, times)
    except NotRun as why:
        return TortureResult(WHAT, not_run=str(why))


def _torture(server: "Server", seed: int, times: int) -> TortureResult:
    from postgres_roles import ROLES, grant_roles

    grant_roles(server)
    chance, lost = random.Random(f"roles {seed}"), list[str]()
    functions = server.execute(
        "SELECT p.proname, p.proargtypes::regtype[]::text[] FROM pg_proc AS p "
        "JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'holdfast'"
    )
    before = _seen_by_the_owner(server)
    for start in range(0, times, BATCH):
        role = chance.choice(ROLES)
        statements = [_statement(server, functions, chance) for _ in range(BATCH)]
        where = f"seed {seed}, {role}, statements {start} to {start + BATCH}"
        lost += [f"{where}: {loss}" for loss in _leaks(server, role, statements)]
        after = _seen_by_the_owner(server)
        if not before <= after:
            lost.append(f"{where}: {str(sorted(before - after))[:500]} was changed")
        if more := [row for row in after - before if not row.startswith("own ")]:
            lost.append(f"{where}: {str(more)[:500]} was added")
        before = after
    return TortureResult(WHAT, times, tuple(lost))


def _statement(server: "Server", functions: Sequence[tuple[Any, ...]], chance: random.Random) -> str:
    from postgres_roles import CHANGES_OF_A_TABLE, TABLES, WAYS_INTO_OTHERS

    table = chance.choice((*TABLES, "members", "migrations"))
    places = {"table": table, "column": "id" if table == "namespaces" else "namespace"}
    places["number"] = str(chance.randrange(4))
    kind = chance.choice((0, 1, 2, 2, 2, 3, 4))
    if kind == 0:
        name, types = chance.choice(functions)
        return f"SELECT holdfast.{name}({', '.join(chance.choice(VALUES[type]) for type in types)})"
    statements = (TRICKS, LOOKS, CHANGES_OF_A_TABLE, WAYS_INTO_OTHERS)[kind - 1]
    return chance.choice(statements).format(**places)


VALUES = {
    "integer": ("0", "1", "2", "3", "-1", "1000000"),
    "bigint": ("0", "1", "2", "-1"),
    "boolean": ("true", "false"),
    "double precision": ("0", "60", "1e9", "'NaN'"),
    "uuid": ("gen_random_uuid()",),
    "bytea": ("'\\x00'::bytea", "'\\x01'::bytea", "sha256('secret')"),
    "date": ("'2026-11-01'::date", "'2030-01-01'::date"),
    "regrole": ("'team_a_agent'::regrole", "'team_a_viewer'::regrole"),
    "text": ("''", "'team-b'", "'secret'", "'main'", "'1'", "'[[]]'", "'rejected'", "'x''; DROP SCHEMA holdfast'"),
}
"""Values for the arguments of functions, by their types."""


def _leaks(server: "Server", role: str, statements: Sequence[str]) -> list[str]:
    """The statements that gave a role something of another team."""
    import psycopg

    found = []
    address = server.address().partition("?")[0].replace("postgres@", f"{role}@")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET statement_timeout = '5s'")
        for statement in statements:
            try:
                if statement.startswith("COPY"):
                    with connection.cursor().copy(statement.encode()) as copy:
                        rows = str([bytes(data) for data in copy])
                else:
                    cursor = connection.execute(statement.encode())
                    rows = str(cursor.fetchall()) if cursor.description else ""
            except psycopg.Error as error:
                rows = str(error)
            connection.rollback()  # a statement may have begun a transaction, and have failed in it
            if SECRET in rows or "division by zero" in rows:  # by which a row tells what it holds
                found.append(f"{statement} gave {rows[:300]}")
    return found


def _seen_by_the_owner(server: "Server") -> set[str]:
    """Everything that must stay: all rows of other teams, who is a member, and every change there ever was."""
    from postgres_roles import TABLES

    own = str(server.execute("SELECT id FROM holdfast.namespaces WHERE name = 'team-a'")[0][0])
    rows = {f"member {row}" for row in server.execute("SELECT m::text FROM holdfast.members AS m")}
    for table in TABLES:
        column = "id" if table == "namespaces" else "namespace"
        for number, row in server.execute(f"SELECT t.{column}, t::text FROM holdfast.{table} AS t"):
            if str(number) != own:
                rows.add(f"{table} {row}")
            elif table == "changes":
                rows.add(f"own {row}")
    return rows
