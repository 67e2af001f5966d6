"""A process that forks while a store is open: what parent and children then write to one board."""

import multiprocessing

from holdfast import Board

WRITTEN = {"before the fork", "after the fork", "child 0", "child 1", "child 2"}


def write_around_a_fork(board: Board, patience: float) -> None:
    """Add a todo, fork three children that add one each, and add another meanwhile. All of them must end well."""
    board.add("before the fork")
    forking = multiprocessing.get_context("fork")
    children = [forking.Process(target=board.add, args=[f"child {number}"]) for number in range(3)]
    for child in children:
        child.start()
    board.add("after the fork")
    for child in children:
        child.join(patience)
    assert [child.exitcode for child in children] == [0, 0, 0]
