"""Where the plans of a project are kept."""

import errno
import os
import stat
from collections.abc import Mapping

FOLDER = ".holdfast"
FILE = "plans.db"
VARIABLE = "HOLDFAST_DB"
_LONGEST_LINE = 4096
"""How much of a file of git is read: a path or the name of a branch."""


def locate(environ: Mapping[str, str] = os.environ, cwd: str | None = None) -> str:
    """The path of the plan file for a working directory. Nothing is created, and the file need not exist.

    The first that applies: the file that `HOLDFAST_DB` names; `.holdfast/plans.db` in the nearest folder above that
    has a `.holdfast` or is the root of a git checkout; `holdfast/plans.db` in the user's state folder.
    """
    here = os.path.abspath(os.getcwd() if cwd is None else cwd)
    given = environ.get(VARIABLE, "")
    if given:
        return given if "://" in given else os.path.join(here, os.path.expanduser(given))
    folder = here
    while not (os.path.isdir(os.path.join(folder, FOLDER)) or is_checkout(folder)):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return os.path.join(state_folder(environ), FILE)
    return os.path.join(folder, FOLDER, FILE)


def git_branch(cwd: str | None = None) -> str:
    """The branch that is checked out in a folder; empty if there is none, or outside of a checkout."""
    root = _checkout_of(os.path.abspath(os.getcwd() if cwd is None else cwd))
    if root is None:
        return ""
    try:
        head = read_plain_file(os.path.join(git_folder(root), "HEAD"), _LONGEST_LINE).decode().strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _checkout_of(folder: str) -> str | None:
    while not is_checkout(folder):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


def is_checkout(folder: str) -> bool:
    """Whether a folder is the root of a git checkout. In a worktree or a submodule, `.git` is a file."""
    return os.path.exists(os.path.join(folder, ".git"))


def git_folder(root: str) -> str:
    """The folder in which git keeps what it knows of a checkout. Raises OSError."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        return git
    named = read_plain_file(git, _LONGEST_LINE).removeprefix(b"gitdir:").strip()  # a worktree says where it is
    return os.path.join(root, os.fsdecode(named))


def read_plain_file(path: str, most: int) -> bytes:
    """The first bytes of a file that a stranger may have made: a pipe must not make us wait. Raises OSError."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "not a plain file", path)
        with open(file, "rb", closefd=False) as opened:
            return opened.read(most)
    finally:
        os.close(file)


def state_folder(environ: Mapping[str, str]) -> str:
    """The folder of Holdfast among the files that a user's programs keep between runs."""
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):  # the XDG specification says to ignore relative paths
        state = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "holdfast")
