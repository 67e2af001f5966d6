"""The log of what hooks could not do: a harness must not be disturbed, so it is written here."""

import os
import time
from collections.abc import Mapping

from ...stores.locate import state_folder
from ...text import brief

FILE = "hooks.log"
LONGEST_LINE = 500
LARGEST = 256 * 1024
"""After how many bytes the next line starts a new log. One old log is kept."""


def log_path(environ: Mapping[str, str]) -> str:
    """Where the log is."""
    return os.path.join(state_folder(environ), FILE)


def log(environ: Mapping[str, str], message: str) -> None:
    """Add a line. Never raises: there is nowhere else to report it."""
    try:
        path = log_path(environ)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _make_room(path)
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {brief(message, LONGEST_LINE)}\n"
        handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "replace"))
        finally:
            os.close(handle)
    except OSError:
        pass


def _make_room(path: str) -> None:
    try:
        if os.stat(path).st_size > LARGEST:
            os.replace(path, f"{path}.1")
    except FileNotFoundError:
        pass
