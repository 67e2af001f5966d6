"""PostgreSQL behind PgBouncer with transaction pooling: many clients, few sessions of the server, the same promises."""

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from patience import PATIENCE, wait_until
from ports import free_port
from postgres_server import Server, shared

from holdfast import Board, Reply
from holdfast.errors import StoreError, UsageError
from holdfast.stores import Key
from holdfast.stores.postgres import PostgresStore

SESSIONS = 4
"""How many sessions the pooler opens at the server."""

CLIENTS, WRITES = 12, 10

PASSWORD = "secret"
RECIPE = Path(__file__).parents[2] / "docs" / "scale.md"


def recipe(server: int, port: int, users: Path, log: Path) -> str:
    """The configuration that the page on scale gives, with the addresses of this machine in it."""
    found = re.search(r"```ini\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    text = found[1]
    for example, here in {
        "plans = host=db.example port=5432": f"postgres = host=127.0.0.1 port={server}",
        "listen_addr = 0.0.0.0": "listen_addr = 127.0.0.1\nunix_socket_dir =",
        "listen_port = 6432": f"listen_port = {port}\nlogfile = {log}",
        "auth_file = /etc/pgbouncer/userlist.txt": f"auth_file = {users}",
        "default_pool_size = 20": f"default_pool_size = {SESSIONS}",
    }.items():
        assert example in text
        text = text.replace(example, here)
    return text


@pytest.fixture(scope="module")
def server() -> Server:
    """The server behind the pooler."""
    return shared()


@pytest.fixture(scope="module")
def pooler(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a pooler in front of the server. Skips where PgBouncer is not installed."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed: apt-get install pgbouncer")
    port = free_port()
    config = server.folder / "pgbouncer.ini"
    users, log = server.folder / "users.txt", server.folder / "pgbouncer.log"
    users.write_text(f'"postgres" "{PASSWORD}"\n')
    config.write_text(recipe(server.port, port, users, log))
    user = "postgres" if Path("/proc/self").stat().st_uid == 0 else None  # the pooler refuses to be root's
    if user is not None:
        shutil.chown(config, user)
    process = subprocess.Popen([program, str(config)], user=user, cwd=server.folder, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(port), "the pooler answers")
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _answers(port: int) -> bool:
    try:
        with psycopg.connect(f"postgresql://postgres:{PASSWORD}@127.0.0.1:{port}/postgres", connect_timeout=2):
            return True
    except psycopg.OperationalError:
        return False


def pooled(server: Server, port: int, **options: str) -> str:
    """An address through the pooler."""
    return server.address(password=PASSWORD, pooling="transaction", **options).replace(f":{server.port}/", f":{port}/")


def test_many_clients_share_few_sessions_and_lose_nothing(server: Server, pooler: int) -> None:
    """Each client writes, loads, claims and counts over its own connection; the server sees the pooler's few."""
    address = pooled(server, pooler, application_name="behind")
    most, replies = 0, list[Reply]()

    def work(name: str) -> None:
        with closing(PostgresStore(address, connections=1)) as store:
            board = Board(store=store, session=name)
            replies.extend(board.add(f"{number}") for number in range(WRITES))
            replies.append(board.claim(name).reply)
            store.tally(board.key, {"rejected": 1})

    threads = [threading.Thread(target=work, args=[f"client {number}"]) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'behind'"
    while any(thread.is_alive() for thread in threads):
        most = max(most, int(str(server.execute(count)[0][0])))
    assert [reply.text for reply in replies if not reply.ok] == []
    assert 0 < most <= SESSIONS
    with closing(PostgresStore(address)) as store:
        assert {kept.plan.revision for kept in store.sessions()} == {WRITES + 1}
        assert len(list(store.watch(since=0, timeout=0))) == CLIENTS * (WRITES + 1)
        assert store.tallies(Key("client 0", "main")) == {"rejected": 1}
        many = [record.change for record in store.history(Key("client 0", "main"))][::-1]
        store.commit_many(Key("copied", "main"), many)
        assert len(list(store.history(Key("copied", "main")))) == len(many)


def test_a_watcher_behind_the_pooler_looks_and_hears(server: Server, pooler: int) -> None:
    """It cannot listen there, so it looks once a second; one at the server itself is told at once."""
    address = pooled(server, pooler)
    with closing(PostgresStore(address)) as store:
        watch = store.watch(timeout=PATIENCE)
        writer = threading.Timer(0.2, lambda: Board(store=store).add("a"))
        writer.start()
        assert next(watch).change.after.todos[0].content == "a"
        writer.join()


def test_what_needs_a_session_is_refused(server: Server, pooler: int) -> None:
    """Pruning works with a temporary table: the error says how to connect instead."""
    with closing(PostgresStore(pooled(server, pooler))) as store, pytest.raises(StoreError, match="without pooling"):
        store.prune(keep=1)
    with pytest.raises(UsageError, match="expected session or transaction"):
        PostgresStore(server.address(pooling="statement"))
