"""What a role of a team might try in PostgreSQL to get at the plans of another team, or at any history.

The tests try each statement once; `make torture` tries them in any order, with any numbers.
"""

import re
from contextlib import closing
from pathlib import Path

import psycopg
from postgres_server import Server

from holdfast import Board
from holdfast.stores.postgres import PostgresStore

DOCS = Path(__file__).parents[1] / "docs" / "scale.md"
ROLES = ("team_a_agent", "team_a_viewer")
TABLES = (
    "namespaces",
    "boards",
    "archived_boards",
    "deleted_boards",
    "changes",
    "tallies",
    "leases",
    "journals",
)
OTHERS = "(SELECT id FROM holdfast.namespaces WHERE name = 'team-b')"
KEEP = (
    "SELECT holdfast.keep_change({namespace}, '\\x00', 'secret', 'main', 0, 1, 1, 1.0, 'person', 'write', 0, '[[]]', "
    "'[[]]', gen_random_uuid(), false)"
)
CHANGES_OF_A_TABLE = (
    "DELETE FROM holdfast.{table}",
    "TRUNCATE holdfast.{table}",
    "DROP TABLE holdfast.{table}",
    "INSERT INTO holdfast.{table} DEFAULT VALUES",
    "ALTER TABLE holdfast.{table} DISABLE ROW LEVEL SECURITY",
    "CREATE POLICY mine ON holdfast.{table} USING (true)",
    "CREATE TRIGGER mine AFTER INSERT ON holdfast.{table} EXECUTE FUNCTION pg_catalog.pg_notify()",
    "BEGIN; LOCK TABLE holdfast.{table} IN ACCESS EXCLUSIVE MODE",
    "SELECT 1 FROM holdfast.{table} FOR UPDATE",
)
"""Statements with the name of a table of ours in them."""

WAYS_INTO_OTHERS = (
    "UPDATE holdfast.changes SET delta = ''",
    "UPDATE holdfast.boards SET plan = ''",
    "UPDATE holdfast.namespaces SET name = 'another'",
    "UPDATE holdfast.namespaces SET settled = 1000000",
    "UPDATE holdfast.members SET may_write = true",
    "INSERT INTO holdfast.members SELECT id, 'team_a_agent'::regrole, true FROM holdfast.namespaces",
    "SELECT * FROM holdfast.members",
    "SELECT nextval('holdfast.changes_of_1')",
    "SELECT setval('holdfast.changes_of_1', 1)",
    "SELECT * FROM holdfast.changes_2026_11",
    "CREATE TABLE holdfast.mine (a int)",
    "CREATE OR REPLACE FUNCTION holdfast.check_writer(integer) RETURNS void LANGUAGE sql AS ''",
    "SELECT holdfast.open_namespace('team-b')",
    "SELECT holdfast.open_namespace('of its own')",
    "SELECT holdfast.admit_agent('team_a_agent', 'team-b')",
    "SELECT holdfast.admit_viewer('team_a_agent', 'team-b')",
    "SELECT holdfast.add_month('2030-01-01')",
    "SELECT holdfast.move_board(1, 1, '', true, 9, 9, '2026-01-01', '')",
    "SELECT holdfast.check_writer(1)",
    KEEP.format(namespace="{number}"),
    "SELECT holdfast.settle({number})",
    "SELECT holdfast.tell_watchers({number})",
    "SELECT holdfast.mark_watched({number}, 60)",
    "SELECT holdfast.add_tally({number}, '', 'rejected', 1)",
    "SELECT holdfast.acquire_lease({number}, '', '1', 'me', 60)",
    "SELECT holdfast.release_lease({number}, '', '1', 'bob')",
    "SELECT holdfast.keep_work({number}, '', 'mine')",
    "SET SESSION AUTHORIZATION postgres",
    "SET ROLE postgres",
)
"""Statements with the number of another team's namespace in them."""


def grant_roles(server: Server) -> None:
    """Make the tables, plans of another team, and the roles that the docs say how to make."""
    with closing(PostgresStore(server.address("made by the owner"))) as store:
        store.sessions()
    with closing(PostgresStore(server.address("team-b"))) as store:
        Board(store=store, session="secret").add("what team b plans")
    for block in re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        server.execute(block)


def as_role(server: Server, role: str, statement: str) -> list[tuple[object, ...]]:
    """Run a statement as a role."""
    address = server.address().partition("?")[0].replace("postgres@", f"{role}@")
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []
