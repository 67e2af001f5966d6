"""What Holdfast raises.

    HoldfastError
    ├── UsageError          a host asked for something that cannot be: an unknown dialect, a limit of zero
    ├── ModelError          a model gave no answer: no key, no such name, no server
    └── StoreError          the store could not do its work; the plan is as it was, but for the last one
        ├── StaleRevision   somebody else wrote first; read again
        └── InDoubt         the answer was lost on its way: the write may be there; read again

A bad payload is not here: `Board.write` never raises on one, it answers with faults.
"""


class HoldfastError(Exception):
    """The base of every error that Holdfast raises."""


class UsageError(HoldfastError, ValueError):
    """A host asked for something that cannot be."""


class ModelError(HoldfastError):
    """A model gave no answer."""


class StoreError(HoldfastError):
    """A store could not do its work. The plan is as it was, unless it is in doubt."""


class StaleRevision(StoreError):
    """A commit came too late: the plan has moved on since it was read."""


class InDoubt(StoreError):
    """The answer to a commit was lost on its way: nobody knows yet whether it was kept."""
