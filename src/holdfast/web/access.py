"""Who may see the page and change plans on it: what every server checks, and what a browser needs beside that."""

import hmac
import socket
from collections.abc import Iterable
from hashlib import sha256
from secrets import token_urlsafe

from starlette.datastructures import Headers

from ..server.access import LOOPBACK_NAMES, Access, Rejection, check_token
from ..server.address import is_loopback

MOST_BYTES = 65_536
"""How large a request may be. A todo is far smaller."""

EDIT_HEADER = "x-holdfast"
"""What every change must carry. No form can send it, and no script of another site can without asking first."""

SAFE_METHODS = frozenset(["GET", "HEAD"])
OPEN_PATHS = ("/healthz", "/enter", "/page/")
"""What can be seen without the token: that the server is there, and the page's own files, which hold no plan."""

NO_MARK = Rejection(403, "no_mark", "a change must carry the header X-Holdfast: 1")


class PageAccess(Access):
    """What a visitor needs. Without further `hosts`, only the names of loopback are answered to.

    A browser shows the token once, or follows a link with one of the `codes`, and keeps a cookie.
    """

    def __init__(self, *, token: str = "", hosts: Iterable[str] = (), any_address: bool = False) -> None:
        super().__init__(token=token, hosts=[*LOOPBACK_NAMES, *hosts], any_address=any_address, most_bytes=MOST_BYTES)
        self.codes = {token_urlsafe(24)} if token else set()

    def rejection(self, method: str, path: str, headers: Headers) -> Rejection | None:
        """Why this request is rejected; None if it is not."""
        rejection = super().rejection(method, path, headers)
        if rejection is not None:
            return rejection
        is_marked = method in SAFE_METHODS or path == "/enter" or headers.get(EDIT_HEADER)
        return None if is_marked else NO_MARK

    def is_open(self, path: str) -> bool:
        """Whether a path needs no token."""
        return path.startswith(OPEN_PATHS)

    def is_visit(self, method: str, path: str, headers: Headers) -> bool:
        """Whether a person follows a link to the page. Links to data are not followed from other sites."""
        return method == "GET" and headers.get("sec-fetch-mode") == "navigate" and not path.startswith("/api/")

    def has_token(self, headers: Headers) -> bool:
        """Whether a request carries the token, or the cookie of somebody who showed it."""
        cookies = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
        return super().has_token(headers) or any(
            name == self.cookie_name and hmac.compare_digest(value.encode(), self.cookie.encode())
            for name, _, value in cookies
        )

    def use_code(self, word: str) -> bool:
        """Whether it is the code of a link that nobody has used yet. After that it is used."""
        code = next((code for code in self.codes if hmac.compare_digest(word.encode(), code.encode())), None)
        self.codes.discard(code or "")
        return code is not None

    @property
    def cookie_name(self) -> str:
        """A name of its own: servers on one machine share their cookies, whatever their ports."""
        return f"holdfast_{sha256(self.token.encode()).hexdigest()[:8]}"

    @property
    def cookie(self) -> str:
        """What a browser keeps. The token cannot be read from it, and it is valid after a restart, too."""
        return hmac.new(self.token.encode(), b"holdfast visitor", sha256).hexdigest()


def access_for(listener: socket.socket, token: str = "", hosts: Iterable[str] = ()) -> PageAccess:
    """What visitors of a socket need. Where other machines can reach it, there is always a token: a new one if need be.

    Raises UsageError for a weak token.
    """
    check_token(token)
    if is_loopback(listener):
        return PageAccess(token=token, hosts=hosts)
    return PageAccess(token=token or token_urlsafe(32), hosts=[*hosts, socket.gethostname()], any_address=True)
