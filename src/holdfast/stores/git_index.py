"""Whether git tracks a folder: read from git's own index.

Git itself is not asked. It takes longer than everything else that a command does, and it runs programs that are named
in the configuration of the checkout.
"""

import errno
import os
import sys
from collections.abc import Iterator

from .locate import git_folder, is_checkout, read_plain_file

LARGEST = 512 * 1024 * 1024
"""How many bytes of an index are read. One of five million files is smaller."""

ANY_CASE = sys.platform in ("darwin", "win32")
"""Whether names in any case are the same file here."""

_HEADER = 12
_PREFIX_COMPRESSED = 4
"""The version of the index in which a path is written as what is different from the path before it."""

_SIZES = (62, 74)
"""How many bytes of an entry come before its path: with hashes by SHA-1, and by SHA-256."""

_LONGEST = 0xFFF
_EXTENDED = 0x4000


def is_tracked(folder: str) -> bool:
    """Whether the index of the checkout around a folder has the folder, or a file that is in it. Raises OSError."""
    root = os.path.dirname(folder)
    while not is_checkout(root):
        root, below = os.path.dirname(root), root
        if root == below:
            return False
    path = os.fsencode(os.path.relpath(folder, root)).replace(os.fsencode(os.sep), b"/")
    return any(_has(index, path) for index in _indexes(git_folder(root)))


def _indexes(git: str) -> Iterator[bytes]:
    """The index, and the part of it that several may share."""
    if not os.path.isdir(git):
        return
    for name in os.listdir(git):
        if name == "index" or name.startswith("sharedindex."):
            path = os.path.join(git, name)
            if os.stat(path).st_size > LARGEST:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            yield read_plain_file(path, LARGEST)


def _has(index: bytes, path: bytes) -> bool:
    """Whether an index has a folder: something in it, or the folder itself, as a submodule."""
    text, path = (index.lower(), path.lower()) if ANY_CASE else (index, path)
    if int.from_bytes(index[4:8], "big") == _PREFIX_COMPRESSED:
        paths = (one.lower() if ANY_CASE else one for size in _SIZES for one in _compressed_paths(index, size))
        return any(one == path or one.startswith(path + b"/") for one in paths)
    at = text.find(path)
    while at >= 0:
        if index[at + len(path) : at + len(path) + 1] in (b"/", b"\0") and _is_start_of_path(index, at):
            return True
        at = text.find(path, at + 1)
    return False


def _is_start_of_path(index: bytes, at: int) -> bool:
    """Whether a path starts here: its length stands before it, at once or before two bytes of flags."""
    length = min(index.find(b"\0", at) - at, _LONGEST)
    return any(int.from_bytes(index[at - back : at - back + 2], "big") & _LONGEST == length for back in (2, 4))


def _compressed_paths(index: bytes, size: int) -> Iterator[bytes]:
    """Every path of an index of version 4, if the part of an entry before its path has this size."""
    at, path = _HEADER, b""
    for _ in range(int.from_bytes(index[8:12], "big")):
        at += size + 2 * bool(int.from_bytes(index[at + size - 2 : at + size], "big") & _EXTENDED)
        removed, at = _number(index, at)
        end = index.find(b"\0", at)
        if end < 0 or removed > len(path):
            return
        path = path[: len(path) - removed] + index[at:end]
        at = end + 1
        yield path


def _number(index: bytes, at: int) -> tuple[int, int]:
    """A number in git's own encoding of seven bits a byte, and where it ends."""
    number = 0
    while at < len(index):
        byte, at = index[at], at + 1
        number = (number << 7) + (byte & 0x7F)
        if not byte & 0x80:
            break
        number += 1
    return number, at
