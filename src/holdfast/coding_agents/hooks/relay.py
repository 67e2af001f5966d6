"""A hook hands its event to the resident process, which has loaded everything; if there is none, it answers itself.

Loading modules is most of what a hook costs, so this one imports next to nothing: not even `socket`, only what is
below it. Whatever goes wrong here, the hook answers in its own process.
"""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

VARIABLE = "HOLDFAST_RESIDENT"
"""The variable that turns the resident process off: `off`."""

LARGEST = 64 * 1024 * 1024
"""How many bytes of an event are read: it contains the results of tools."""

PATIENCE = 2.0
"""How many seconds a hook waits for the resident process."""

BETWEEN_STARTS = 10.0
"""How many seconds lie at least between two starts of a resident process: one that cannot live is not driven on."""

GO_ON, DECLINED = b"+", b"-"
"""What the resident process says first: that it waits for the event, or that it does not answer it."""


class Unanswered(Exception):
    """The resident process got the event, but it is not known what it did with it."""


def run_hook(words: "Sequence[str]") -> "NoReturn":
    """Answer the event on standard input, and end the process."""
    gc.disable()  # it lives for one event
    try:
        raw = _read_input()
        is_sent = False
        if raw is not None and is_wanted(os.environ):
            try:
                reply = ask(words, raw)
            except Unanswered:
                reply, is_sent = None, True
            if reply is not None:
                _write_output(reply)
                os._exit(0)
    except BaseException:  # Ctrl-C reaches hooks too
        os._exit(0)
    from .process import main

    main(words, raw, is_sent)


def is_wanted(environ: "Mapping[str, str]") -> bool:
    """Whether there may be a resident process: only on Linux, which says who is at the other end of a socket."""
    return sys.platform == "linux" and environ.get(VARIABLE) != "off"


def socket_path(environ: "Mapping[str, str]") -> str:
    """Where the resident process of this installation listens. Raises OSError if there is no private folder for it.

    The name changes with the installed files, so that a new version asks no old one, and with the file system that is
    seen: a container asks nobody outside.
    """
    own = environ.get("XDG_RUNTIME_DIR", "")
    base = own if own.startswith("/") else environ.get("TMPDIR") or "/tmp"  # nosec B108 whose it is, is checked
    folder = f"{base}/holdfast-{os.geteuid()}"
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        os.mkdir(folder, 0o700)
        status = os.lstat(folder)
    if (status.st_mode & 0o170077, status.st_uid) != (0o040000, os.geteuid()):
        raise PermissionError(f"{folder} is not a private folder")
    file = os.stat(__file__)
    return f"{folder}/hooks-{file.st_ino:x}-{file.st_mtime_ns:x}-{os.stat('/proc/self/ns/mnt').st_ino:x}"


def ask(words: "Sequence[str]", raw: bytes) -> bytes | None:
    """What the resident process answers; `None` if there is none, or it declines. Raises Unanswered."""
    from _socket import AF_UNIX, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        path = socket_path(os.environ)
        connection.settimeout(PATIENCE)
        try:
            connection.connect(path)
            if peer(connection)[1] != os.geteuid() or connection.recv(1) != GO_ON:
                return None
            return _exchange(connection, _request(words, raw))
        except TimeoutError:
            os.unlink(path)  # it hangs: the next hooks do not wait for it, and it ends when it goes on
            raise
    except OSError:
        return None
    finally:
        connection.close()


def peer(connection: "socket") -> tuple[int, int]:
    """The process and the user at the other end of a connection, as the kernel knows them."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    found = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    return int.from_bytes(found[:4], sys.byteorder), int.from_bytes(found[4:8], sys.byteorder)


def start_resident(environ: "Mapping[str, str]") -> None:
    """Start a resident process for the next hooks, unless there is one. Never raises."""
    import fcntl
    import time

    if not is_wanted(environ) or None in (sys.stdin, sys.stdout, sys.stderr) or not sys.executable:
        return
    try:
        path = socket_path(environ)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # whoever listens holds it until it ends, in whatever way
        status = os.fstat(lock)
        if status.st_size and time.time() - status.st_mtime < BETWEEN_STARTS:
            return
        os.pwrite(lock, b"started\n", 0)
        if os.fork() == 0:
            _become_resident(path, lock, environ)
    except OSError:
        return


def _become_resident(path: str, lock: int, environ: "Mapping[str, str]") -> "NoReturn":
    """Go on as the resident process, apart from the harness: it waits for nothing of this process."""
    try:
        os.setsid()
        os.chdir("/")
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        os.set_inheritable(lock, True)
        words = [sys.executable, "-m", "holdfast.coding_agents.hooks.resident", path, str(lock)]
        os.execve(sys.executable, words, dict(environ))
    finally:
        os._exit(0)


def _read_input() -> bytes | None:
    """The event; `None` if a person sits there."""
    if sys.stdin is None:
        return b""
    return None if sys.stdin.isatty() else sys.stdin.buffer.read(LARGEST + 1)


def _write_output(text: bytes) -> None:
    """Write an answer. The reader may be gone."""
    try:
        if text and sys.stdout is not None:
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
    except OSError:
        pass


def _request(words: "Sequence[str]", raw: bytes) -> bytes:
    """All that an answer depends on: the folder, the command line, the environment and the event."""
    environ = b"\0".join([name + b"=" + value for name, value in os.environb.items()])
    parts = [os.getcwdb(), b"\0".join(map(os.fsencode, words)), environ, raw]
    return b"%d %d %d %d\n" % tuple(map(len, parts)) + b"".join(parts)


def _exchange(connection: "socket", request: bytes) -> bytes | None:
    """The whole reply to a request. Raises Unanswered for half a reply."""
    reply = b""
    try:
        connection.sendall(request)
        while part := connection.recv(1 << 16):
            reply += part
    except OSError:
        raise Unanswered from None
    if reply == DECLINED:
        return None
    size, _, output = reply.partition(b"\n")
    if not size or int(size) != len(output):
        raise Unanswered
    return output
