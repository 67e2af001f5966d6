"""Leases in the database, by its clock: those of the hosts may differ from it and from each other."""

from ..store import Key
from .names import digest, from_text, to_text
from .place import Place


def hold(place: Place, key: Key, what: str, holder: str, seconds: float) -> bool:
    """Take a lease, or renew one's own; whether one has it now."""
    values = {"key": digest(*key), "what": to_text(what), "holder": to_text(holder), "seconds": float(seconds)}
    return place.changed(place.sql.hold, values) == 1


def let_go(place: Place, key: Key, what: str, holder: str) -> None:
    """Give one's lease back."""
    place.changed(place.sql.let_go, {"key": digest(*key), "what": to_text(what), "holder": to_text(holder)})


def held(place: Place, key: Key) -> dict[str, str]:
    """What is held on a board now, and by whom."""
    rows = place.all(place.sql.held, {"key": digest(*key)})
    return {from_text(what): from_text(holder) for what, holder in rows}
