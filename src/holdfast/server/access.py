"""Who may come in: the right host, no other site's page, the token where one is asked for. Pure, but for the codes."""

import hmac
from hashlib import sha256
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from ..text import is_whole_number

EDIT_HEADER = "x-holdfast"
"""What every change must carry. No form can send it, and no script of another site without asking first."""

MOST_BYTES = 65_536
"""How large a request may be. A todo is far smaller."""

LOOPBACK_NAMES = frozenset(["localhost", "127.0.0.1", "::1"])
SAFE_METHODS = frozenset(["GET", "HEAD"])
OPEN_PATHS = ("/healthz", "/enter", "/page/")
"""What can be seen without the token: that the server is there, and the page's own files, which hold no plan."""


class Turned(NamedTuple):
    """Why somebody was turned away."""

    status: int
    code: str
    message: str


class Door:
    """What a visitor must bring. Without a token only the loopback names are answered to."""

    def __init__(self, token: str = "", hosts: frozenset[str] = frozenset(), any_address: bool = False) -> None:
        self.token = token
        self.hosts = LOOPBACK_NAMES | {name.lower() for name in hosts}
        self.any_address = any_address
        self.codes = {token_urlsafe(24)} if token else set()

    def turned(self, method: str, path: str, headers: Headers) -> Turned | None:
        """Why this request is refused; none if it is not."""
        return (
            self._wrong_host(headers)
            or _foreign(method, path, headers)
            or _too_large(headers)
            or self._no_token(path, headers)
            or _no_mark(method, path, headers)
        )

    def is_token(self, said: str) -> bool:
        """Whether it is the token, in a time that tells nothing of it."""
        return bool(self.token) and hmac.compare_digest(said.encode(), self.token.encode())

    def take_code(self, said: str) -> bool:
        """Whether it is the code of a link that nobody has used yet. It is used by this."""
        found = next((code for code in self.codes if hmac.compare_digest(said.encode(), code.encode())), None)
        self.codes.discard(found or "")
        return found is not None

    @property
    def cookie_name(self) -> str:
        """A name of its own: servers on one machine share their cookies, whatever their ports."""
        return f"holdfast_{sha256(self.token.encode()).hexdigest()[:8]}"

    @property
    def cookie(self) -> str:
        """What a visitor who showed the token carries. It does not tell the token, and outlives the server."""
        return hmac.new(self.token.encode(), b"holdfast visitor", sha256).hexdigest()

    def _wrong_host(self, headers: Headers) -> Turned | None:
        name = host_name(headers.get("host", ""))
        if name in self.hosts or (self.any_address and _is_address(name)):
            return None
        return Turned(421, "wrong_host", "this server does not answer to that host name; --allow-host adds one")

    def _no_token(self, path: str, headers: Headers) -> Turned | None:
        if not self.token or path.startswith(OPEN_PATHS) or self._shows_token(headers):
            return None
        return Turned(401, "no_token", "a token is needed: Authorization: Bearer TOKEN, or open / and enter it")

    def _shows_token(self, headers: Headers) -> bool:
        scheme, _, said = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(said.strip()):
            return True
        cookies = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
        return any(
            name == self.cookie_name and hmac.compare_digest(value.encode(), self.cookie.encode())
            for name, _, value in cookies
        )


def host_name(host: str) -> str:
    """The name in a Host header, without its port and without brackets."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _foreign(method: str, path: str, headers: Headers) -> Turned | None:
    """A request that another site's page makes. A link to the page itself may be followed from anywhere."""
    origin = headers.get("origin")
    if origin is not None and origin.lower().partition("://")[2] != headers.get("host", "").lower():
        return Turned(403, "foreign_origin", "a page of another site may not ask this server")
    is_visit = method == "GET" and headers.get("sec-fetch-mode") == "navigate" and not path.startswith("/api/")
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_visit:
        return Turned(403, "foreign_origin", "a page of another site may not ask this server")
    return None


def _too_large(headers: Headers) -> Turned | None:
    length = headers.get("content-length", "0")
    if is_whole_number(length, 9) and int(length) <= MOST_BYTES:
        return None
    return Turned(413, "too_large", f"a request has at most {MOST_BYTES} bytes")


def _no_mark(method: str, path: str, headers: Headers) -> Turned | None:
    if method in SAFE_METHODS or path == "/enter" or headers.get(EDIT_HEADER):
        return None
    return Turned(403, "no_mark", "a change must carry the header X-Holdfast: 1")


def _is_address(name: str) -> bool:
    """Whether it is an address, not a name: nobody can make another site's name lead here with one."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
