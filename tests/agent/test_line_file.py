"""A file of lines: a line is on the disk, whole, or it is not there."""

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.agent.line_file import append, locked
from holdfast.errors import StoreError


@pytest.fixture
def small_disk() -> Iterator[int]:
    """A limit for files, which is to a writer what a full disk is."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    yield 64
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("used", [40, 64])
def test_a_line_that_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path, small_disk: int, used: int) -> None:
    """Neither half of it is there, nor is it silently lost."""
    path = tmp_path / "lines"
    file = locked(path, "the file")
    append(file, b"a" * used, "the file")
    with pytest.raises(StoreError, match="the file cannot be kept: "):
        append(file, b"b" * 40, "the file")
    os.close(file)
    assert path.read_bytes() == b"a" * used
