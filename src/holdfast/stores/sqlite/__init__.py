"""Plans in an SQLite file: one for a project, shared by threads and processes, with no server and no set-up."""

from .file import set_aside
from .store import SQLiteStore

__all__ = ["SQLiteStore", "set_aside"]
