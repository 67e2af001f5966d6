"""Faults of a payload's shape: what is missing, of another type, or has no place there; and how they are told."""

from collections.abc import Mapping, Sequence

from ...plan.fault import Fault
from ...text import describe

MOST_TOLD = 8
"""How many faults are told in one line."""

_STAGES: Mapping[object, int] = {"too_many": 2, "focus": 4}
_FIELDS = {"summary": -2, "": -1, "content": 0, "status": 1, "activeForm": 2, "evidence": 3, "id": 4}


def missing(path: str, index: int | None, field: str, message: str = "required", limit: object = None) -> Fault:
    """What must be there is not."""
    return Fault(path, message, "missing", index, field, limit, "nothing")


def wrong_type(path: str, index: int | None, field: str, expected: str, value: object) -> Fault:
    """A value is not of the type that belongs there."""
    received = describe(value)
    return Fault(path, f"expected {expected}, received {received}", "type", index, field, expected, received)


def unknown_key(path: str, index: int, key: object, keys: list[str]) -> Fault:
    """An item has a key that nobody knows."""
    name = describe(key)
    return Fault(path, f"unknown key {name}; an item has {', '.join(keys)}", "unknown_key", index, name, keys, name)


def rank(fault: Fault, field: str) -> tuple[int, int, int]:
    """Where a fault stands among others: the list, its length, its items one by one. `field` is the common name."""
    stage = _STAGES.get(fault.code, 3 if fault.item is not None else 1)
    return (stage, -1 if fault.item is None else fault.item, _FIELDS.get(field, len(_FIELDS)))


def placed(fault: Fault) -> str:
    """A fault in words, behind its place where it has one."""
    return f"{fault.path}: {fault.message}" if fault.path else fault.message


def joined(faults: Sequence[Fault]) -> str:
    """Faults with their places, on one line; of very many only the first ones."""
    more = [f"and {len(faults) - MOST_TOLD} more"] if len(faults) > MOST_TOLD else []
    return "; ".join([*map(placed, faults[:MOST_TOLD]), *more])
