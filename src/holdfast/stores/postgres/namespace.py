"""One namespace of one schema in a database: it runs a store's statements."""

from collections.abc import Mapping
from typing import Any

from ...errors import UsageError
from ..address import check_namespace, check_schema, parse
from .connection import DatabaseConnection
from .migrations import migrate
from .pool import Pool
from .statements import Statements

Values = Mapping[str, Any]
Answer = tuple[Any, ...]


class Namespace:
    """Runs statements in a namespace. Tables and namespace are created at the first use, if they are missing.

    A statement gets its values by name, and the number of the `namespace` with them.
    """

    def __init__(
        self, address: str, namespace: str | None, schema: str | None, connections: int, patience: float
    ) -> None:
        if connections < 1 or patience <= 0:
            raise UsageError(f"PostgresStore(connections={connections}, patience={patience}): both must be above 0")
        read = parse(address)
        self.display = read.display
        self.name = read.namespace if namespace is None else check_namespace(namespace)
        self.schema = read.schema if schema is None else check_schema(schema)
        self.sql = Statements(self.schema)
        self.pool = Pool(read, connections, patience)
        self._number: int | None = None

    @property
    def number(self) -> int:
        """The number that stands for the namespace in every row of it."""
        if self._number is None:  # several threads may ask at once, and get the same answer
            self._number = self.pool.run(self._prepare)
        return self._number

    def one(self, statement: bytes, values: Values) -> Answer | None:
        """The first row of an answer."""
        given = {**values, "namespace": self.number}
        return self.pool.run(lambda connection: connection.execute(statement, given).fetchone())

    def all(self, statement: bytes, values: Values) -> list[Answer]:
        """Every row of an answer."""
        given = {**values, "namespace": self.number}
        return self.pool.run(lambda connection: connection.execute(statement, given).fetchall())

    def _prepare(self, connection: DatabaseConnection) -> int:
        migrate(connection, self.schema)
        found = connection.execute(self.sql.namespace, {"name": self.name}).fetchone()
        assert found is not None, "a function always has an answer"
        return int(found[0])
