"""Who may connect: with the right host name, not from another site's page, with the token if there is one."""

import hmac
from collections.abc import Iterable
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from ..errors import UsageError
from ..text import is_whole_number
from .address import bracketed

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SHORTEST_TOKEN = 16
DEFAULT_PORTS = (80, 443)
"""The ports that clients leave out of a Host header: of http, and of a proxy that speaks https."""


class Rejection(NamedTuple):
    """Why a request is not answered: an HTTP status, a code for programs, a message for people."""

    status: int
    code: str
    message: str


WRONG_HOST = Rejection(421, "wrong_host", "this server does not answer to that host name; --allow-host adds one")
FOREIGN_ORIGIN = Rejection(403, "foreign_origin", "pages of other sites may not use this server")
NO_TOKEN = Rejection(401, "no_token", "a token is needed, in the header Authorization: Bearer TOKEN")


class Access:
    """What a request needs.

    `hosts` are the names of this server, each with its port, or without one for any port. `any_address` allows every
    IP address as a name, too. A `token` that is empty is not asked for. A request has at most `most_bytes`.
    """

    def __init__(
        self, *, token: str = "", hosts: Iterable[str] = LOOPBACK_NAMES, any_address: bool = False, most_bytes: int
    ) -> None:
        self.token = token
        self.most_bytes = most_bytes
        self._hosts = frozenset(host_parts(bracketed(host) if host.count(":") > 1 else host) for host in hosts)
        self._any_address = any_address

    @property
    def too_large(self) -> Rejection:
        """The rejection of a request that is too large."""
        return Rejection(413, "too_large", f"a request has at most {self.most_bytes} bytes")

    def rejection(self, method: str, path: str, headers: Headers) -> Rejection | None:
        """Why this request is rejected; None if it is not."""
        if not self._is_own_host(headers.get("host", "")):
            return WRONG_HOST
        if self._is_foreign(method, path, headers):
            return FOREIGN_ORIGIN
        length = headers.get("content-length", "0")
        if not is_whole_number(length, 9) or int(length) > self.most_bytes:
            return self.too_large
        if self.token and not self.is_open(path) and not self.has_token(headers):
            return NO_TOKEN
        return None

    def is_open(self, path: str) -> bool:
        """Whether a path needs no token."""
        return False

    def is_visit(self, method: str, path: str, headers: Headers) -> bool:
        """Whether a person follows a link, which may be on another site's page."""
        return False

    def is_token(self, word: str) -> bool:
        """Whether a word is the token. The time that this takes reveals nothing of it."""
        return bool(self.token) and hmac.compare_digest(word.encode(), self.token.encode())

    def has_token(self, headers: Headers) -> bool:
        """Whether a request carries the token."""
        scheme, _, word = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_token(word.strip())

    def _is_own_host(self, host: str) -> bool:
        name, port = host_parts(host)
        if self._any_address and _is_ip(name):  # no other site can make such a name lead here
            return True
        return any((name, own) in self._hosts for own in (None, *(DEFAULT_PORTS if port is None else (port,))))

    def _is_foreign(self, method: str, path: str, headers: Headers) -> bool:
        """Whether the page of another site makes this request."""
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != headers.get("host", "").lower():
            return True
        is_own = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
        return not is_own and not self.is_visit(method, path, headers)


def host_parts(host: str) -> tuple[str, int | None]:
    """The name in a Host header, in lower case and without brackets, and its port. The name is empty if it is wrong."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def check_token(token: str) -> None:
    """Raise UsageError for a token that could be guessed, or that no header can carry. An empty one is no token."""
    is_clean = token.isascii() and token.isprintable() and token == token.strip()
    if token and (len(token) < SHORTEST_TOKEN or not is_clean):
        raise UsageError(
            f"the token needs at least {SHORTEST_TOKEN} printable ASCII characters, "
            f"with no space at its start or end; received {len(token)} characters"
        )


def _is_ip(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
