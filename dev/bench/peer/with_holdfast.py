"""Holdfast's own dialect; the write that is timed is the whole list, as for the others."""

import time

started = time.perf_counter()
from holdfast import Board  # noqa: E402 the import is what is timed

loaded = time.perf_counter() - started

from service import serve  # noqa: E402 isort:skip

board = Board()


def write(contents: list[str], statuses: list[str]) -> tuple[object, str]:
    payload = {"todos": [{"content": c, "status": s} for c, s in zip(contents, statuses, strict=True)]}
    return payload, board.write(payload).text


serve([board.tool(), board.prompt], write, loaded)
