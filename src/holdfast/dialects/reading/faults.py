"""Faults of a payload's shape: what is missing, of a wrong type, or unknown; and how they are put into words."""

from collections.abc import Mapping, Sequence

from ...plan.fault import Fault
from ...text import describe

MOST_DESCRIBED = 8
"""How many faults are described in one line."""

_STAGES: Mapping[object, int] = {"too_many": 2, "focus": 4}
_FIELDS = {"summary": -2, "": -1, "content": 0, "status": 1, "activeForm": 2, "evidence": 3, "id": 4, "check": 5}


def missing(path: str, index: int | None, field: str, message: str = "required", limit: object = None) -> Fault:
    """A required value is missing."""
    return Fault(path, message, "missing", index, field, limit, "nothing")


def wrong_type(path: str, index: int | None, field: str, expected: str, value: object) -> Fault:
    """A value is not of the type that belongs there."""
    received = describe(value)
    return Fault(path, f"expected {expected}, received {received}", "type", index, field, expected, received)


def unknown_key(path: str, index: int, key: object, keys: list[str]) -> Fault:
    """An item has an unknown key."""
    name = describe(key)
    return Fault(path, f"unknown key {name}; an item has {', '.join(keys)}", "unknown_key", index, name, keys, name)


def rank(fault: Fault, field: str) -> tuple[int, int, int]:
    """The rank of a fault among others: the list, its length, its items one by one. `field` is our name for it."""
    stage = _STAGES.get(fault.code, 3 if fault.item is not None else 1)
    return (stage, -1 if fault.item is None else fault.item, _FIELDS.get(field, len(_FIELDS)))


def describe_fault(fault: Fault) -> str:
    """A fault in words, after its place if it has one."""
    return f"{fault.path}: {fault.message}" if fault.path else fault.message


def describe_faults(faults: Sequence[Fault]) -> str:
    """Faults with their places, on one line. If there are very many, only the first ones."""
    more = [f"and {len(faults) - MOST_DESCRIBED} more"] if len(faults) > MOST_DESCRIBED else []
    return "; ".join([*map(describe_fault, faults[:MOST_DESCRIBED]), *more])
