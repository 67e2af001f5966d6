"""One connection to the database: opened with our settings, and with a limit on every wait."""

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
"""Settings of the driver unless the address says otherwise: a lost machine is noticed within seconds."""

GRACE = 2.0
"""How many seconds after the server's own time limit we stop waiting for it."""

# The search path is not trusted, whatever the role or the database sets; every name in our SQL has its schema. A commit
# is acknowledged when it is on the disk, even where the server's own default is less. To compile a statement takes
# longer than any of ours runs, and the more changes there are, the more likely the server does it.
_SETTINGS = """
    SELECT set_config('search_path', 'pg_catalog, pg_temp', false),
           set_config('statement_timeout', %(timeout)s, false),
           set_config('lock_timeout', %(timeout)s, false),
           set_config('jit', 'off', false),
           set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)
"""


class DatabaseConnection(psycopg.Connection[TupleRow]):
    """A connection that stops waiting for a server that does not answer."""

    patience = 10.0

    def wait(self, gen: PQGen[_T], interval: float = 0.1, timeout: float | None = None) -> _T:
        """Wait for an answer of the server. Raises OperationalError if none comes."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        bound = self.patience + GRACE
        try:
            return super().wait(gen, interval, bound)
        except errors._WaitTimeout:  # the driver's name for it, documented in the docstring of `wait`
            self.pgconn.finish()
            raise psycopg.OperationalError(f"no answer within {bound:g} seconds") from None


def options(address: Address) -> dict[str, Any]:
    """The arguments for the driver. Raises UsageError, without the password, if the address cannot be read."""
    try:
        given = conninfo_to_dict(address.conninfo)
    except (psycopg.Error, UnicodeEncodeError):
        raise UsageError(
            f"{address.display} is not an address that PostgreSQL can read: write "
            "postgresql://user:password@host:5432/database?namespace=name, special characters as %XX"
        ) from None  # the driver's own message would quote the address with the password
    # A prepared statement belongs to a session of the server, and so do its settings: a pooler may give us another.
    pooled = {"prepare_threshold": None} if address.is_pooled else {}
    return {**DEFAULTS, **given, "client_encoding": "UTF8", **pooled}


def connect(options: dict[str, Any], patience: float, is_pooled: bool = False) -> DatabaseConnection:
    """A new connection, with our settings; behind a pooler, with those of the role. Raises psycopg.Error."""
    connection = DatabaseConnection.connect(**options, autocommit=True)
    connection.patience = patience
    if is_pooled:
        return connection
    try:
        connection.execute(_SETTINGS, {"timeout": f"{int(patience * 1000)}ms"})
    except BaseException:
        connection.close()
        raise
    return connection
