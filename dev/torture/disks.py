"""A disk that fills up in the middle of a plan: a clear error, nothing lost, and work goes on when there is room."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast import Board
from holdfast.stores.sqlite import SQLiteStore

from .tally import TortureResult

WHAT = "writes on a disk that fills up"
SIZE = 1 << 20
BALLAST = 1 << 19


def torture_disk(seed: int, rounds: int) -> TortureResult:
    """Fill a small file system with plans, again and again, with a little room made each time."""
    if os.name != "posix" or os.geteuid() != 0:
        return TortureResult(WHAT, not_run="only root may mount a small file system")
    try:
        with _small_disk() as folder:
            return _fill_disk(folder, rounds)
    except subprocess.CalledProcessError as error:
        return TortureResult(WHAT, not_run=f"no file system could be mounted ({error})")


def _fill_disk(folder: Path, rounds: int) -> TortureResult:
    tried, lost = 0, []
    for number in range(rounds):
        path = folder / f"{number}.db"
        ballast = folder / "ballast"
        ballast.write_bytes(b"\0" * BALLAST)
        board = Board(store=path)
        while (reply := board.add(f"todo {board.plan.revision + 1} " + "x" * 150)).ok and tried < 10_000 * (number + 1):
            tried += 1
        if "no room left" not in reply.text:
            lost.append(f"round {number}: the error for the full disk was {reply.text[:200]!r}")
        acknowledged = reply.plan
        again = Board(store=SQLiteStore(path))
        if again.plan != acknowledged:
            lost.append(f"round {number}: {acknowledged.revision} acknowledged, {again.plan.revision} read")
        ballast.unlink()
        if not again.edit("1", content="there is room again").ok:
            lost.append(f"round {number}: it did not go on when there was room")
        again.store.close()
        board.store.close()
        for file in folder.iterdir():
            file.unlink()
    return TortureResult(WHAT, tried, tuple(lost))


@contextmanager
def _small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True, capture_output=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)
