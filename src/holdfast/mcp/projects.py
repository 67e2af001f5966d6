"""The stores of a server: one for all, or one for each project that a client works in."""

import os
from collections.abc import Mapping
from threading import Lock

from ..errors import StoreError
from ..stores import Store, open_store
from ..stores.locate import locate


class Projects:
    """Opens the store of a project's folder when it is first needed. With an `address`, that is the store of all."""

    def __init__(self, environ: Mapping[str, str], address: str | None = None) -> None:
        self.address = address
        self._environ = environ
        self._stores: dict[str, Store] = {}
        self._lock = Lock()

    def store(self, folder: str) -> Store:
        """The store for a folder. Raises UsageError for an address that belongs to no store."""
        address = locate(self._environ, folder) if self.address is None else self.address
        with self._lock:
            if address not in self._stores:
                self._stores[address] = open_store(address)
            return self._stores[address]

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
