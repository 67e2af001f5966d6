"""Quoting as in a shell: the words of a line, and what of them reaches the plan."""

import json
import shlex
import subprocess

import pytest
from command_lines import UPDATED, USAGE, payload, ran
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Board
from holdfast.shell import ShellResult, words

QUOTE_INSIDE = r"""Inside single quotes, write a single quote as '\''"""
QUOTES = """It's "quoted" \\ here"""
TWO_LINES = "A\nB"


class TestQuoting:
    """Quoting is the shell's own."""

    @pytest.mark.parametrize(
        ("line", "content"),
        [
            pytest.param(f"TodoWrite '{payload('Fix it')}'", "Fix it", id="single quotes"),
            pytest.param(f"TodoWrite '{payload(TWO_LINES)}'", TWO_LINES, id="an escaped line break"),
            pytest.param(
                """TodoWrite '{"todos":[{"content":"Don'\\''t stop","activeForm":"Going","status":"pending"}]}'""",
                "Don't stop",
                id="a single quote inside single quotes",
            ),
            pytest.param(
                """TodoWrite '{"todos":[{"content":"Don'"'"'t stop","activeForm":"Going","status":"pending"}]}'""",
                "Don't stop",
                id="a single quote in double quotes between single quotes",
            ),
            pytest.param(
                r"""TodoWrite "{\"todos\":[{\"content\":\"Don't\",\"activeForm\":\"x\",\"status\":\"pending\"}]}" """,
                "Don't",
                id="double quotes with escapes",
            ),
            pytest.param(
                r"""TodoWrite "{\"todos\":[{\"content\":\"\$5 \`x\` \\\\ \\\"q\\\"\","""
                r"""\"activeForm\":\"x\",\"status\":\"pending\"}]}" """,
                '$5 `x` \\ "q"',
                id="every escape that double quotes know",
            ),
            pytest.param(f"TodoWrite {payload('Fix it')}", "Fix it", id="bare JSON"),
            pytest.param(f"TodoWrite {payload(QUOTES)}", QUOTES, id="quotes and backslashes in bare JSON"),
            pytest.param(
                f"TodoWrite '\n{json.dumps(json.loads(payload('Fix it')), indent=2)}\n'",
                "Fix it",
                id="JSON on many lines",
            ),
            pytest.param(f"TodoWrite \\\n  '{payload('Fix it')}'", "Fix it", id="a command on two lines"),
            pytest.param(f"TodoWrite '{payload('Fix it')}'   \n", "Fix it", id="blanks at the end"),
            pytest.param(f"TodoWrite '{payload('run ls -h now')}'", "run ls -h now", id="a -h inside a todo is text"),
            pytest.param(f"TodoWrite {payload('-h')}", "-h", id="a -h that is all of a todo is text"),
            pytest.param(f"TodoWrite '{payload('--help')}'", "--help", id="a --help inside a todo is text"),
            pytest.param(
                f"TodoWrite '{payload('a; rm -rf / $(x) `y` | z > w')}'",
                "a; rm -rf / $(x) `y` | z > w",
                id="no mark of a shell is obeyed inside",
            ),
            pytest.param(f"TodoWrite '{payload('修复 🙂')}'", "修复 🙂", id="any script"),
        ],
    )
    def test_every_way_to_quote_gives_the_same_todo(self, line: str, content: str) -> None:
        """Single quotes, `'\\''`, double quotes with escapes, and bare JSON all reach the plan as meant."""
        board = Board(dialect="shell")
        assert ran(line, board) == UPDATED
        assert [todo.content for todo in board.plan.todos] == [content]

    @pytest.mark.parametrize(
        "text",
        [
            "one two  three",
            "'one two'",
            "''",
            "a'b c'd",
            '"one two" three',
            r'"a\"b\\c\$d\`e\n\x"',
            '"a\\\nb"',
            "a\\ b\\'c",
            "a\\\nb",
            "a \\\n b",
            "\\\n",
            "'a\\nb'",
            "'\\'",
            """'it'\\''s'""",
            """"it's" 'a "b"'""",
            "'a\nb'",
            "a\tb",
        ],
        ids=ascii,
    )
    def test_words_are_those_of_a_real_shell(self, text: str) -> None:
        """The words of a line are what `sh` makes of it."""
        script = f'set -- {text}\nprintf \'%s\\0\' "$#" "$@"'
        printed = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout.decode()
        count, *found = printed.split("\0")[:-1]
        assert words(text) == found[: int(count)]

    @given(st.lists(st.text()))
    def test_what_shlex_quotes_is_read_back(self, arguments: list[str]) -> None:
        """Any words that Python quotes for a shell are the same words here."""
        assert words(shlex.join(arguments)) == arguments

    def test_many_pieces_are_read_in_one_go(self) -> None:
        """A word of half a million pieces does not take for ever."""
        assert words("''" * 500_000) == [""]

    @pytest.mark.parametrize(
        ("line", "stderr"),
        [
            pytest.param(
                f"TodoWrite '{payload('Do not stop')}",
                f"Error: Unclosed single quote\n{QUOTE_INSIDE}\n{USAGE}",
                id="a single quote that is not closed",
            ),
            pytest.param(
                'TodoWrite "{}',
                f"Error: Unclosed double quote\n{QUOTE_INSIDE}\n{USAGE}",
                id="a double quote that is not closed",
            ),
            pytest.param(
                """TodoWrite '{"todos":[{"content":"Don't go, don't stay"}]}'""",
                f"Error: Expected one JSON parameter, received 3\n{QUOTE_INSIDE}\n{USAGE}",
                id="single quotes inside single quotes",
            ),
            pytest.param(
                "TodoWrite '{}' && ls",
                f"Error: Expected one JSON parameter, received 3\n{QUOTE_INSIDE}\n{USAGE}",
                id="another command behind it",
            ),
        ],
    )
    def test_bad_quoting_is_told(self, line: str, stderr: str) -> None:
        """What a shell would not take as one word is an error that says how to quote."""
        board = Board(dialect="shell")
        assert ran(line, board) == ShellResult("", stderr, 1)
        assert board.plan.todos == ()
