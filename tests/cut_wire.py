"""A wire between a client and a server that can be cut at the worst moment: when the answer is under way."""

import select
import socket
import threading
from types import TracebackType


class Wire:
    """Carries bytes to a port of this machine and back.

    `swallow(word)` makes it cut the connection on which the next request with this word in it went out, once the server
    has answered it: what was asked for is done, and the client never hears. With `dead` no new connection gets through,
    and `refused` counts those that tried; `swallow(word, and_die=True)` makes it dead from the cut on.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.dead = False
        self.cuts = 0
        self.refused = 0
        self._word = b""
        self._dies = False
        self._is_open = True
        self._acceptor = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> "Wire":
        self._acceptor.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_open = False
        socket.create_connection(("127.0.0.1", self.port)).close()  # so that it wakes up and sees
        self._acceptor.join()
        self._listening.close()

    def swallow(self, word: bytes, and_die: bool = False) -> None:
        """Keep the answer to the next request with this word in it from the client."""
        self._word, self._dies = word, and_die

    def _accept(self) -> None:
        while self._is_open:
            client, _ = self._listening.accept()
            if self.dead or not self._is_open:
                self.refused += 1
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._carry, args=[client, server], daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        is_marked = False
        with client, server:
            while self._is_open:
                ready, _, _ = select.select([client, server], [], [], 0.1)
                for side in ready:
                    data = side.recv(65536)
                    if not data:
                        return
                    if side is client and self._word and self._word in data:
                        is_marked, self._word = True, b""
                    elif side is server and is_marked:
                        self.dead = self.dead or self._dies
                        self.cuts += 1
                        return
                    (server if side is client else client).sendall(data)
