"""The folder that an agent works in. Its files are reached only by paths that stay inside it."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from ...paths import READ, inner_folder, inner_parts
from ...text import describe
from .tool import ToolFailure

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = 0o666  # the user's umask applies
_MOST_BYTES = 10_000_000


class Workspace:
    """A folder whose files can be read and written. Nothing outside it can."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root).resolve(strict=True)

    def read(self, path: str) -> bytes:
        """What is in a file. Raises ToolFailure if it is missing, not a file, too large, or outside."""
        with self._folder_of(path) as (folder, name), _failures_described(path):
            file = os.open(name, READ, dir_fd=folder)
            with os.fdopen(file, "rb") as opened:
                status = os.fstat(file)
                if stat.S_ISDIR(status.st_mode):
                    raise ToolFailure(f"{describe(path)} is a folder")
                if not stat.S_ISREG(status.st_mode):
                    raise ToolFailure(f"{describe(path)} is not a regular file")
                if status.st_size > _MOST_BYTES:
                    raise ToolFailure(f"{describe(path)} is too large: {status.st_size} bytes")
                return opened.read(_MOST_BYTES)

    def names(self, path: str) -> list[str]:
        """The names in a folder; names of folders end with a slash. Raises ToolFailure like `read`."""
        with self._folder(_parts(path), path) as folder, _failures_described(path), os.scandir(folder) as entries:
            return sorted(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "") for entry in entries)

    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder inside. Raises ToolFailure for a path that leads outside."""
        parts = _parts(path)
        if not parts:
            return True
        with self._folder_of(path) as (folder, name):
            try:
                return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            except FileNotFoundError:
                return False

    def size(self, path: str) -> int:
        """How many bytes a file has; 0 if there is none. Raises ToolFailure for a path that leads outside."""
        try:
            with self._folder_of(path) as (folder, name), _failures_described(path):
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except ToolFailure as failure:
            if isinstance(failure.__cause__, FileNotFoundError):
                return 0
            raise
        return status.st_size if stat.S_ISREG(status.st_mode) else 0

    def write(self, path: str, data: bytes) -> bool:
        """Write data to a file, all of it or nothing, and make missing folders. Returns whether the file is new."""
        with self._folder_of(path, make=True) as (folder, name), _failures_described(path):
            mode = _mode(folder, name, path)
            draft = f".{name[:100]}.{token_hex(4)}.draft"
            with os.fdopen(os.open(draft, _CREATE, _NEW_FILE, dir_fd=folder), "wb") as file:
                try:
                    file.write(data)
                    if mode is not None:
                        os.fchmod(file.fileno(), mode)
                    file.close()
                    os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
                except BaseException:
                    os.unlink(draft, dir_fd=folder)
                    raise
            return mode is None

    @contextmanager
    def _folder_of(self, path: str, make: bool = False) -> Iterator[tuple[int, str]]:
        """The opened folder of a file, and the file's name in it."""
        parts = _parts(path)
        if not parts:
            raise ToolFailure(f"{describe(path)} is the workspace itself")
        with self._folder(parts[:-1], path, make) as folder:
            yield folder, parts[-1]

    @contextmanager
    def _folder(self, parts: Sequence[str], path: str, make: bool = False) -> Iterator[int]:
        with _failures_described(path), inner_folder(self.root, parts, make) as folder:
            yield folder


def _parts(path: str) -> list[str]:
    """The names in a path. Raises ToolFailure for a path that leaves the workspace by its form alone."""
    if "\0" in path:
        raise ToolFailure(f"{describe(path)} is not a path")
    try:
        return inner_parts(path)
    except ValueError:
        raise ToolFailure(f"{describe(path)} leaves the workspace: give a path inside it, relative to it") from None


def _mode(folder: int, name: str, path: str) -> int | None:
    """The mode of the file to replace; `None` if there is no file yet. Raises ToolFailure if it is not a file."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "")
    if not stat.S_ISREG(mode):
        raise ToolFailure(f"{describe(path)} is not a regular file")
    return stat.S_IMODE(mode)


@contextmanager
def _failures_described(path: str) -> Iterator[None]:
    """Turn what the system refuses into a ToolFailure that a model understands."""
    try:
        yield
    except FileNotFoundError as error:
        raise ToolFailure(f"{describe(path)} is not there") from error
    except NotADirectoryError as error:
        raise ToolFailure(f"{describe(path)} goes through something that is no folder, or through a symlink") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ToolFailure(f"{describe(path)} goes through a symlink: they are not followed") from error
        raise ToolFailure(f"{describe(path)}: {error.strerror}") from error
