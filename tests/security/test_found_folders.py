"""A plan folder that came with a clone, an archive or another user is not read before its user allows it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from planted import EVIL, NOBODY, attackers_project, cloned, folder_of_nobody, git, run, somebody_else, unpacked

from holdfast import Board
from holdfast.errors import UntrustedFile
from holdfast.stores import git_index, trust
from holdfast.stores.git_index import is_tracked
from holdfast.stores.sqlite import SQLiteStore

LIST = '{"todos": [{"content": "mine", "status": "pending"}]}'


def made_here(project: Path, *texts: str) -> Path:
    """A project with plans of this user."""
    project.mkdir(exist_ok=True)
    board = Board(store=project / ".holdfast" / "plans.db")
    assert board.write({"todos": [{"content": text} for text in texts or ("mine",)]}).ok
    board.store.close()
    return project


def refusal(project: Path) -> str:
    """Why the plan file of a project is not opened."""
    store = SQLiteStore(project / ".holdfast" / "plans.db")
    with pytest.raises(UntrustedFile) as caught:
        store.sessions()
    reply = Board(store=store).write({"todos": [{"content": "x"}]})
    assert not reply.ok and str(caught.value) in reply.text
    return str(caught.value)


@pytest.mark.parametrize("plant", [cloned, unpacked])
@pytest.mark.parametrize("words", [("show",), ("sessions",), ("log",), ("add", "x"), ("export",), ("doctor",)])
def test_no_command_reads_what_was_planted(
    tmp_path: Path, plant: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    """Each ends with exit code 3 and one line that says what to do; the attacker's words are not in it."""
    answer = run(plant(tmp_path), *words)
    assert answer.returncode == 3
    assert "curl" not in answer.stdout + answer.stderr
    said = " ".join((answer.stdout + answer.stderr).split())
    assert "run `holdfast trust`" in said or "git rm -r --cached" in said


def test_a_hook_gives_the_model_nothing_that_was_planted(tmp_path: Path) -> None:
    """The session starts without a plan, and the log of hooks says why."""
    project = unpacked(tmp_path)
    event = {"hook_event_name": "SessionStart", "session_id": "default", "cwd": str(project), "source": "compact"}
    command = [sys.executable, "-m", "holdfast", "hook", "claude-code"]
    environ = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    answer = subprocess.run(command, input=json.dumps(event), capture_output=True, text=True, env=environ, cwd=project)
    assert (answer.returncode, answer.stdout) == (0, "")
    logged = (tmp_path / "state" / "holdfast" / "hooks.log").read_text()
    assert "was not made by you on this machine" in logged and "curl" not in logged


def test_trust_allows_a_folder_for_good(tmp_path: Path) -> None:
    """The user is asked once: after that it works, also when the folder is moved; another copy is asked for again."""
    project = unpacked(tmp_path)
    assert "was not made by you on this machine" in refusal(project)
    said = run(project, "trust", "--json")
    assert (said.returncode, json.loads(said.stdout)) == (0, {"folder": str(project / ".holdfast"), "plans": 1})
    assert EVIL in run(project, "show").stdout
    project.rename(tmp_path / "moved")
    assert EVIL in run(tmp_path / "moved", "show").stdout
    assert "was not made by you" in refusal(tmp_path / "source")


def test_what_git_tracks_cannot_be_trusted(tmp_path: Path) -> None:
    """The next pull could change it. So the one way is to take it out of git, and then to allow it."""
    project = cloned(tmp_path)
    said = run(project, "trust")
    assert said.returncode == 3 and f"git rm -r --cached {project}/.holdfast" in said.stderr
    git(project, "rm", "-rq", "--cached", ".holdfast")
    assert "run `holdfast trust`" in refusal(project)
    assert run(project, "trust").returncode == 0
    assert EVIL in run(project, "show").stdout


def test_a_known_folder_is_refused_once_git_tracks_a_file_in_it(tmp_path: Path) -> None:
    """A pull may bring a conversation, or a plan file under another name, into the folder of a user."""
    project = made_here(tmp_path / "project")
    git(project, "init", "-q")
    assert run(project, "show").returncode == 0
    (project / ".holdfast" / "conversations").mkdir()
    (project / ".holdfast" / "conversations" / "x.jsonl").write_text("{}\n")
    git(project, "add", "-f", ".holdfast/conversations")
    assert "git tracks files in" in refusal(project)


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_the_index_of_git_is_read_in_every_form(tmp_path: Path, version: str, hashes: str) -> None:
    """Names that only look like the folder, or lie in another folder, do not count."""
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    git(tmp_path, "config", "index.version", version)
    for name in ("a", ".holdfast-x", "tests/.holdfast/plans.db", "x/y/.holdfast/plans.d", "x/y/.holdfast/plans.db"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    git(tmp_path, "add", "-A")
    folders = {place: is_tracked(str(tmp_path / place / ".holdfast")) for place in ("", "tests", "x", "x/y")}
    assert folders == {"": False, "tests": True, "x": False, "x/y": True}
    (tmp_path / ".holdfast").mkdir()
    (tmp_path / ".holdfast" / "plans.db").write_text("x")
    git(tmp_path, "add", "--intent-to-add", ".holdfast")
    assert is_tracked(str(tmp_path / ".holdfast"))
    git(tmp_path, "update-index", "--split-index")
    assert is_tracked(str(tmp_path / ".holdfast"))


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_submodule_is_tracked_and_cannot_be_trusted(tmp_path: Path, version: str) -> None:
    """Whoever changes the submodule changes the plans: git has the folder itself in its index, and no file of it."""
    source, project = attackers_project(tmp_path / "source"), tmp_path / "project"
    shutil.copytree(source / ".holdfast", tmp_path / "plans", ignore=shutil.ignore_patterns(".gitignore"))
    for folder in (tmp_path / "plans", project):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q")
    git(tmp_path / "plans", "add", "-A")
    git(tmp_path / "plans", "commit", "-qm", "Plans")
    git(project, "config", "index.version", version)
    git(project, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(tmp_path / "plans"), ".holdfast")
    assert "git tracks files in" in refusal(project)
    assert run(project, "trust").returncode == 3


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_name_in_another_case_is_the_same_folder_on_a_mac(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """A repository that has `.HoldFast` fills `.holdfast` where the file system does not tell them apart."""
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "index.version", version)
    (tmp_path / ".HoldFast").mkdir()
    (tmp_path / ".HoldFast" / "plans.db").write_text("x")
    git(tmp_path, "add", "-A")
    for any_case in (False, True):
        monkeypatch.setattr(git_index, "ANY_CASE", any_case)
        assert is_tracked(str(tmp_path / ".holdfast")) is any_case


@pytest.mark.parametrize("name", [".git", ".git/index", ".git/HEAD"])
def test_a_pipe_in_place_of_a_file_of_git_makes_nobody_wait(tmp_path: Path, name: str) -> None:
    """An archive can hold pipes. Whoever reads one waits for a writer, for ever."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    answer = run(tmp_path, "add", "mine")  # within a minute
    assert name == ".git/HEAD" or (answer.returncode == 3 and "git's index cannot be read" in answer.stderr)


def test_an_index_without_bounds_does_not_fill_the_memory(tmp_path: Path) -> None:
    """An index may be a file of any size, with nothing in it."""
    git(tmp_path, "init", "-q")
    with (tmp_path / ".git" / "index").open("wb") as index:
        index.truncate(10**12)
    answer = run(tmp_path, "add", "mine")
    assert answer.returncode == 3 and "git's index cannot be read (File too large)" in answer.stderr


def test_a_linked_worktree_has_an_index_of_its_own(tmp_path: Path) -> None:
    """There, `.git` is a file that says where the index is."""
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-qm", "first", "--allow-empty")
    git(main, "worktree", "add", "-q", str(tree))
    made_here(tree)
    assert not is_tracked(str(tree / ".holdfast"))
    git(tree, "add", "-f", ".holdfast/plans.db")
    assert is_tracked(str(tree / ".holdfast"))
    assert not is_tracked(str(main / ".holdfast"))


def test_a_linked_file_or_folder_is_refused(tmp_path: Path) -> None:
    """A link would read another project's plans, or make a file outside; nothing is made at its other end."""
    theirs = made_here(tmp_path / "theirs", "secret")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / ".holdfast").symlink_to(theirs / ".holdfast")
    assert "is a link" in refusal(victim)
    (victim / ".holdfast").unlink()
    (victim / ".holdfast").symlink_to(tmp_path / "outside")
    assert "is a link" in refusal(victim)
    (victim / ".holdfast").unlink()
    made_here(victim)
    for target in (theirs / ".holdfast" / "plans.db", tmp_path / "outside"):
        (victim / ".holdfast" / "plans.db").unlink()
        (victim / ".holdfast" / "plans.db").symlink_to(target)
        reply = Board(store=victim / ".holdfast" / "plans.db").write(LIST)
        assert not reply.ok and "is a link" in reply.text
        assert "is a link" in refusal(victim)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(("name", "mode"), [("", 0o777), ("", 0o770), ("plans.db", 0o666), ("plans.db", 0o620)])
def test_what_others_may_write_is_refused(tmp_path: Path, name: str, mode: int) -> None:
    """The message has the command that cures it, and then it works."""
    project = made_here(tmp_path / "project")
    place = project / ".holdfast" / name
    place.chmod(mode)
    message = refusal(project)
    assert f"(mode {mode:o}): run `chmod -R go-w {project / '.holdfast'}`" in message
    subprocess.run(message.split("`")[1], shell=True, check=True)
    assert run(project, "show").returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_users_folder_is_refused() -> None:
    """In a folder that many share, theirs is not opened, and above the root of one's own checkout it does not count."""
    with folder_of_nobody() as shared:
        made_here(shared / "x")
        (shared / "x" / ".holdfast").rename(shared / ".holdfast")
        for place in (shared / ".holdfast", *(shared / ".holdfast").iterdir()):
            os.chown(place, NOBODY, NOBODY)
        inside = shared / "mine"
        inside.mkdir()
        assert f"belongs to another user (uid {NOBODY})" in run(inside, "show").stderr
        git(inside, "init", "-q")
        assert run(inside, "add", "mine").returncode == 0
        assert (inside / ".holdfast" / "plans.db").exists()


def test_an_empty_folder_is_made_known_and_a_filled_one_is_not(tmp_path: Path) -> None:
    """Whoever makes the folder by hand needs no trust; a planted conversation does not become known with it."""
    mine, planted = tmp_path / "mine", tmp_path / "planted"
    (mine / ".holdfast").mkdir(parents=True)
    (mine / ".holdfast").chmod(0o775)
    made_here(mine)
    assert (mine / ".holdfast").stat().st_mode & 0o777 == 0o700
    (planted / ".holdfast" / "conversations").mkdir(parents=True)
    assert not Board(store=planted / ".holdfast" / "plans.db").write(LIST).ok
    assert not (planted / ".holdfast" / "plans.db").exists()


def test_a_forged_id_is_not_known(tmp_path: Path) -> None:
    """An id that leads out of the records, is none, or blocks whoever reads it."""
    project = unpacked(tmp_path)
    id = project / ".holdfast" / "id"
    for forged in ("", "../" * 11, "f" * 32, "f" * 33, "."):
        id.write_text(forged)
        assert "was not made by you" in refusal(project)
    id.unlink()
    os.mkfifo(id)
    assert "was not made by you" in refusal(project)


def test_a_copy_that_comes_back_is_not_known(tmp_path: Path) -> None:
    """Its id is ours, but somebody else may have changed it. Where it was, and where it is moved to, it stays known."""
    mine = made_here(tmp_path / "mine")
    returned = shutil.copytree(mine, tmp_path / "returned")
    assert "was not made by you" in refusal(returned)
    assert run(returned, "trust").returncode == 0
    assert run(returned, "show").returncode == run(mine, "show").returncode == 0
    mine.rename(tmp_path / "moved")
    assert run(tmp_path / "moved", "show").returncode == 0


def test_folders_are_trusted_by_a_variable_too(tmp_path: Path) -> None:
    """In a container or CI, where nothing is kept between runs, the environment says it."""
    project = unpacked(tmp_path)
    for value in ("*", str(project), f"/elsewhere{os.pathsep}{project / '.holdfast'}"):
        assert EVIL in run(project, "show", HOLDFAST_TRUST=value).stdout
    assert run(project, "show", HOLDFAST_TRUST=str(tmp_path)).returncode == 3


def test_a_user_without_a_home_needs_no_trust_for_own_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the home folder cannot be written, the record is in a private folder for temporary files."""
    with folder_of_nobody() as shared, somebody_else():
        monkeypatch.setenv("HOME", "/proc/nowhere")
        monkeypatch.setenv("TMPDIR", str(shared))
        made_here(shared / "project")
        with closing(SQLiteStore(shared / "project" / ".holdfast" / "plans.db")) as store:
            assert len(store.sessions()) == 1
        (shared / f"holdfast-{os.geteuid()}").chmod(0o755)
        assert "was not made by you" in refusal(shared / "project")


def test_records_are_found_by_programs_that_get_only_the_home_folder(tmp_path: Path) -> None:
    """An MCP client starts its servers without XDG_STATE_HOME; what the user made in a shell is known there."""
    made = run(tmp_path, "add", "mine", XDG_STATE_HOME=str(tmp_path / "state"))
    assert made.returncode == 0
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    assert run(project, "add", "mine", XDG_STATE_HOME=str(tmp_path / "state")).returncode == 0
    assert run(project, "show").returncode == 0


def test_only_a_folder_of_plans_needs_trust(tmp_path: Path) -> None:
    """A file that a user names elsewhere is opened as it is; the command says so."""
    said = run(tmp_path, "trust", "--db", "plans.db")
    assert said.returncode == 1 and "needs no trust" in said.stderr
    with pytest.raises(UntrustedFile):
        trust.trust(str(_file(tmp_path / ".holdfast")))


def _file(path: Path) -> Path:
    path.touch()
    return path
