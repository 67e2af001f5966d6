"""Paths that stay inside a folder, and paths for display.

A path is walked folder by folder. Each is opened inside the one before it, and never through a symlink. So nobody can
put a symlink in the way between a check and a use.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not make a reader wait


def below_home(path: str, home: str) -> str:
    """A path with `~` for the home folder, if it is in it: shorter, and fit to be shown to others."""
    is_below = bool(home) and (path == home or path.startswith(f"{home}{os.sep}"))
    return f"~{path.removeprefix(home)}" if is_below else path


def inner_parts(path: str) -> list[str]:
    """The names in a path. Raises ValueError for a path that leaves its folder by its form alone."""
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise ValueError(path)
    return [part for part in path.split("/") if part not in ("", ".")]


@contextmanager
def inner_folder(root: str | os.PathLike[str], parts: Sequence[str], make: bool = False) -> Iterator[int]:
    """A folder below a root, opened. With `make`, missing ones are created. Raises OSError, also for a symlink."""
    folder = os.open(root, FOLDER)
    try:
        for part in parts:
            inner = _open_folder(folder, part, make)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _open_folder(folder: int, part: str, make: bool) -> int:
    try:
        return os.open(part, FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody was faster, or it is a symlink, which the next line refuses
        os.mkdir(part, dir_fd=folder)
    return os.open(part, FOLDER, dir_fd=folder)
