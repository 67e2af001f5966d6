"""Where a server listens, and how clients find it."""

import socket
from ipaddress import ip_address

from ..errors import UsageError
from ..text import describe, is_whole_number

LOOPBACK = "127.0.0.1"
LARGEST_PORT = 65_535
BACKLOG = 100
"""How many connections may wait to be accepted, and how many are accepted at once: a page has many tabs."""


def host_and_port(address: str) -> tuple[str, int]:
    """What `PORT`, `HOST:PORT` or `[HOST]:PORT` names. Raises UsageError for anything else."""
    host, _, port = address.rpartition(":")
    if not (is_whole_number(port, 5) and int(port) <= LARGEST_PORT):
        raise UsageError(f"expected PORT or HOST:PORT, received {describe(address)}")
    return host.strip("[]") or LOOPBACK, int(port)


def bind(host: str = LOOPBACK, port: int = 0, or_any_port: bool = False) -> socket.socket:
    """A socket that listens there. Port 0 is any free one. Raises UsageError if that is not possible.

    With `or_any_port`, a port of this machine alone that is in use is replaced by any free one.
    """
    try:
        family, *_, resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        ip = str(resolved[0])
        try:
            return _listen(family, ip, port)
        except OSError:
            if not (or_any_port and ip_address(ip).is_loopback):
                raise
            return _listen(family, ip, 0)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot listen at {describe(f'{bracketed(host)}:{port}')}: {reason}; "
            "choose another address, or port 0 for any free port"
        ) from error


def _listen(family: int, ip: str, port: int) -> socket.socket:
    for_ipv4_too = family == socket.AF_INET6 and is_wildcard(ip) and socket.has_dualstack_ipv6()
    return socket.create_server((ip, port), family=family, backlog=BACKLOG, dualstack_ipv6=for_ipv4_too)


def is_loopback(listener: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ip_address(listener.getsockname()[0]).is_loopback


def is_wildcard(host: str) -> bool:
    """Whether it means every address of this machine."""
    return host in ("0.0.0.0", "::")


def bracketed(host: str) -> str:
    """A host as addresses have it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def host_of(listener: socket.socket) -> str:
    """The host in the address of a server: this machine's name if the server listens at every address."""
    host = str(listener.getsockname()[0])
    return socket.gethostname() if is_wildcard(host) else bracketed(host)


def url(listener: socket.socket) -> str:
    """The address of a server, without a path."""
    return f"http://{host_of(listener)}:{listener.getsockname()[1]}"
