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
        "[ -f a.txt ]",
        "cmp a.txt b.txt",
        "cut -f 1 a.txt",
        "df -h",
        "diff a.txt b.txt",
        "du -s .",
        "egrep 'a|b' f.txt",
        "fgrep a.b f.txt",
        "file a.bin",
        "head -3 a.txt",
        "less a.txt",
        "more a.txt",
        "printf '%s' a",
        "rg -n todo",
        "sort a.txt",
        "stat a.txt",
        "tail -3 a.txt",
        "tr a b",
        "tree src",
        "true",
        "uniq a.txt",
        "wc -l a.txt",
        "which python3",
        "grep X notes.txt",
        "ls &> /dev/null",
        "ls |& grep a",
        "2>/dev/null cat a.txt",
        "ls\npwd",
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
        "ls || rm a.txt",
        "ls & rm a.txt",
        "ls | xargs rm",
        "echo x &> a.txt",
        "echo x >& a.txt",
        "echo x >| a.txt",
        "(ls)",
        'echo "$(rm a.txt)"',
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
        ("printf done", ""),
        ("touch a.txt; echo a; touch b.txt", "touch a.txt ; touch b.txt"),
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


@pytest.mark.parametrize("name", ["awk", "cut", "echo", "grep", "printf", "sed", "sort", "tr", "uniq", "wc"])
def test_commands_whose_output_may_be_meant_for_a_file(name: str) -> None:
    """They make a text of another one, or of nothing."""
    assert prints(f"{name} a b.txt") and prints(f" {name}")


@pytest.mark.parametrize("call", ["cat f", "ls", "", " ", "echoes a"])
def test_commands_by_which_a_model_looks_around(call: str) -> None:
    """Their output is for the model."""
    assert not prints(call)
