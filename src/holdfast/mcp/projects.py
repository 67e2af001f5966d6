"""The stores of a server: one for all, or one for each project that a client works in."""

import os
from collections.abc import Mapping
from threading import Lock

from ..errors import StoreError
from ..stores import Store, open_store
from ..stores.locate import locate


class Projects:
    """Opens the store of a project's folder when it is first needed. With a `place`, that is the store of all."""

    def __init__(self, environ: Mapping[str, str], place: str | None = None) -> None:
        self.place = place
        self._environ = environ
        self._stores: dict[str, Store] = {}
        self._lock = Lock()

    def store(self, folder: str) -> Store:
        """The store for a folder. Raises UsageError for an address that belongs to no store."""
        place = locate(self._environ, folder) if self.place is None else self.place
        with self._lock:
            if place not in self._stores:
                self._stores[place] = open_store(place)
            return self._stores[place]

    def close(self) -> None:
        """Close every store."""
        with self._lock:
            for store in self._stores.values():
                store.close()


def working_directory() -> str:
    """Where the server was started. Raises StoreError if that is gone."""
    try:
        return os.getcwd()
    except OSError as error:
        raise StoreError(f"the working directory cannot be read ({error.strerror}): start in another one") from error
