"""Journals: what was done for the current todo of each board, until the next plan write takes it into the plan.

They are kept beside the plans, so using a tool is not a change of the plan.
"""

from typing import Protocol, runtime_checkable

from ..plan.work import NO_WORK, Work
from . import codec
from .store import Key, Store


@runtime_checkable
class Journals(Protocol):
    """Keeps one text for each board. It survives a kill of the process; a power loss may lose the last one."""

    def keep_work(self, key: Key, work: str) -> None:
        """Keep a board's text in place of the old one."""
        ...

    def kept_work(self, key: Key) -> str:
        """A board's text; empty if there is none."""
        ...


def save_work(store: Store, key: Key, work: Work) -> None:
    """Keep the work for a board's current todo. A store without journals keeps nothing. Raises StoreError."""
    if isinstance(store, Journals):
        store.keep_work(key, codec.value_to_json(work) if work.uses else "")


def read_work(text: str) -> Work:
    """The work that a text describes; empty if the text cannot be read, because it is not part of the plan."""
    try:
        return codec.value_from_json(Work, text)
    except ValueError:
        return NO_WORK
