"""Whether a shell command only looks, so that `cat notes.txt` is not taken for work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.commands import only_looks


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
