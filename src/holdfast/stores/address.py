"""The address of a database: which part is for the driver, which is ours, and how to display it.

    postgresql://agent:secret@db.example/plans?sslmode=require&namespace=team-a&schema=holdfast

`namespace`, `schema` and `pooling` are ours. Everything else goes to the driver unchanged.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from ..errors import UsageError

SCHEMES = ("postgresql", "postgres")
SCHEMA = "holdfast"
NAMESPACE = "default"
POOLING = ("session", "transaction")
"""What a connection pooler in front of the server keeps for a client. Without one it is the session."""

LONGEST_SCHEMA = 63
LONGEST_NAMESPACE = 200
SECRETS = ("password", "sslpassword", "oauth_client_secret")
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
"""What no name in a database may contain: NUL, and lone surrogates, which stand for bytes that are not text."""


class Address(NamedTuple):
    """A PostgreSQL database, and the part of it that is used. `display` has no password.

    With `is_pooled`, two transactions of one connection may come to different sessions of the server.
    """

    conninfo: str
    schema: str
    namespace: str
    display: str
    is_pooled: bool = False


def without_password(address: str) -> str:
    """An address for display, without its passwords. A path stays as it is.

    In a malformed address, everything between the user and the last `@` counts as a password.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    before, at, after = rest.rpartition("@")
    host, asks, query = after.partition("?")
    left = [option for option in query.split("&") if unquote(option.partition("=")[0]).strip() not in SECRETS]
    user = re.split("[:/?@]", before)[0]
    return f"{scheme}://{user}{at if user else ''}{host}{asks if left else ''}{'&'.join(left)}"


def parse(text: str) -> Address:
    """Read an address. Raises UsageError if it is not a valid address of PostgreSQL."""
    scheme, user, rest, query = _parts(text)
    if "@" in rest:
        raise UsageError(
            f"{without_password(text)} cannot be read: write / @ : and ? in a user or a password as %2F %40 %3A %3F"
        )
    if scheme not in SCHEMES:
        raise UsageError(f"no store for {scheme}:// addresses: name the path of an SQLite file, or postgresql://…")
    ours = {"schema": SCHEMA, "namespace": NAMESPACE, "pooling": POOLING[0]}
    theirs = []
    for option in query:
        name, _, value = option.partition("=")
        if name in ours:
            ours[name] = unquote(value)
        else:
            theirs.append(option)
    options = f"?{'&'.join(theirs)}" if theirs else ""
    conninfo = f"{scheme}://{user}{'@' if user else ''}{rest}{options}"
    schema, namespace = check_schema(ours["schema"]), check_namespace(ours["namespace"])
    return Address(conninfo, schema, namespace, without_password(text), _is_pooled(ours["pooling"]))


def check_schema(name: str) -> str:
    """The name of a schema. Raises UsageError for one that PostgreSQL reserves or does not allow."""
    is_short = 0 < len(name.encode(errors="replace")) <= LONGEST_SCHEMA
    if not is_short or _FORBIDDEN.search(name) or name.startswith("pg_"):
        raise UsageError(
            f"schema={name[: LONGEST_SCHEMA + 1]!r}: expected a name of 1 to {LONGEST_SCHEMA} bytes of UTF-8 that does "
            "not start with pg_"
        )
    return name


def check_namespace(name: str) -> str:
    """The name of a namespace. Raises UsageError for an empty, very long or invalid one."""
    if not 0 < len(name) <= LONGEST_NAMESPACE or _FORBIDDEN.search(name):
        raise UsageError(
            f"namespace={name[:20]!r}, {len(name)} characters: expected 1 to {LONGEST_NAMESPACE} that UTF-8 can write, "
            "none of them NUL"
        )
    return name


def _is_pooled(pooling: str) -> bool:
    if pooling not in POOLING:
        raise UsageError(f"pooling={pooling[:20]!r}: expected {' or '.join(POOLING)}")
    return pooling == "transaction"


def _parts(text: str) -> tuple[str, str, str, list[str]]:
    """Scheme, user with password, host with database, options: split where the driver itself splits."""
    scheme, _, rest = text.partition("://")
    user, at, host = rest.partition("@")
    if not at or "/" in user:
        user, host = "", rest
    place, _, query = host.partition("?")
    return scheme, user, place, query.split("&") if query else []
