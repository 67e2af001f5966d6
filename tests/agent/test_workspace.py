"""The files of a workspace: read, written and edited inside it, and never outside."""

import os
import shutil
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.agent.tools import AgentTool, ToolFailure, Workspace
from holdfast.agent.tools.files import file_tools

SECRET = "top secret"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a file, beside a secret."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(SECRET)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    return folder


def tools(root: Path, most_output: int = 30_000) -> dict[str, AgentTool]:
    """The tools for files, by name."""
    return {tool.name: tool for tool in file_tools(Workspace(root), most_output)}


def escapes(root: Path) -> list[str]:
    """Paths that lead out of the workspace, each in its own way."""
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder-link").symlink_to(root.parent / "outside")
    (root / "dangling").symlink_to(root.parent / "new.txt")
    (root / "inner").mkdir()
    (root / "inner" / "up").symlink_to("../..")
    return [
        "../secret.txt",
        "inner/../../secret.txt",
        "./../secret.txt",
        str(root.parent / "secret.txt"),
        "//etc/passwd",
        "link",
        "folder-link/secret.txt",
        "inner/up/secret.txt",
        "dangling",
    ]


def test_no_path_leads_out(root: Path) -> None:
    """Parents, absolute paths and symlinks of every kind are refused for reading, writing and editing."""
    use = tools(root)
    for path in escapes(root):
        for name, more in (
            ("read_file", {}),
            ("write_file", {"content": "x"}),
            ("edit_file", {"old": "top", "new": "no"}),
        ):
            with pytest.raises(ToolFailure) as refused:
                use[name].run(path=path, **more)
            assert SECRET not in str(refused.value), path
    assert (root.parent / "secret.txt").read_text() == SECRET
    assert (root.parent / "outside" / "secret.txt").read_text() == SECRET
    assert sorted(path.name for path in root.parent.iterdir()) == ["outside", "secret.txt", "work"]
    assert list((root.parent / "outside").iterdir()) == [root.parent / "outside" / "secret.txt"]


def test_a_refusal_says_why(root: Path) -> None:
    """The model learns what is wrong with the path."""
    escapes(root)
    use = tools(root)
    with pytest.raises(ToolFailure, match="leaves the workspace: give a path inside it"):
        use["read_file"].run(path="../secret.txt")
    with pytest.raises(ToolFailure, match="symlink"):
        use["read_file"].run(path="link")
    for path in ("folder-link/new.txt", "dangling", "link"):
        with pytest.raises(ToolFailure, match="symlink"):
            use["write_file"].run(path=path, content="x")


def test_a_symlink_that_comes_and_goes_never_wins(root: Path) -> None:
    """While a folder is swapped for a symlink again and again, no write ever lands outside."""
    (root / "swap").mkdir()
    outside = root.parent / "outside"
    ends = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not ends.is_set():
            shutil.rmtree(root / "aside", ignore_errors=True)
            with suppress(OSError):  # a write has made the folder anew in between
                os.rename(root / "swap", root / "aside")
                os.symlink(outside, root / "swap")
                os.unlink(root / "swap")
                swaps += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    write = tools(root)["write_file"].run
    try:
        for number in range(1500):
            with suppress(ToolFailure):
                write(path=f"swap/{number % 10}.txt", content="inside", replace=True)
    finally:
        ends.set()
        swapper.join()
    assert swaps > 10
    assert os.listdir(outside) == ["secret.txt"]


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    """Something that is no regular file is refused at once."""
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolFailure, match="not a regular file"):
        tools(root)["read_file"].run(path="pipe")
    with pytest.raises(ToolFailure, match="not a regular file"):
        tools(root)["write_file"].run(path="pipe", content="x")


def test_reading(root: Path) -> None:
    """A file comes whole, or the lines that were asked for with where they stand; a folder as its names."""
    read = tools(root)["read_file"].run
    (root / "sub").mkdir()
    assert read(path="a.txt") == "one\ntwo\nthree\n"
    assert read(path="a.txt", first=2, lines=1) == "two\n\n[lines 2-2 of 3]"
    assert read(path="a.txt", first=0, lines=0) == read(path="a.txt")  # what a small model copies from the example
    assert read(path="a.txt", first=9) == "(no line 9: the file has 3)"
    assert read(path=".") == "a.txt\nsub/"
    assert read(path="sub") == "(an empty folder)"
    with pytest.raises(ToolFailure, match=r"'b\.txt' is not there"):
        read(path="b.txt")


def test_what_is_read_has_bounds(root: Path) -> None:
    """A long file is cut at a line, and says so; one endless line is cut, too."""
    (root / "long.txt").write_text("line\n" * 1000)
    (root / "wide.txt").write_text("x" * 5000)
    read = tools(root, most_output=100)["read_file"].run
    assert read(path="long.txt") == "line\n" * 20 + "\n[lines 1-20 of 1000]"
    assert read(path="wide.txt") == "x" * 100 + "\n[lines 1-1 of 1]"


def test_a_binary_file_is_left_alone(root: Path) -> None:
    """What is not text cannot be read or edited, so it cannot be damaged."""
    (root / "b.bin").write_bytes(b"\x00\xff\xfe")
    for name, more in (("read_file", {}), ("edit_file", {"old": "a", "new": "b"})):
        with pytest.raises(ToolFailure, match="not a text file"):
            tools(root)[name].run(path="b.bin", **more)
    assert (root / "b.bin").read_bytes() == b"\x00\xff\xfe"


def test_writing(root: Path) -> None:
    """A new file comes with its folders; an old one keeps its rights; nothing else is left behind."""
    write = tools(root)["write_file"].run
    assert write(path="x/y/z.txt", content="hello\n") == "Created x/y/z.txt: 1 line"
    assert (root / "x/y/z.txt").read_text() == "hello\n"
    (root / "a.txt").chmod(0o750)
    with pytest.raises(ToolFailure, match=r"a\.txt is there already, with 14 bytes: read_file shows it"):
        write(path="a.txt", content="")
    assert (root / "a.txt").read_text()
    assert write(path="a.txt", content="", replace=True) == "Replaced a.txt: 0 lines"
    assert write(path="a.txt", content="") == "Replaced a.txt: 0 lines", "an empty file has nothing to lose"
    assert stat.S_IMODE((root / "a.txt").stat().st_mode) == 0o750
    assert sorted(path.name for path in root.iterdir()) == ["a.txt", "x"]
    with pytest.raises(ToolFailure, match="not a regular file"):
        write(path="x", content="a folder is no file")


def test_editing_takes_exactly_one_place(root: Path) -> None:
    """The text must be there once: not at all and more than once are refused, and the file stays as it was."""
    edit = tools(root)["edit_file"].run
    assert edit(path="a.txt", old="two\n", new="2\n") == "Changed a.txt at line 2"
    assert (root / "a.txt").read_text() == "one\n2\nthree\n"
    (root / "b.txt").write_text("aaa\nb\naaa\n")
    for old, new, why in (
        ("zwei", "2", "is not in the file"),
        ("e", "E", r"3 times \(lines 1, 3, 3\)"),
        ("", "x", "is empty"),
        ("one", "one", "the same"),
    ):
        with pytest.raises(ToolFailure, match=why):
            edit(path="a.txt", old=old, new=new)
    with pytest.raises(ToolFailure, match="4 times"):
        edit(path="b.txt", old="aa", new="x")  # they overlap: each is a place
    assert (root / "a.txt").read_text() == "one\n2\nthree\n"


def test_line_breaks_stay_as_they_are(root: Path) -> None:
    """A file with other line breaks keeps them around an edit."""
    (root / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    tools(root)["edit_file"].run(path="dos.txt", old="two", new="2")
    assert (root / "dos.txt").read_bytes() == b"one\r\n2\r\n"
