"""Runs one command and ends all that it has started: python -I -S supervisor.py CONFINEMENT COMMAND… .

A program of its own between the agent and the command, without anything of Holdfast, so that it starts fast. It ends
the command when its standard input ends: when the agent says so, or is gone. It exits as the command does.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL

LAST_SECONDS = 5.0
"""How long to go after processes that start new ones faster than they can be ended."""

PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_VERSION = 1
BENEATH_A_PATH = 1
MAY_MOVE_FILES = 1 << 13
KEEPS_SIGNALS_INSIDE = 1 << 1
MOVES_ARE_KNOWN, SIGNALS_ARE_KNOWN = 2, 6
"""From which version of Landlock on files may be moved between folders, and signals can be kept inside."""

UNCONFINED = "--unconfined"


def main() -> None:
    """Run the command, wait for its end or for that of the input, and leave nothing behind."""
    adopt_orphans()
    child = os.fork()
    if child == 0:
        run(sys.argv[2:], sys.argv[1] != UNCONFINED and sys.platform == "linux")
    for descriptor in (1, 2):  # the output ends with whoever writes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    status = wait_for_end(child)
    end_group(child)
    end_children()
    leave(signal.SIGKILL if status is None else status)


def adopt_orphans() -> None:
    """What the command starts and leaves becomes a child of this process, whatever session it has made for itself."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(command: list[str], is_confined: bool) -> None:
    """Become the command, in a session of its own, without input."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if is_confined:
            confine()
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def confine() -> None:
    """Keep the command from looking into the processes outside of it, and from ending them, where Landlock can.

    Whoever is under Landlock cannot look into others. So one right to files is put under it, and given for all files.
    """
    import ctypes

    libc, size = _libc(), ctypes.c_size_t
    version = libc.syscall(LANDLOCK_CREATE_RULESET, None, size(0), LANDLOCK_VERSION)
    if version < MOVES_ARE_KNOWN:
        return
    handled = [MAY_MOVE_FILES, 0, KEEPS_SIGNALS_INSIDE] if version >= SIGNALS_ARE_KNOWN else [MAY_MOVE_FILES]
    rules = b"".join([right.to_bytes(8, sys.byteorder) for right in handled])
    ruleset = libc.syscall(LANDLOCK_CREATE_RULESET, rules, size(len(rules)), 0)
    root = os.open("/", os.O_PATH)
    rule = MAY_MOVE_FILES.to_bytes(8, sys.byteorder) + root.to_bytes(4, sys.byteorder)
    if ruleset >= 0 and libc.syscall(LANDLOCK_ADD_RULE, ruleset, BENEATH_A_PATH, rule, 0) == 0:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.closerange(root if ruleset < 0 else min(root, ruleset), max(root, ruleset) + 1)


def wait_for_end(child: int) -> int | None:
    """The status of the command; None if the input ended first."""
    wake, awake = os.pipe()
    for end in (wake, awake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(awake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 65536)
        if 0 in ready and not os.read(0, 1):
            return None


def end_group(child: int) -> None:
    """End what is still in the command's own session."""
    with suppress(OSError):  # nobody is
        os.killpg(child, signal.SIGKILL)


def end_children() -> None:
    """End every child, and those that become children by that, until there are none."""
    deadline = time.monotonic() + LAST_SECONDS
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for child in children():
            os.kill(child, signal.SIGKILL)  # it is not waited for yet, so its number is still its own
        time.sleep(0.001)


def children() -> list[int]:
    """The children of this process."""
    own, found = str(os.getpid()).encode(), []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = file.read().rpartition(b")")[2].split()[1]
            except OSError:  # it has just ended
                continue
            if parent == own:
                found.append(int(name))
    return found


def leave(status: int) -> None:
    """Exit as the command did: by the same code, or by the same signal."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def _libc() -> "CDLL":
    from ctypes import CDLL

    return CDLL(None, use_errno=True)


if __name__ == "__main__":
    main()
