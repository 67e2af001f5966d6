"""Where a server listens: any port that is free, and an address that leads to it."""

import socket

import pytest

from holdfast.errors import UsageError
from holdfast.server.address import bind, host_and_port, is_loopback, url


def test_a_port_in_use_is_reported_or_avoided() -> None:
    """Whoever chose it is told; whoever did not gets another."""
    with bind() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port}.*port 0 for any"):
            bind(port=port)
        with bind(port=port, or_any_port=True) as other:
            assert other.getsockname()[1] != port
    with bind("0.0.0.0") as taken, pytest.raises(UsageError, match="in use"):
        bind("0.0.0.0", taken.getsockname()[1], or_any_port=True)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("80", ("127.0.0.1", 80)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:0", ("::1", 0)),
        ("here.example:65535", ("here.example", 65535)),
    ],
)
def test_an_address_has_a_port_and_maybe_a_host(address: str, expected: tuple[str, int]) -> None:
    """Without a host it is this machine alone."""
    assert host_and_port(address) == expected


def test_the_address_of_a_server_leads_to_it() -> None:
    """By its own address, or by the machine's name where it listens at all of them."""
    with bind() as here, bind("::1") as ipv6, bind("0.0.0.0") as everywhere:
        assert url(here) == f"http://127.0.0.1:{here.getsockname()[1]}"
        assert url(ipv6) == f"http://[::1]:{ipv6.getsockname()[1]}"
        assert url(everywhere) == f"http://{socket.gethostname()}:{everywhere.getsockname()[1]}"
        assert [is_loopback(listener) for listener in (here, ipv6, everywhere)] == [True, True, False]


def test_every_address_of_the_machine_has_ipv4_among_them() -> None:
    """A server at `::` is reached by IPv4, too."""
    with bind("::") as listener, socket.create_connection(("127.0.0.1", listener.getsockname()[1]), timeout=20):
        pass


@pytest.mark.parametrize("host", ["no.such.host.invalid", "x" * 70 + ".example", "256.1.1.1"])
def test_a_host_that_is_not_there_is_reported(host: str) -> None:
    """In one line, whatever the resolver says of it."""
    with pytest.raises(UsageError, match="cannot listen at '"):
        bind(host)
