"""The resident process: it has loaded what hooks need, and answers their events one after the other.

A hook starts it for the next ones; it ends when nobody has asked for some minutes, when its files have changed, or when
it is killed, at any moment: whoever waits for it then answers by itself. Between two events it holds no plan, and no
file of one is open. While it answers, it has the folder and the environment of the hook that asked.

Only processes of its own user are answered, and only those that may do exactly what it may do: what runs in a sandbox
must not reach out of it through us.
"""

import gc
import importlib
import os
import socket
import sys
import time
from contextlib import suppress
from typing import NamedTuple

from ... import dialects
from ...stores.locate import VARIABLE as DATABASE
from .harnesses import HARNESSES
from .process import WrongCall, output
from .relay import DECLINED, GO_ON, PATIENCE, peer

IDLE = 300.0
"""After how many seconds without an event it ends."""

MOST_EVENTS = 10_000
"""After how many events another one takes its place: nothing that lives that long is quite free of leaks."""

TICK = 30.0
"""How often it looks whether its socket is still there."""

NEEDED = (
    "coding_agents.hooks.conversation coding_agents.hooks.recorder coding_agents.hooks.offers "
    "coding_agents.hooks.changes coding_agents.hooks.status_line coding_agents.hooks.tasks dialects.holdfast "
    "board.tokens stores.sqlite stores.sqlite.migrations stores.sqlite.changes stores.trust stores.git_index "
    "stores.projects stores.newest stores.damage stores.codec stores.deltas stores.journals"
)
"""Our modules that hooks load while they answer."""

STANDARD = "fcntl encodings.utf_8_sig"
"""What they load of the standard library then."""

BOUNDS = ("Umask:", "Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp")
"""The lines of a process's status that say what it may do."""


class HookRequest(NamedTuple):
    """What a hook asks for: its command line and its event, and where it runs."""

    folder: bytes
    words: list[str]
    environ: dict[bytes, bytes]
    raw: bytes


def main() -> None:
    """Listen at a path until it is enough. The lock that was handed over is held as long as the process lives."""
    path = sys.argv[1]
    own = confinement(os.getpid())
    if "NoNewPrivs:\t0" not in own:
        return  # it may be in a sandbox that says nothing more of itself
    load_all()
    files = stamps()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        _bind(listener, path)
        mine = _inode(path)
        last, events = time.monotonic(), 0
        while time.monotonic() - last < IDLE and events < MOST_EVENTS and _inode(path) == mine:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            last, events = time.monotonic(), events + 1
            with connection, suppress(Exception):  # the hook is gone, or answers itself
                if stamps() != files:
                    connection.sendall(DECLINED)
                    break
                answer(connection, own)
        if _inode(path) == mine:
            os.unlink(path)


def answer(connection: socket.socket, own: tuple[str, ...]) -> None:
    """Answer one hook, as the process that it would have been. Raises any error."""
    connection.settimeout(PATIENCE)
    process, user = peer(connection)
    if user != os.geteuid() or confinement(process) != own:
        connection.sendall(DECLINED)
        return
    connection.sendall(GO_ON)
    request = receive(connection)
    os.environb.clear()
    os.environb.update(request.environ)
    os.chdir(request.folder)
    try:
        if "://" in os.environ.get(DATABASE, "") or "--db" in request.words:
            raise WrongCall  # a server may keep us waiting, and others with us
        text = output(request.words, request.raw, os.environ)
    except WrongCall:  # the hook says so
        connection.sendall(DECLINED)
    else:
        connection.sendall(b"%d\n%s" % (len(text), text))
    finally:
        os.chdir("/")


def load_all() -> None:
    """Load what hooks load while they answer."""
    for name in (*STANDARD.split(), *(f"holdfast.{name}" for name in NEEDED.split())):
        importlib.import_module(name)
    for harness in HARNESSES.values():
        for tool in (*harness.lists, *harness.tasks):
            dialects.get(harness.dialect(tool))


def stamps() -> dict[str, tuple[int, int]]:
    """The state of every one of our loaded files: an upgrade changes it."""
    files = [module.__file__ for name, module in [*sys.modules.items()] if name.partition(".")[0] == "holdfast"]
    found = {}
    for file in filter(None, files):
        try:
            status = os.stat(file)
            found[file] = (status.st_mtime_ns, status.st_size)
        except OSError:
            found[file] = (0, 0)
    return found


def confinement(process: int) -> tuple[str, ...]:
    """What a process may do and see: its user and groups, its rights, filters and namespaces. Raises OSError."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        bounds = [line.rstrip("\n") for line in file if line.startswith(BOUNDS)]
    places = [f"/proc/{process}/{name}" for name in ("root", "ns/mnt", "ns/user", "ns/net", "ns/pid")]
    return (*bounds, *map(os.readlink, places), _label(process))


def _label(process: int) -> str:
    """The security label of a process, where the kernel has such labels."""
    try:
        with open(f"/proc/{process}/attr/current", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _bind(listener: socket.socket, path: str) -> None:
    """Listen at a path, in place of a dead process: only one process has the lock."""
    if _inode(path):
        os.unlink(path)
    before = os.umask(0o177)
    listener.bind(path)
    os.umask(before)
    listener.listen(128)
    listener.settimeout(TICK)


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def receive(connection: socket.socket) -> HookRequest:
    """What a hook sends after it was told to go on."""
    with connection.makefile("rb") as stream:
        parts = [stream.read(int(size)) for size in stream.readline().split()]
    folder, words, environ, raw = parts
    pairs = (entry.partition(b"=") for entry in environ.split(b"\0"))
    return HookRequest(
        folder,
        [os.fsdecode(word) for word in words.split(b"\0")] if words else [],
        {name: value for name, _, value in pairs},
        raw,
    )


if __name__ == "__main__":
    main()
