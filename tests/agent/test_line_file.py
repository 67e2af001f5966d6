"""A file of records: a record is on the disk, whole, or it is not there."""

import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.agent.line_file import LineFile, read_records
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
def test_a_record_that_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path, small_disk: int, used: int) -> None:
    """Neither half of it is there, nor is it silently lost."""
    path = tmp_path / "lines"
    file = LineFile(path, "the file")
    file.append({"a": "a" * (used - 10)})
    before = path.read_bytes()
    assert len(before) == used
    with pytest.raises(StoreError, match="the file cannot be saved: "):
        file.append({"b": "b" * 40})
    file.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["翻译 \u2028", "\x1b[31m\r\n", "\ud83d alone"])
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    """Whatever a model says is one line of valid UTF-8, and is read back as it was."""
    path = tmp_path / "lines"
    file = LineFile(path, "the file")
    file.append({"text": text})
    file.close()
    path.read_text(encoding="utf-8")
    assert read_records(path).records == [{"text": text}]


@pytest.mark.parametrize(("line", "problem"), [("nonsense", "is damaged"), ("[]", "is not a record")])
def test_a_bad_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    """A line that is not a JSON object is an error with its number; a last line that was cut off is none."""
    path = tmp_path / "lines"
    path.write_text('{"a": 1}\n{"b"')
    assert read_records(path).records == [{"a": 1}]
    path.write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(StoreError, match=f":2 {problem}: fix or remove that line"):
        read_records(path)
