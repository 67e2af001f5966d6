"""TodoWrite as a command line, against its contract: each case names the rule that it proves."""

import pytest
from command_lines import UPDATED, USAGE, payload, ran

from holdfast import Board, Rules
from holdfast.dialects.shell import HELP
from holdfast.shell import CommandKind, ShellResult, route, run, run_arguments

USAGE_IN_FULL = """Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'"""


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
        board = Board(dialect="shell")
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
        board = Board(dialect="shell")
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
        board = Board(dialect="shell")
        assert ran(line, board, {"TODO_MAX_ITEMS": "0"}) == ShellResult(HELP, "", 0)
        assert board.plan.revision == 0

    def test_a_program_may_pass_arguments_that_are_already_apart(self) -> None:
        """What a real shell has taken apart is not taken apart again."""
        board = Board(dialect="shell")
        assert run_arguments([payload("It's '-h'")], board, {}) == UPDATED
        assert run_arguments(["--help"], board, {}).stdout == HELP
        assert run_arguments([], board, {}).exit_code == 1
        assert board.plan.todos[0].content == "It's '-h'"

    def test_a_board_of_any_dialect_takes_the_command(self) -> None:
        """The command speaks its own dialect, whatever the board speaks."""
        board = Board(dialect="two-state")
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
        """A lower limit is checked and named in the message."""
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
        board = Board(dialect="shell")
        shown = value.replace("\x1b", "␛")
        stderr = f"Error: {variable} must be a positive whole number, received '{shown}'"
        assert ran(f"TodoWrite '{payload()}'", board, {variable: value}) == ShellResult("", stderr, 1)
        assert board.plan.revision == 0

    def test_they_are_read_at_each_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A variable that changes between two calls counts for the second, without a new board."""
        board = Board(dialect="shell")
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
        board = Board(dialect="shell", rules=Rules(max_content=1, max_items=1))
        assert ran(f"TodoWrite '{payload(activeForm='B', count=2)}'", board, {"TODO_MAX_ITEMS": "2"}).exit_code == 0
        assert ran(f"TodoWrite '{payload('AA', activeForm='B')}'", board, {"TODO_MAX_ITEMS": "2"}).exit_code == 1


def test_a_dash_stands_for_standard_input() -> None:
    """`TodoWrite -` takes the JSON that a host hands in as standard input; nothing there is a missing parameter."""
    board = Board(dialect="shell")
    todos = '{"todos":[{"content":"A","activeForm":"Doing A","status":"pending"}]}'
    assert run("TodoWrite -", board, {}, stdin=todos).stdout == "Todo list updated: 1 pending"
    assert run("TodoWrite -", board, {}).stderr.startswith("Error: Missing JSON parameter")
