"""One connection to the database: opened with our settings, and never waited for without end."""

from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow

from ...errors import UsageError
from ..address import Address

_T = TypeVar("_T")

DEFAULTS = {
    "application_name": "holdfast",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""What the driver is told unless the address says otherwise: a machine that has gone away is noticed within seconds."""

GRACE = 2.0
"""How many seconds after the server should have given up a statement we stop waiting for it."""

# The search path is not trusted, whatever the role or the database sets; every name in our SQL has its schema. A commit
# is acknowledged when it is on the disk, even where the server's own default is less.
_SETTINGS = """
    SELECT set_config('search_path', 'pg_catalog, pg_temp', false),
           set_config('statement_timeout', %(timeout)s, false),
           set_config('lock_timeout', %(timeout)s, false),
           set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)
"""


class Connection(psycopg.Connection[TupleRow]):
    """A connection that gives up on a server that does not answer, even if the server does not know it."""

    patience = 10.0

    def wait(self, gen: PQGen[_T], interval: float = 0.1, timeout: float | None = None) -> _T:
        """Wait for an answer of the server. Raises OperationalError if none comes."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        bound = self.patience + GRACE
        try:
            return super().wait(gen, interval, bound)
        except errors._WaitTimeout:  # the driver's name for it, told in the docstring of `wait`
            self.pgconn.finish()
            raise psycopg.OperationalError(f"no answer within {bound:g} seconds") from None


def options(address: Address) -> dict[str, Any]:
    """What to call the driver with. Raises UsageError, without the password in it, if the address cannot be read."""
    try:
        given = conninfo_to_dict(address.conninfo)
    except (psycopg.Error, UnicodeEncodeError):
        raise UsageError(
            f"{address.shown} is no address that PostgreSQL can read: write "
            "postgresql://user:password@host:5432/database?namespace=name, special characters as %XX"
        ) from None  # the driver's own words would quote the address, password and all
    return {**DEFAULTS, **given, "client_encoding": "UTF8"}


def connect(options: dict[str, Any], patience: float) -> Connection:
    """A new connection, with our settings. Raises psycopg.Error."""
    connection = Connection.connect(**options, autocommit=True)
    connection.patience = patience
    try:
        connection.execute(_SETTINGS, {"timeout": f"{int(patience * 1000)}ms"})
    except BaseException:
        connection.close()
        raise
    return connection
