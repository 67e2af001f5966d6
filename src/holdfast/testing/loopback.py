"""An HTTP server on loopback, in a thread. Its replies may be streamed, slow, or cut off."""

import contextlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from .wire import JSON


class HTTPReply(NamedTuple):
    """What is sent back: a mapping as JSON, a text as it is, or a list of events as a stream.

    `pause` is a wait in seconds before every event. After `cut` events the connection is closed, the reply half sent.
    """

    status: int
    body: JSON | str | Sequence[bytes]
    kind: str = "application/json"
    retry_after: float | None = None
    pause: float = 0.0
    cut: int | None = None


Responder = Callable[[str, Mapping[str, str], JSON], HTTPReply]


class LoopbackServer:
    """Answers requests on 127.0.0.1, at a port of its own, from `start` until `stop`."""

    def __init__(self, answer: Responder) -> None:
        self.over = threading.Event()
        self._server = _ThreadedServer(("127.0.0.1", 0), _Handler)
        self._server.answer, self._server.over = answer, self.over
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Start to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Stop. Replies that still wait are cut off."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _ThreadedServer(ThreadingHTTPServer):
    daemon_threads = True
    answer: Responder
    over: threading.Event


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _ThreadedServer  # pyright: ignore[reportIncompatibleVariableOverride] no other server makes one

    def do_GET(self) -> None:
        self._reply({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        self._reply(body if isinstance(body, dict) else {})

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _reply(self, body: JSON) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.answer(self.path.partition("?")[0], headers, body)
        with contextlib.suppress(ConnectionError):  # the client may be gone
            self._send(reply)

    def _send(self, reply: HTTPReply) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("connection", "close")
        self.send_header("x-model", "scripted")
        if reply.retry_after is not None:
            self.send_header("retry-after", f"{reply.retry_after:g}")
        if isinstance(reply.body, (str, dict)):
            self._send_whole(reply, reply.body)
        else:
            self._send_events(reply, reply.body)

    def _send_whole(self, reply: HTTPReply, body: str | JSON) -> None:
        raw = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.server.over.wait(reply.pause):
            return
        self.wfile.write(raw if reply.cut is None else raw[: len(raw) // 2])

    def _send_events(self, reply: HTTPReply, events: Sequence[bytes]) -> None:
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events[: reply.cut]:
            if self.server.over.wait(reply.pause):
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
        if reply.cut is None:
            self.wfile.write(b"0\r\n\r\n")
