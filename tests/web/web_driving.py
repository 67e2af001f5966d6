"""Runs the real server on a loopback port, and asks it as any client does."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from patience import PATIENCE, wait_until

from holdfast import Board
from holdfast.server.address import bind
from holdfast.stores import Key, Store
from holdfast.stores.follow import newest_sequence
from holdfast.web.access import PageAccess
from holdfast.web.ids import plan_id
from holdfast.web.service import page_server

EDIT = {"X-Holdfast": "1"}


class Got(NamedTuple):
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The answer's JSON."""
        return json.loads(self.body)


class Served:
    """A server that runs in a thread until `stop`."""

    def __init__(self, store: Store, access: PageAccess | None = None, port: int = 0) -> None:
        self.store = store
        self.access = PageAccess() if access is None else access
        self._listener = bind(port=port)
        self.port: int = self._listener.getsockname()[1]
        self.server = page_server(store, "plans.db", self.access)
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._listener]}, daemon=True)
        self._thread.start()

    @property
    def app(self) -> Any:
        """The application, for a look inside."""
        return self.server.config.app

    @property
    def streams(self) -> int:
        """How many streams are open."""
        count: int = self.app.state.broadcast.open_streams
        return count

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, path: str, method: str = "GET", body: object = None, **headers: str) -> Got:
        """Ask, with headers as `If_Match="7"`. A body that is no bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, named)
            response = connection.getresponse()
            return Got(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def sessions(self, query: str = "") -> Any:
        """Ask for sessions, when the server has heard of all that is in the store."""
        newest = newest_sequence(self.store)
        wait_until(lambda: self.ask("/api/sessions?limit=1").data["sequence"] >= newest, "the server hears of a change")
        return self.ask(f"/api/sessions?{query}").data

    def edit(self, method: str, path: str, revision: int | str, body: object = None) -> Got:
        """Ask for a change, as the page does."""
        return self.ask(path, method, body, X_Holdfast="1", If_Match=f'"{revision}"')

    def stop(self) -> None:
        """End it as a signal does."""
        self.server.stop()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server did not end"


@contextmanager
def serving(store: Store, access: PageAccess | None = None, port: int = 0) -> Iterator[Served]:
    """A server for as long as the block runs."""
    served = Served(store, access, port)
    try:
        yield served
    finally:
        served.stop()


def board(store: Store | Path, session: str = "release", agent: str = "main") -> Board:
    """A board that an agent writes to."""
    return Board(store=store, session=session, agent=agent)


def path_of(session: str = "release", agent: str = "main") -> str:
    """The address of a plan."""
    return f"/api/plans/{plan_id(Key(session, agent))}"
