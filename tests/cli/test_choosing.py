"""Which plan a command means, and how commands end."""

import os
import subprocess
from pathlib import Path

import pytest
from driving import HOLDFAST, SCRIPTS, board, environment, populate, run

from holdfast.cli.command import EXIT_CODES, Exit
from holdfast.plan import About


def test_the_session_changed_last_is_meant(tmp_path: Path) -> None:
    """Without a word about it, a command speaks of what just happened."""
    populate(tmp_path)
    assert run(tmp_path, "show", "--json").data["session"] == "nightly 夜间"
    run(tmp_path, "add", "Now here", "--session", "default")
    assert run(tmp_path, "show", "--json").data["session"] == "default"


def test_a_part_of_a_name_finds_a_session(tmp_path: Path) -> None:
    """The start of its id, or a part of its title; where several fit, they are listed, and nothing is done."""
    for session, title in (("3f2a-11", "Fix the parser"), ("3f9c-22", "Fix the lexer"), ("77aa-33", "")):
        one = board(tmp_path, session)
        one.introduce(About(title=title))
        one.write({"todos": [{"content": "Begin"}]})
        one.store.close()
    for part in ("3f2", "3f2a-11", "PARSER"):
        assert run(tmp_path, "show", "--session", part, "--json").data["session"] == "3f2a-11"
    assert run(tmp_path, "done", "1", "--session", "3f2").stdout.startswith("3f2a-11 / main  Fix the parser\n")
    for part in ("3f", "fix"):
        ran = run(tmp_path, "done", "1", "--session", part)
        assert ran.code == Exit.REFUSED
        assert "'3f9c-22 (Fix the lexer)', '3f2a-11 (Fix the parser)'" in ran.stderr or (
            "'3f2a-11 (Fix the parser)', '3f9c-22 (Fix the lexer)'" in ran.stderr
        )
    run(tmp_path, "rename", "Nightly sweep", "--session", "77")
    assert run(tmp_path, "show", "--session", "sweep", "--json").data["title"] == "Nightly sweep"
    assert run(tmp_path, "import", "--session", "3f2", stdin="- [ ] New\n").stdout == "Imported 3f2 / main\n"


def test_plans_that_were_put_away(tmp_path: Path) -> None:
    """Lists leave them out and no edit takes them by itself; any change brings one back, and nothing is lost."""
    populate(tmp_path)
    tried = run(tmp_path, "archive", "--older-than", "30", "--dry-run")
    assert tried.stdout.count("Would archive") == 2 and len(run(tmp_path, "sessions", "--json").data) == 2
    assert run(tmp_path, "archive", "--session", "nightly").stdout.startswith(
        "Archived nightly 夜间 / tester, changed "
    )
    assert [one["session"] for one in run(tmp_path, "sessions", "--json").data] == ["default"]
    assert "Other plans were archived: holdfast sessions --all" in run(tmp_path, "sessions").stdout
    assert len(run(tmp_path, "sessions", "--all", "--json").data) == 2
    assert run(tmp_path, "done", "2").stdout.startswith("default / main\n"), "though another was changed last"
    assert run(tmp_path, "archive", "--session", "nightly").stdout == "0 plans; any change brings one back\n"
    run(tmp_path, "add", "Back again", "--session", "nightly")
    assert len(run(tmp_path, "sessions", "--json").data) == 2


def test_watching_a_session_that_is_not_there(tmp_path: Path) -> None:
    """It is refused, with the names of those that are there."""
    populate(tmp_path)
    ran = run(tmp_path, "watch", "--once", "--session", "nope")
    assert (ran.stdout, ran.code) == ("", Exit.REFUSED)
    assert ran.stderr.startswith("holdfast: no session 'nope'; there are 'nightly 夜间', 'default")


def test_a_session_with_no_main_agent_shows_another(tmp_path: Path) -> None:
    """The main agent is meant where there is one, else the one changed last."""
    populate(tmp_path)
    assert run(tmp_path, "show", "--json").data["agent"] == "tester"
    helper = board(tmp_path, "default", "helper", 1_800_000_000.0)
    helper.write({"todos": [{"content": "Help"}]})
    helper.store.close()
    assert run(tmp_path, "show", "--json").data["agent"] == "main"
    assert run(tmp_path, "show", "--agent", "helper", "--json").data["todos"][0]["content"] == "Help"


def test_the_environment_names_a_plan_and_an_option_wins(tmp_path: Path) -> None:
    """An agent's own shell shows the agent's own plan."""
    populate(tmp_path)
    named = {"HOLDFAST_SESSION": "default", "HOLDFAST_AGENT": "main"}
    assert run(tmp_path, "show", "--json", **named).data["revision"] == 6
    words = ("show", "--session", "nightly 夜间", "--agent", "tester", "--json")
    assert run(tmp_path, *words, **named).data["revision"] == 1
    assert "No todos." in run(tmp_path, "show", HOLDFAST_SESSION="not yet").stdout


def test_a_file_can_be_named(tmp_path: Path) -> None:
    """`--db` wins over everything."""
    populate(tmp_path)
    (tmp_path / "plans.db").rename(tmp_path / "other.db")
    assert run(tmp_path, "show", "--db", "other.db", "--json").data["total"] == 2
    assert run(tmp_path, "show", "--json").data["total"] == 0


def test_the_project_of_the_folder_is_found(tmp_path: Path) -> None:
    """Without a name, the plans are in the checkout's own folder."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep").mkdir()
    environ = environment(tmp_path)
    del environ["HOLDFAST_DB"]
    subprocess.run([*HOLDFAST, "add", "Here"], cwd=tmp_path / "deep", env=environ, check=True, capture_output=True)
    assert (tmp_path / ".holdfast" / "plans.db").exists()


def test_an_empty_store_is_no_error(tmp_path: Path) -> None:
    """Before the first write there is just nothing to show, it is said where, and no file is made."""
    for command in ("show", "sessions", "log"):
        assert run(tmp_path, command).stdout == f"No plans yet in {tmp_path}/plans.db\n"
    assert run(tmp_path, "sessions", "--json").data == []
    assert run(tmp_path, "stats").code == 0
    assert not (tmp_path / "plans.db").exists()


def test_a_revision_that_never_was(tmp_path: Path) -> None:
    """It is refused in one line."""
    populate(tmp_path)
    ran = run(tmp_path, "show", "--session", "default", "--at", "99")
    assert (ran.code, ran.stderr) == (Exit.REFUSED, "holdfast: no revision 99: the history goes up to 6\n")


def test_the_log_has_a_limit(tmp_path: Path) -> None:
    """As many changes as were asked for, the newest first, all of them with 0."""
    populate(tmp_path)
    log = ("log", "--session", "default", "--json")
    assert [record["revision"] for record in run(tmp_path, *log, "-n", "2").data] == [6, 5]
    assert len(run(tmp_path, *log, "--limit", "0").data) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("shwo",), "holdfast: no command 'shwo' (did you mean show?); see holdfast --help\n"),
        (("--quick",), "holdfast: no command '--quick'; see holdfast --help\n"),
        (
            ("show", "--at", "x"),
            "holdfast: argument --at: expected a whole number from 0 to 999999999, received 'x'; "
            "see holdfast show --help\n",
        ),
        (
            ("move", "1", "0"),
            "holdfast: argument PLACE: expected a whole number from 1 to 999999999, received '0'; "
            "see holdfast move --help\n",
        ),
        (
            ("show", "--sess", "x"),
            "holdfast: show takes no '--sess x' (did you mean --session?); see holdfast show --help\n",
        ),
        (("start", "1", "2"), "holdfast: start takes no '2'; see holdfast start --help\n"),
        (
            ("export", "--format", "xml"),
            "holdfast: argument --format: expected one of json, markdown, received 'xml'; see holdfast export --help\n",
        ),
        (
            ("show", "--json", "--format", "recap"),
            "holdfast: --json and --format recap contradict each other: give one of them; see holdfast show --help\n",
        ),
        (
            ("dialects", "--schema"),
            "holdfast: --schema, --prompt and --tool need a dialect: name one; see holdfast dialects --help\n",
        ),
        (
            ("export", "--agent", "main"),
            "holdfast: --agent is for --format markdown: JSON has every agent of a session; "
            "see holdfast export --help\n",
        ),
        (("done",), "holdfast: the following arguments are required: ID; see holdfast done --help\n"),
        (("claim",), "holdfast: the following arguments are required: --as; see holdfast claim --help\n"),
        (
            ("claim", "--as", ""),
            "holdfast: argument --as: expected a name of 1 to 200 characters, received ''; see holdfast claim --help\n",
        ),
        (("release", "1"), "holdfast: the following arguments are required: --as; see holdfast release --help\n"),
        (("finish", "1"), "holdfast: the following arguments are required: --as; see holdfast finish --help\n"),
        (("migrate",), "holdfast: the following arguments are required: --to; see holdfast migrate --help\n"),
        (("convert",), "holdfast: the following arguments are required: --from, --to; see holdfast convert --help\n"),
        (
            ("convert", "--from", "codex"),
            "holdfast: the following arguments are required: --to; see holdfast convert --help\n",
        ),
        (
            ("eval", "--price-in", "3"),
            "holdfast: a cost needs both --price-in and --price-out; see holdfast eval --help\n",
        ),
    ],
)
def test_a_wrong_line_is_told_in_one(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    """Exit code 2, and where help is."""
    ran = run(tmp_path, *words)
    assert (ran.stdout, ran.stderr, ran.code) == ("", message, Exit.USAGE)


def test_no_word_at_all_shows_the_plan_here(tmp_path: Path) -> None:
    """Or, where there is none, what to do first."""
    ran = run(tmp_path)
    assert (ran.stderr, ran.code) == ("", Exit.OK)
    assert "holdfast install claude-code" in ran.stdout and "holdfast add" in ran.stdout
    populate(tmp_path)
    assert run(tmp_path).stdout.startswith(run(tmp_path, "show").stdout)


@pytest.mark.parametrize(
    "words", [("show",), ("log",), ("sessions",), ("stats",), ("add", "x"), ("undo",), ("export",)]
)
def test_a_store_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Exit code 3, for reading and for writing."""
    (tmp_path / "plans.db").write_bytes(b"something else " * 1000)
    ran = run(tmp_path, *words)
    assert (ran.stdout, ran.code) == ("", Exit.STORE)
    assert ran.stderr.startswith("holdfast: ")
    assert "set it aside" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    """`holdfast log | head -1` ends quietly."""
    populate(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    command = [*HOLDFAST, "log", "--session", "default"]
    with subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, env=environment(tmp_path)) as process:
        os.close(writer)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == Exit.PIPE


def test_closed_streams_are_no_traceback(tmp_path: Path) -> None:
    """With nowhere to print to, a command still does its work."""
    line = '"$@" >&- 2>&-'
    ran = subprocess.run(["sh", "-c", line, "sh", *HOLDFAST, "add", "Quietly"], env=environment(tmp_path), check=False)
    assert ran.returncode == Exit.OK
    assert run(tmp_path, "show", "--json").data["total"] == 1


def test_it_is_on_the_path(tmp_path: Path) -> None:
    """The console script does what `python -m holdfast` does."""
    populate(tmp_path)
    assert run(tmp_path, "show", program=[str(SCRIPTS / "holdfast")]) == run(tmp_path, "show")
    assert run(tmp_path, "--version").stdout.startswith("holdfast ")


def test_every_exit_code_is_explained() -> None:
    """The reference has a line for each."""
    assert set(EXIT_CODES) == set(Exit)
