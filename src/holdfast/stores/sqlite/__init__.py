"""Plans in an SQLite file: one for each project, shared by threads and processes, with no server and no set-up."""

from .file import quarantine
from .store import SQLiteStore

__all__ = ["SQLiteStore", "quarantine"]
