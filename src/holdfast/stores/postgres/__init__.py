"""Plans in PostgreSQL: for agents on many machines. It needs the extra `postgres`."""

from .store import PostgresStore

__all__ = ["PostgresStore"]
