"""A snapshot of a folder: enough to see which of its files a call has changed."""

import os
from pathlib import Path

Snapshot = dict[str, tuple[int, int, int]]
MOST_FILES = 10_000


def take_snapshot(root: Path) -> Snapshot:
    """Every file and folder below a folder, with its inode, time and size. Symlinks are not followed."""
    found: Snapshot = {}
    for at, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(at, name)
            try:
                about = os.lstat(path)
            except OSError:  # gone in the meantime
                continue
            is_folder = name in folders
            found[os.path.relpath(path, root)] = (
                (about.st_ino, 0, 0) if is_folder else (about.st_ino, about.st_mtime_ns, about.st_size)
            )
        if len(found) > MOST_FILES:
            break
    return found


def changed_paths(before: Snapshot, after: Snapshot) -> set[str]:
    """The paths that were added, removed, or written."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
