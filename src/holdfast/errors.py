"""What Holdfast raises.

    HoldfastError
    ├── UsageError          the caller made a mistake: an unknown dialect, a limit of zero
    ├── ModelError          a model gave no answer: no key, an unknown model, no server
    │   └── TooLong         the conversation is longer than the model can read
    └── StoreError          the store could not do its work; except for InDoubt, the plan is unchanged
        ├── UntrustedFile   the file may be somebody else's work: nothing of it was read
        ├── StaleRevision   somebody else wrote first: read the plan again
        ├── StoreReplaced   the followed store was replaced by another one: read everything again
        ├── DamagedRecord   the record of one board cannot be read; the other boards can
        └── InDoubt         the answer to a write was lost, so it may be stored or not: read the plan again

A bad payload is not an exception: `Board.write` answers it with faults.
"""


class HoldfastError(Exception):
    """The base of every error that Holdfast raises."""


class UsageError(HoldfastError, ValueError):
    """The caller made a mistake, such as an unknown name or a value out of range. The message says what to do."""


class ModelError(HoldfastError):
    """A model gave no answer."""


class TooLong(ModelError):
    """The model refused the request because the conversation is longer than it can read."""


class StoreError(HoldfastError):
    """A store could not do its work. The plan is unchanged, unless the error is InDoubt."""


class UntrustedFile(StoreError):
    """The file may come from somebody else, and plans steer agents: nothing of it was read. It says what to do."""


class StaleRevision(StoreError):
    """Somebody else changed the plan since it was read. Read it again, and repeat the change on the new plan."""


class StoreReplaced(StoreError):
    """The store that was followed has been replaced by another one. Forget what was read before, and start again."""


class DamagedRecord(StoreError):
    """The record of one board cannot be read. It was left as it is, and the other boards can be used.

    `key` is the board's session and agent. `sequence` is the change that was to be read, or 0: a watcher continues
    after it.
    """

    def __init__(self, message: str, key: tuple[str, str], sequence: int) -> None:
        super().__init__(message)
        self.key = key
        self.sequence = sequence


class InDoubt(StoreError):
    """The connection was lost before the answer to a commit came: it may be stored or not. Read the plan again."""
