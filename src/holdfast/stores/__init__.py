"""Where plans are kept: one contract, and a store for each place."""

from .store import Kept, Key, Record, Store

__all__ = ["Kept", "Key", "Record", "Store"]
