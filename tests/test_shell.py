"""TodoWrite as a command line (seed 002): each case names the rule of SEEDS.md that it proves."""

import json
import shlex
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Board, Rules
from holdfast.dialects.shell import HELP
from holdfast.shell import CommandKind, ShellResult, route, run, run_arguments, words

USAGE = """Usage: TodoWrite '{"todos":[...]}'"""
USAGE_IN_FULL = """Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'"""
QUOTE_INSIDE = r"""Inside single quotes, write a single quote as '\''"""
QUOTES = """It's "quoted" \\ here"""
TWO_LINES = "A\nB"
UPDATED = ShellResult("Todo list updated: 1 pending", "", 0)


def payload(content: str = "A", count: int = 1, **more: Any) -> str:
    """The JSON text of a list."""
    todo = {"content": content, "activeForm": "Doing", "status": "pending"} | more
    return json.dumps({"todos": [todo] * count}, ensure_ascii=False)


def ran(line: str, board: Board | None = None, environ: Mapping[str, str] | None = None) -> ShellResult:
    """Run a line with nothing in the environment unless told otherwise."""
    return run(line, Board("shell") if board is None else board, environ or {})


class TestRouter:
    """A line whose first word is exactly `TodoWrite` is ours, everything else is the native shell's."""

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("TodoWrite", id="the word alone"),
            pytest.param("TodoWrite '{}'", id="with a parameter"),
            pytest.param("  TodoWrite '{}'", id="leading spaces"),
            pytest.param("\tTodoWrite\t'{}'", id="tabs"),
            pytest.param("\nTodoWrite\n'{}'\n", id="line breaks"),
            pytest.param('TodoWrite {"todos":[]}', id="bare JSON"),
            pytest.param("TodoWrite -h", id="help"),
        ],
    )
    def test_ours(self, line: str) -> None:
        """Blanks around the first word do not matter."""
        assert route(line) is CommandKind.TODO_WRITE

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("TodoWriteX '{}'", id="a longer word"),
            pytest.param("TodoWrite-all", id="a longer word with a dash"),
            pytest.param("TodoWrite'{}'", id="a parameter glued to the word"),
            pytest.param('TodoWrite{"todos":[]}', id="JSON glued to the word"),
            pytest.param("TodoWrite; ls", id="a word that a semicolon ends"),
            pytest.param("todowrite '{}'", id="small letters"),
            pytest.param("TODOWRITE '{}'", id="capital letters"),
            pytest.param("echo TodoWrite", id="not the first word"),
            pytest.param("X=1 TodoWrite", id="behind an assignment"),
            pytest.param("./TodoWrite '{}'", id="a path"),
            pytest.param("TodoWrite\u00a0'{}'", id="a blank that is none for a shell"),
            pytest.param("\u3000TodoWrite '{}'", id="a wide blank in front"),
            pytest.param("TodoRead", id="another tool"),
            pytest.param("ls -la", id="any command"),
            pytest.param("", id="an empty line"),
            pytest.param("  \n", id="a blank line"),
        ],
    )
    def test_native(self, line: str) -> None:
        """What only looks like it goes to the native shell."""
        assert route(line) is CommandKind.NATIVE

    def test_a_native_line_is_not_run(self) -> None:
        """A line that was routed wrongly is refused, and its word shown safely."""
        assert ran("TodoWrite\x1b[2J '{}'") == ShellResult("", "Error: Not a TodoWrite command: 'TodoWrite␛[2J'", 1)


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
        board = Board("shell")
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
        board = Board("shell")
        assert ran(line, board) == ShellResult("", stderr, 1)
        assert board.plan.todos == ()


class TestResult:
    """stdout, stderr and exit code."""

    def test_success_is_on_stdout_with_exit_0(self) -> None:
        """The summary line, and nothing on stderr."""
        example = """TodoWrite '{"todos":[
          {"content":"Analyze requirements","activeForm":"Analyzing requirements","status":"completed"},
          {"content":"Write implementation","activeForm":"Writing implementation","status":"in_progress"},
          {"content":"Run tests","activeForm":"Running tests","status":"pending"}
        ]}'"""
        assert ran(example) == ShellResult("Todo list updated: 1 completed, 1 in_progress, 1 pending", "", 0)

    def test_an_empty_list_is_cleared(self) -> None:
        """`[]` clears, and says so."""
        board = Board("shell")
        ran(f"TodoWrite '{payload()}'", board)
        assert ran("""TodoWrite '{"todos":[]}'""", board) == ShellResult("Todo list cleared", "", 0)
        assert board.plan.todos == ()

    @pytest.mark.parametrize("line", ["TodoWrite", "TodoWrite ", "TodoWrite ''", "TodoWrite '  '", 'TodoWrite "\n"'])
    def test_a_missing_parameter_is_told_with_the_usage(self, line: str) -> None:
        """`Error: Missing JSON parameter`, and the usage line."""
        assert ran(line) == ShellResult("", f"Error: Missing JSON parameter\n{USAGE}", 1)

    @pytest.mark.parametrize("line", ["TodoWrite '{'", "TodoWrite {", "TodoWrite todos", "TodoWrite 'a b'"])
    def test_invalid_json_is_told_with_the_usage(self, line: str) -> None:
        """`Error: Invalid JSON format`, and the usage line in full."""
        assert ran(line) == ShellResult("", f"Error: Invalid JSON format\n{USAGE_IN_FULL}", 1)

    def test_a_bare_list_is_told_to_be_no_object(self) -> None:
        """JSON without quotes is read as it stands, a list too."""
        stderr = "Error: Validation failed\n- input: Expected object, received array"
        assert ran('TodoWrite ["a b"]') == ShellResult("", stderr, 1)

    def test_faults_are_on_stderr_with_exit_1(self) -> None:
        """Every fault on its line; the plan is unchanged."""
        board = Board("shell")
        ran(f"TodoWrite '{payload()}'", board)
        before = board.plan
        line = """TodoWrite '{"todos":[{"activeForm":"x","status":"pending"},
                                       {"content":"B","activeForm":"y","status":"done"}]}'"""
        stderr = (
            "Error: Validation failed\n"
            "- todos[0].content: Required\n"
            "- todos[1].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'"
        )
        assert ran(line, board) == ShellResult("", stderr, 1)
        assert board.plan is before

    @pytest.mark.parametrize("line", ["TodoWrite -h", "TodoWrite --help", " TodoWrite  '-h' "])
    def test_help_prints_the_command_document(self, line: str) -> None:
        """`-h` and `--help` print the page, change nothing, and do not care for the environment."""
        board = Board("shell")
        assert ran(line, board, {"TODO_MAX_ITEMS": "0"}) == ShellResult(HELP, "", 0)
        assert board.plan.revision == 0

    def test_a_program_may_pass_arguments_that_are_already_apart(self) -> None:
        """What a real shell has taken apart is not taken apart again."""
        board = Board("shell")
        assert run_arguments([payload("It's '-h'")], board, {}) == UPDATED
        assert run_arguments(["--help"], board, {}).stdout == HELP
        assert run_arguments([], board, {}).exit_code == 1
        assert board.plan.todos[0].content == "It's '-h'"

    def test_a_board_of_any_dialect_takes_the_command(self) -> None:
        """The command speaks its own dialect, whatever the board speaks."""
        board = Board("two-state")
        line = f"TodoWrite '{payload(status='in_progress')}'"
        assert ran(line, board) == ShellResult("Todo list updated: 1 in_progress", "", 0)


class TestEnvironment:
    """`TODO_MAX_ITEMS` and `TODO_MAX_CONTENT_LENGTH`."""

    @pytest.mark.parametrize(
        ("environ", "line", "stderr"),
        [
            pytest.param(
                {"TODO_MAX_ITEMS": "2"},
                f"TodoWrite '{payload(count=3)}'",
                "- todos: Too many items (max 2)",
                id="fewer items",
            ),
            pytest.param(
                {"TODO_MAX_CONTENT_LENGTH": "3"},
                f"TodoWrite '{payload('long', activeForm='longer')}'",
                "- todos[0].content: Must be at most 3 characters\n- todos[0].activeForm: Must be at most 3 characters",
                id="shorter texts, content and activeForm",
            ),
        ],
    )
    def test_they_set_lower_limits(self, environ: dict[str, str], line: str, stderr: str) -> None:
        """A lower limit is checked and told."""
        assert ran(line, environ=environ) == ShellResult("", f"Error: Validation failed\n{stderr}", 1)
        assert ran(line).exit_code == 0

    @pytest.mark.parametrize(
        ("environ", "line"),
        [
            pytest.param({"TODO_MAX_ITEMS": "51"}, f"TodoWrite '{payload(count=51)}'", id="more items"),
            pytest.param({"TODO_MAX_CONTENT_LENGTH": "201"}, f"TodoWrite '{payload('x' * 201)}'", id="longer texts"),
            pytest.param({"TODO_MAX_ITEMS": "9" * 5000}, f"TodoWrite '{payload(count=51)}'", id="a huge number"),
            pytest.param({"TODO_MAX_ITEMS": "0051"}, f"TodoWrite '{payload(count=51)}'", id="leading zeros"),
        ],
    )
    def test_they_set_higher_limits(self, environ: dict[str, str], line: str) -> None:
        """A higher limit lets through what was refused."""
        assert ran(line).exit_code == 1
        assert ran(line, environ=environ).exit_code == 0

    @pytest.mark.parametrize("variable", ["TODO_MAX_ITEMS", "TODO_MAX_CONTENT_LENGTH"])
    @pytest.mark.parametrize(
        "value", ["0", "000", "-1", "abc", "1.5", "", " ", " 5", "+5", "1e3", "５", "²", "5\x1b[2J"]
    )
    def test_a_value_that_is_no_positive_whole_number_is_an_error(self, variable: str, value: str) -> None:
        """The error names the variable and what it holds, with exit 1, and nothing is written."""
        board = Board("shell")
        shown = value.replace("\x1b", "␛")
        stderr = f"Error: {variable} must be a positive whole number, received '{shown}'"
        assert ran(f"TodoWrite '{payload()}'", board, {variable: value}) == ShellResult("", stderr, 1)
        assert board.plan.revision == 0

    def test_they_are_read_at_each_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A variable that changes between two calls counts for the second, without a new board."""
        board = Board("shell")
        line = f"TodoWrite '{payload(count=3)}'"
        monkeypatch.delenv("TODO_MAX_ITEMS", raising=False)
        monkeypatch.delenv("TODO_MAX_CONTENT_LENGTH", raising=False)
        assert run(line, board).exit_code == 0
        monkeypatch.setenv("TODO_MAX_ITEMS", "2")
        assert run(line, board).stderr.endswith("- todos: Too many items (max 2)")
        monkeypatch.delenv("TODO_MAX_ITEMS")
        assert run(line, board).exit_code == 0

    def test_a_hosts_own_rules_stand_where_the_environment_is_silent(self) -> None:
        """Only the limit that is in the environment is changed by it."""
        board = Board("shell", rules=Rules(max_content=1, max_items=1))
        assert ran(f"TodoWrite '{payload(activeForm='B', count=2)}'", board, {"TODO_MAX_ITEMS": "2"}).exit_code == 0
        assert ran(f"TodoWrite '{payload('AA', activeForm='B')}'", board, {"TODO_MAX_ITEMS": "2"}).exit_code == 1


def test_a_dash_stands_for_standard_input() -> None:
    """`TodoWrite -` takes the JSON that a host hands in as standard input; nothing there is a missing parameter."""
    board = Board("shell")
    todos = '{"todos":[{"content":"A","activeForm":"Doing A","status":"pending"}]}'
    assert run("TodoWrite -", board, {}, stdin=todos).stdout == "Todo list updated: 1 pending"
    assert run("TodoWrite -", board, {}).stderr.startswith("Error: Missing JSON parameter")
