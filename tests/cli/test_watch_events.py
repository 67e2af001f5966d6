"""The keys that `holdfast watch` understands."""

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("there are no such terminals", allow_module_level=True)

from holdfast.terminal.input import keys


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        pytest.param("jkq", ["j", "k", "q"], id="letters"),
        pytest.param(" \r\n", ["space", "enter", "enter"], id="space and enter"),
        pytest.param("\x1b[A\x1b[B", ["up", "down"], id="arrows"),
        pytest.param("\x1bOA\x1bOB", ["up", "down"], id="arrows of an application's keypad"),
        pytest.param("\x1b[1;5Cj", ["\x1b[1;5C", "j"], id="a sequence without a meaning is one key"),
        pytest.param("\x1bj", ["j"], id="escape is passed over"),
        pytest.param("字", ["字"], id="other letters"),
    ],
)
def test_keys_have_names(typed: str, names: list[str]) -> None:
    """Each key is named once, whole sequences are one key."""
    assert keys(typed) == (names, "")


@pytest.mark.parametrize("whole", ["\x1b[A", "\x1bOB", "\x1b[1;5C"])
def test_a_sequence_in_pieces(whole: str) -> None:
    """A sequence that arrives in pieces waits for its end."""
    for at in range(1, len(whole)):
        names, rest = keys("j" + whole[:at])
        assert names == ["j"]
        assert keys(rest + whole[at:]) == keys(whole)
