"""Help, the reference and the completions are made out of the one list of commands, and cannot fall behind it."""

import subprocess
from pathlib import Path

import pytest
from driving import board, environment, run

from holdfast.cli.command import Command
from holdfast.cli.commands import load_commands
from holdfast.cli.help import command_help
from holdfast.cli.reference import reference

COMMANDS = load_commands()
DOCS = Path(__file__).parents[2] / "docs" / "cli.md"
SHELLS = ("bash", "zsh", "fish")
SHARED = ("--session", "--agent", "--db", "--json")


def test_the_reference_is_up_to_date() -> None:
    """`python -m holdfast.cli.reference > docs/cli.md` brings it up to date."""
    assert DOCS.read_text(encoding="utf-8") == reference()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_is_the_same_text_as_the_reference(tmp_path: Path, command: Command) -> None:
    """Every command answers `--help` with its own section, with an example."""
    ran = run(tmp_path, command.name, "--help")
    assert (ran.stdout, ran.stderr, ran.code) == (f"{command_help(command)}\n", "", 0)
    assert "examples:" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 100


def test_names_with_hyphens_stay_whole_in_help() -> None:
    """Whoever copies `--allow-host` or `claude-code` out of a help text gets all of it."""
    for command in COMMANDS:
        assert not [line for line in command_help(command).splitlines() if line.endswith("-")]


def test_the_keys_of_a_plan_stand_once() -> None:
    """Commands that print a plan refer to `show`."""
    assert reference().count("`active_form`") == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_script_knows_every_command_and_option(tmp_path: Path, shell: str) -> None:
    """Nothing that can be typed is missing."""
    script = run(tmp_path, "completion", shell).stdout
    for command in COMMANDS:
        assert command.name in script
        for argument in command.all_arguments:
            assert not argument.is_option or argument.name.lstrip("-") in script
            assert all(choice in script for choice in argument.choices)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("holdfast s", ["show", "sessions", "serve", "set", "start", "sync", "stats"]),
        ("holdfast show --f", ["--format"]),
        ("holdfast show --format m", ["markdown"]),
        ("holdfast dialects tw", ["two-state"]),
        ("holdfast dialects --tool open", ["openai", "openai-responses"]),
        ("holdfast completion ", ["--list", "--session", "--agent", "--db", "bash", "zsh", "fish", "--help"]),
        ("holdfast import li", ["list.md"]),
        ("holdfast show --db li", ["list.md"]),
        ("holdfast show --session x", []),
        ("holdfast show --session par", ["parser-2", "parser-1"]),
        ("holdfast done 1", ["1", "10"]),
        ("holdfast done --session parser-1 1", ["1", "10"]),
        ("holdfast done --session=short ", ["--run-check", "--unchecked", *SHARED, "1", "2", "--help"]),
        ("holdfast done 1 --session short 2", ["2"]),
        ("holdfast done --session nobody 1", []),
        ("holdfast done --db other.db 1", []),
    ],
)
def test_bash_completes(tmp_path: Path, line: str, offered: list[str]) -> None:
    """A real bash is asked what it would offer."""
    (tmp_path / "list.md").touch()
    for session, todos in (("short", 2), ("parser-1", 10), ("par$(touch oops)", 10), ("parser-2", 10)):
        one = board(tmp_path, session)
        one.write({"todos": [{"content": str(at)} for at in range(todos)]})
        one.store.close()
    (tmp_path / "script").write_text(run(tmp_path, "completion", "bash").stdout, encoding="utf-8")
    words = line.split(" ")
    program = f"""
        source ./script
        COMP_WORDS=({" ".join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
        COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}
        _holdfast
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    command = ["bash", "-c", program]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=True)
    assert not (tmp_path / "oops").exists(), "a name is offered, never run"
    assert (ran.stdout.split(), ran.stderr) == (offered, "")


def test_commands_have_names_of_their_own() -> None:
    """No two are called the same, and what prints data says what."""
    names = [command.name for command in COMMANDS]
    assert len(set(names)) == len(names)
    wordy = {"watch", "serve", "notify", "mcp", "hook", "install", "uninstall", "export", "convert", "completion"}
    assert {command.name for command in COMMANDS if not command.json_keys} == wordy


@pytest.mark.parametrize(
    ("one", "other"), [("done", "cancel"), ("cancel", "done"), ("release", "finish"), ("finish", "release")]
)
def test_commands_that_are_easily_confused_name_each_other(one: str, other: str) -> None:
    """Whoever reads the help of one learns when to take the other."""
    (command,) = (command for command in COMMANDS if command.name == one)
    assert f"`{other}`" in command.help
