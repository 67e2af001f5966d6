"""Ports for servers that go away and come back: nobody else takes one of them in between."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """A free port of this machine, below those that the system hands out by itself to whoever asks for any."""
    while True:
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", random.randrange(12_000, 32_000)))
            return int(probe.getsockname()[1])
