"""Where the plans of a project are kept."""

import os
from collections.abc import Callable, Mapping

FOLDER = ".holdfast"
FILE = "plans.db"
VARIABLE = "HOLDFAST_DB"


def locate(environ: Mapping[str, str] = os.environ, cwd: str | None = None) -> str:
    """The path of the plan file for a working directory. Nothing is created, and the file need not exist.

    The first that applies: the file that `HOLDFAST_DB` names; `.holdfast/plans.db` in the nearest folder above that
    has a `.holdfast`; the same in the root of the git checkout; `holdfast/plans.db` in the user's state folder.
    """
    here = os.path.abspath(os.getcwd() if cwd is None else cwd)
    given = environ.get(VARIABLE, "")
    if given:
        return given if "://" in given else os.path.join(here, os.path.expanduser(given))
    root = _upward(here, FOLDER, os.path.isdir)
    if root is None:
        root = _upward(here, ".git", os.path.exists)  # a file in a worktree or a submodule, otherwise a folder
    return os.path.join(state_folder(environ), FILE) if root is None else os.path.join(root, FOLDER, FILE)


def _upward(folder: str, name: str, is_there: Callable[[str], bool]) -> str | None:
    while not is_there(os.path.join(folder, name)):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def state_folder(environ: Mapping[str, str]) -> str:
    """The folder of Holdfast among the files that a user's programs keep between runs."""
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):  # the XDG specification says to ignore relative paths
        state = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "holdfast")
