"""Whether a shell command only looks, so that `cat notes.txt` is not taken for work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.commands import only_looks, prints, without_prints


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "cat a.txt | grep -i locker | awk '{print $2}'",
        "sed 's/a/b/' f.txt",
        "cd src && ls -la; pwd",
        "cat a.txt 2>/dev/null || echo none 2>&1",
        r"grep -oP '(?<x>\d+)' f.txt",
        "test -f a.txt",
        "find . -name '*.py'",
    ],
)
def test_commands_that_look(command: str) -> None:
    """They read or print, and leave everything as it was."""
    assert only_looks({"command": command}) and only_looks({"cmd": command})


@pytest.mark.parametrize(
    "command",
    [
        "rm a.txt",
        "echo x > a.txt",
        "cat a.txt >> b.txt",
        "sed -i 's/a/b/' f.txt",
        "find . -delete",
        "sort -o a a",
        "ls && rm a.txt",
        "echo $(rm a.txt)",
        "echo `rm a.txt`",
        "cat <<END > a.txt\nx\nEND",
        "ls\nrm a.txt",
        "python3 -m unittest",
        "echo 'not closed",
        "",
    ],
)
def test_commands_that_may_do_more(command: str) -> None:
    """If in doubt, a command counts as work."""
    assert not only_looks({"command": command})


def test_other_arguments_are_not_commands() -> None:
    """A path is no command, and neither is anything that is not text."""
    for arguments in (None, "ls", {"path": "ls"}, {"command": 3}, {"command": ["ls"]}, {}):
        assert not only_looks(arguments)


@given(st.text())
def test_any_text_can_be_asked_about(command: str) -> None:
    """Nothing that a model writes raises here."""
    assert only_looks({"command": command}) in (True, False)


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("echo -n 'create glade.txt with: magnet 568' && touch glade.txt", "touch glade.txt"),
        ("echo magnet 568 > glade.txt", "echo magnet 568 > glade.txt"),
        ("echo 'a; b' >> glade.txt", "echo 'a; b' >> glade.txt"),
        ("echo magnet | tee glade.txt; printf done", "echo magnet | tee glade.txt"),
        ("rm a.txt", "rm a.txt"),
        ("echo it's", "echo it's"),
        ('echo "" && echo b', ""),
    ],
)
def test_what_a_command_only_prints_is_not_done(command: str, left: str) -> None:
    """Only the other parts of the line count. A line that cannot be read is left as it is."""
    assert without_prints({"command": command, "why": "a"}) == {"command": left, "why": "a"}


@given(st.text())
def test_any_command_can_be_asked(command: str) -> None:
    """Whatever a model sends, nothing is raised, and other arguments stay."""
    assert without_prints({"command": command, "n": 1})["n"] == 1
    assert prints(command) in (True, False)


def test_commands_whose_output_may_be_meant_for_a_file() -> None:
    """Not those by which a model looks around."""
    assert [call for call in ("sed s/a/b/ f", "wc -l f", "cat f", "ls", "", " ") if prints(call)] == [
        "sed s/a/b/ f",
        "wc -l f",
    ]
