"""Async hosts on PostgreSQL: many boards share the connections and the threads of one store."""

import asyncio
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from patience import PATIENCE
from postgres_server import shared

from holdfast import AsyncBoard
from holdfast.stores.postgres import PostgresStore

BOARDS, CONNECTIONS = 30, 5


def test_many_boards_share_few_connections_and_no_thread_of_the_host() -> None:
    """They write while all threads of the host's loop are taken, over no more connections than the store may open."""
    server, name = shared(), f"async-{uuid.uuid4().hex}"
    may_end, most = threading.Event(), 0

    async def host(store: PostgresStore) -> list[bool]:
        nonlocal most
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        taken = loop.run_in_executor(None, may_end.wait, PATIENCE)
        boards = [AsyncBoard(store=store, session=f"agent {number}") for number in range(BOARDS)]
        writes = asyncio.gather(*(board.add(f"{step}") for board in boards for step in range(3)))
        while not writes.done():
            count = f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'"
            most = max(most, int(str(server.execute(count)[0][0])))
            await asyncio.sleep(0.005)
        may_end.set()
        await taken
        return [reply.ok for reply in await writes]

    with closing(PostgresStore(server.address(application_name=name), connections=CONNECTIONS)) as store:
        replies = asyncio.run(asyncio.wait_for(host(store), PATIENCE))
        assert replies == [True] * (3 * BOARDS)
        assert {kept.plan.revision for kept in store.sessions()} == {3}
    assert 0 < most <= CONNECTIONS
