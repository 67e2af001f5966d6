"""The commands on a database: an address wherever a plan file may be named, and no password in what they print."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import IO

import postgres_server
from driving import TODO_WRITE, environment, populate, run
from patience import PATIENCE

from holdfast import Board
from holdfast.cli.command import Exit
from holdfast.stores import open_store
from holdfast.stores.postgres import PostgresStore

SECRET = "s3cr3t"


def address() -> str:
    """A namespace of its own, with a password that nobody asks for."""
    return postgres_server.shared().address(password=SECRET)


def test_plans_move_into_a_database_and_every_command_finds_them_there(tmp_path: Path) -> None:
    """`migrate` from the file of a project; then `show`, `log`, `export`, `add` and `watch` by HOLDFAST_DB and --db."""
    populate(tmp_path)
    to = address()
    ran = run(tmp_path, "migrate", "--to", to)
    assert ran.code == Exit.OK, ran.stderr
    assert "the same on both sides" in ran.stdout and SECRET not in ran.stdout
    again = run(tmp_path, "migrate", "--to", to, "--json").data
    assert (again["new"], again["plans"]) == (0, 2)
    assert SECRET not in again["to"]
    for words in (("show",), ("log", "--limit", "0"), ("export",)):
        assert run(tmp_path, *words, HOLDFAST_DB=to).stdout == run(tmp_path, *words).stdout
    assert run(tmp_path, "add", "from the shell", "--db", to).code == Exit.OK
    assert "from the shell" in run(tmp_path, "watch", "--once", HOLDFAST_DB=to).stdout


def test_an_agents_shell_writes_into_a_database(tmp_path: Path) -> None:
    """`TodoWrite` takes the address from the environment."""
    to = address()
    todos = '{"todos": [{"content": "By hand", "status": "pending", "activeForm": "Doing it by hand"}]}'
    written = run(tmp_path, todos, program=TODO_WRITE, HOLDFAST_DB=to)
    assert written.code == Exit.OK, written.stderr
    with closing(open_store(to)) as store:
        assert [kept.plan.todos[0].content for kept in store.sessions()] == ["By hand"]
    wrong = run(tmp_path, todos, program=TODO_WRITE, HOLDFAST_DB=f"mysql://ann:{SECRET}@db/plans")
    assert (wrong.code, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("Error: no store for mysql:// addresses") and SECRET not in wrong.stderr


def test_an_export_goes_into_a_database_through_a_pipe(tmp_path: Path) -> None:
    """`holdfast export | holdfast import`, with the history."""
    populate(tmp_path)
    to = address()
    exported = run(tmp_path, "export").stdout
    assert run(tmp_path, "import", "-", "--db", to, stdin=exported).code == Exit.OK
    assert run(tmp_path, "export", "--db", to).stdout == exported


def test_the_doctor_looks_at_a_database(tmp_path: Path) -> None:
    """It tells how much there is, or what is wrong, and shows no password either way."""
    to = address()
    run(tmp_path, "add", "a", "--db", to)
    found = run(tmp_path, "doctor", "--db", to)
    assert found.code == Exit.OK
    assert "plans: 1, changes: 1" in found.stdout and "sound" in found.stdout
    assert SECRET not in found.stdout + found.stderr
    away = to.replace(f":{postgres_server.shared().port}/", ":1/")
    lost = run(tmp_path, "doctor", "--db", away, "--json")
    assert lost.code == Exit.STORE
    assert "cannot be reached" in lost.data["trouble"]
    assert SECRET not in lost.stdout + lost.stderr


def test_a_command_without_its_database_says_so_in_one_line(tmp_path: Path) -> None:
    """The exit code is that of a store that cannot be used."""
    away = address().replace(f":{postgres_server.shared().port}/", ":1/")
    ran = run(tmp_path, "show", "--db", away)
    assert ran.code == Exit.STORE
    assert len(ran.stderr.splitlines()) == 1 and "cannot be reached" in ran.stderr
    assert SECRET not in ran.stderr


def test_watch_prints_changes_of_others_as_they_come(tmp_path: Path) -> None:
    """In a pipe, `holdfast watch` has a line for each change that another process makes in the database."""
    to = address()
    with_store = open_store(to)
    Board(store=with_store).add("first")
    command = [sys.executable, "-m", "holdfast", "watch", "--db", to]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment(tmp_path), start_new_session=True
    ) as watching:
        try:
            seen = read_until(watching.stdout, "first")
            Board(store=with_store).add("second")
            seen += read_until(watching.stdout, "second")
            os.killpg(watching.pid, signal.SIGINT)
            watching.communicate(timeout=PATIENCE)
        finally:
            watching.kill()
            with_store.close()
    assert SECRET not in seen


def read_until(stream: IO[str] | None, text: str) -> str:
    """The lines up to one that has a text in it."""
    assert stream is not None
    seen = ""
    while text not in seen:
        line = stream.readline()
        assert line, f"it ended before it told of {text}"
        seen += line
    return seen


def test_agents_in_a_shell_share_a_plan(tmp_path: Path) -> None:
    """`claim`, `release` and `finish` on the project's file: what one has, the other does not get."""
    Board(store=tmp_path / "plans.db").update([{"content": "one"}, {"content": "two"}])
    first = run(tmp_path, "claim", "--as", "ann", "--json").data
    assert (first["claimed"], first["todos"][0]["status"]) == ("1", "in_progress")
    refused = run(tmp_path, "claim", "1", "--as", "bob")
    assert refused.code == Exit.REFUSED
    assert refused.stderr == "holdfast: todo 1 is held by 'ann'\n"
    assert run(tmp_path, "finish", "1", "--as", "bob").code == Exit.REFUSED
    assert "1/2 done" in run(tmp_path, "finish", "1", "--as", "ann", "--evidence", "seen").stdout
    assert run(tmp_path, "claim", "--as", "bob", "--seconds", "60", "--json").data["claimed"] == "2"
    assert run(tmp_path, "release", "2", "--as", "bob").code == Exit.OK
    assert run(tmp_path, "claim", "2", "--as", "").code == Exit.USAGE


def test_a_damaged_plan_is_named_by_the_doctor(tmp_path: Path) -> None:
    """Of a database, too; and what only a file can do about it is not tried there."""
    to = address()
    with closing(open_store(to)) as store:
        for session in ("broken", "well"):
            Board(store=store, session=session).add("a")
        assert isinstance(store, PostgresStore)
        ours = f"namespace = (SELECT id FROM holdfast.namespaces WHERE name = '{store.namespace}')"
    postgres_server.shared().execute(f"UPDATE holdfast.boards SET plan = '?' WHERE session = 'broken' AND {ours}")
    ran = run(tmp_path, "doctor", "--set-aside", HOLDFAST_DB=to)
    assert ran.code == Exit.STORE
    assert "damaged records: broken / main" in ran.stdout and "puts the damage aside" not in ran.stdout
    assert len(run(tmp_path, "sessions", "--json", HOLDFAST_DB=to).data) == 2
