"""A PostgreSQL server of the tests' own: in a temporary folder, on a port of its own, gone when the tests end."""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from patience import PATIENCE, wait_until
from ports import free_port

LOCKED = "locked"
"""The one role, if a test makes it, that has to say its password."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
    "autovacuum": "off",
}


def programs() -> Path | None:
    """The folder of the server's programs: Debian keeps them beside the path, the newest version last."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    named = shutil.which("postgres")
    return found[-1].parent if found else Path(named).parent if named else None


class Server:
    """A server that ends with this process, however that ends: a shell holds it, and reads a pipe of ours for that."""

    def __init__(self, replica_of: "Server | None" = None, **settings: str) -> None:
        folder = programs()
        assert folder is not None, "whoever makes a server has seen that it is installed"
        self._programs = folder
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-postgres-"))
        self._data = self.folder / "data"
        self._user = "postgres" if os.getuid() == 0 else None  # the server refuses to be root's
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self._settings = {**SETTINGS, "fsync": "off", **settings}
        self.environment: dict[str, str] = {}
        """What is added to the environment of the server at its next start."""
        self._guard: subprocess.Popen[bytes] | None = None
        self.port = 0
        self._has_port = False
        if replica_of is not None:
            where = ("-h", "127.0.0.1", "-p", str(replica_of.port), "-U", "postgres")
            self._run("pg_basebackup", "-D", str(self._data), *where, "-R", "-X", "stream", "-c", "fast", "--no-sync")
            return
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        rules = self._data / "pg_hba.conf"
        rules.write_text(f"host all {LOCKED} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")

    def start(self) -> None:
        """Start it, and wait until it answers. It keeps its port when it is started again."""
        deadline = time.monotonic() + PATIENCE
        while not self._is_up():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            if self._guard is None or self._guard.poll() is not None:
                self._launch()
            time.sleep(0.02)
        self._has_port = True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it and wait for that: SIGINT is fast, SIGQUIT at once without saying goodbye, SIGKILL a crash."""
        guard, self._guard = self._guard, None
        if guard is not None:
            os.kill(self.pid, how)
            guard.wait(PATIENCE)
            assert guard.stdin is not None
            guard.stdin.close()

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, and start it again."""
        self.stop(how)
        self.start()

    def remove(self) -> None:
        """End it, and take its files away."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The process of the server that has started all others of it."""
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def address(self, namespace: str | None = None, user: str = "postgres", password: str = "", **options: str) -> str:
        """The address of its database, in a namespace that nobody else uses if none is named."""
        secret = f":{quote(password, safe='')}" if password else ""
        asked = {"namespace": uuid.uuid4().hex if namespace is None else namespace, **options}
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in asked.items())
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/postgres?{query}"

    def connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        """A connection of the server's owner."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="postgres",
            dbname="postgres",
            autocommit=True,
            connect_timeout=int(PATIENCE),
        )

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run one statement as the server's owner."""
        with self.connect() as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def wait_for_watcher(self, name: str) -> None:
        """Wait until the watcher of a store with this `application_name` waits to be told of changes."""
        asked = f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{name}' AND query LIKE '%mark_watched%'"
        wait_until(lambda: self.execute(f"{asked} AND state = 'idle'"), "the watcher listens")

    def _launch(self) -> None:
        if not self._has_port:
            self.port = free_port()
        options = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self._data), "-p", str(self.port), *options]
        command += ["-c", f"unix_socket_directories={self.folder}"]
        # Whatever ends us ends the pipe, and with it the server.
        script = '"$@" & server=$!; (read _; kill -QUIT $server) 2>/dev/null <&3 & wait $server; kill $! 2>/dev/null'
        with (self.folder / "log").open("ab") as log:
            self._guard = subprocess.Popen(
                ["sh", "-c", f"exec 3<&0; {script}", "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self.folder,
                env={**os.environ, **self.environment},
                start_new_session=True,
            )

    def _is_up(self) -> bool:
        if self._guard is None or self._guard.poll() is not None:
            return False
        try:
            return self.execute("SHOW data_directory") == [(str(self._data),)]  # another may have taken the port first
        except psycopg.OperationalError:
            return False

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, user=self._user, cwd=self.folder, timeout=PATIENCE)


@cache
def shared() -> Server:
    """The one server of this test process, started when the first test needs it. Skips where it is not installed."""
    return new_server()


def new_server(replica_of: Server | None = None, **settings: str) -> Server:
    """A server of one's own, to be broken, or one that follows another. Skips where PostgreSQL is not installed."""
    if programs() is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    server = Server(replica_of, **settings)
    atexit.register(server.remove)
    server.start()
    return server
