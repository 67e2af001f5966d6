"""Leases in the database, by its clock: the clocks of the hosts may differ."""

from ..store import Key
from .names import digest, from_text, to_text
from .namespace import Namespace


def acquire_lease(namespace: Namespace, key: Key, what: str, holder: str, seconds: float) -> bool:
    """Take a free or expired lease, or renew your own. Returns whether `holder` has it now."""
    values = {"key": digest(*key), "what": to_text(what), "holder": to_text(holder), "seconds": float(seconds)}
    return namespace.changed(namespace.sql.acquire_lease, values) == 1


def release_lease(namespace: Namespace, key: Key, what: str, holder: str) -> None:
    """Give your lease back."""
    values = {"key": digest(*key), "what": to_text(what), "holder": to_text(holder)}
    namespace.changed(namespace.sql.release_lease, values)


def lease_holders(namespace: Namespace, key: Key) -> dict[str, str]:
    """The leases on a board that have not expired: what, and who holds it."""
    rows = namespace.all(namespace.sql.lease_holders, {"key": digest(*key)})
    return {from_text(what): from_text(holder) for what, holder in rows}
