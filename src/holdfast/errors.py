"""What Holdfast raises.

    HoldfastError
    ├── UsageError          a host asked for something that cannot be: an unknown dialect, a limit of zero
    ├── ModelError          a model gave no answer: no key, no such name, no server
    │   └── TooLong         a conversation is longer than the model can read
    └── StoreError          the store could not do its work; the plan is as it was, but for the last one
        ├── StaleRevision   somebody else wrote first; read again
        ├── StoreReplaced   another store is in the place of the one that was followed; read anew
        ├── DamagedRecord   what is kept of one board cannot be read; that of the others can
        └── InDoubt         the answer was lost on its way: the write may be there; read again

A bad payload is not here: `Board.write` never raises on one, it answers with faults.
"""


class HoldfastError(Exception):
    """The base of every error that Holdfast raises."""


class UsageError(HoldfastError, ValueError):
    """A host asked for something that cannot be."""


class ModelError(HoldfastError):
    """A model gave no answer."""


class TooLong(ModelError):
    """A model gave no answer, because what it was sent is longer than it can read."""


class StoreError(HoldfastError):
    """A store could not do its work. The plan is as it was, unless it is in doubt."""


class StaleRevision(StoreError):
    """A commit came too late: the plan has moved on since it was read."""


class StoreReplaced(StoreError):
    """Another store is in the place of the one that was followed: what was heard before counts no more."""


class DamagedRecord(StoreError):
    """What is kept of one board cannot be read. It was left as it is, and the other boards can be used.

    `key` says whose it is, by session and agent; `sequence` which change was looked for, if any: a watcher goes on
    after it.
    """

    def __init__(self, message: str, key: tuple[str, str], sequence: int) -> None:
        super().__init__(message)
        self.key = key
        self.sequence = sequence


class InDoubt(StoreError):
    """The answer to a commit was lost on its way: nobody knows yet whether it was kept."""
