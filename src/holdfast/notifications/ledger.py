"""What was sent already, in the state folder: no event is sent twice, even by several processes."""

import os
import time
from contextlib import suppress
from hashlib import blake2b

KEPT = 90 * 86_400.0
"""How many seconds an entry is kept."""


class Ledger:
    """Records what was sent, by entries that name it. Several processes may share one: one of them sends an event."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._forget_old()

    def take(self, entry: str) -> bool:
        """Whether an event is still to be sent: then it is taken, and no other process gets it. Raises OSError."""
        try:
            os.close(os.open(self._path(entry), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        return True

    def give_back(self, entry: str) -> None:
        """It could not be sent: the next process may try."""
        with suppress(OSError):
            os.unlink(self._path(entry))

    def _path(self, entry: str) -> str:
        name = blake2b(entry.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return os.path.join(self._folder, name)

    def _forget_old(self) -> None:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if time.time() - entry.stat().st_mtime > KEPT:
                        os.unlink(entry.path)
