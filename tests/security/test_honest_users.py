"""What all this asks of people who do nothing wrong: mostly nothing, and never the same thing twice.

Each of them works in a project. Whatever a refusal tells them to do, they do, and go on. How often they were stopped is
counted.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from planted import NOBODY, cloned, folder_of_nobody, git, run, somebody_else, unpacked

from holdfast import Board
from holdfast.stores.locate import locate
from holdfast.stores.sqlite import SQLiteStore

COMMANDS = (("add", "mine"), ("add", "more"), ("show",), ("log",), ("sessions",), ("doctor",), ("undo",))


def stops(project: Path, **environ: str) -> int:
    """How often somebody is stopped who works in a project, and does what the refusals say."""
    project.mkdir(parents=True, exist_ok=True)
    count = 0
    for words in COMMANDS:
        while (answer := run(project, *words, **environ)).returncode == 3:
            count += 1
            advice = (answer.stdout + answer.stderr).replace("\n", " ").split("`")[1::2]
            assert advice and count < 5, answer.stdout + answer.stderr
            for command in advice:
                path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
                subprocess.run(command, shell=True, cwd=project, env=os.environ | environ | {"PATH": path}, check=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
    return count


def checkout(folder: Path) -> Path:
    """A repository of one's own."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-qm", "first", "--allow-empty")
    return folder


def fresh(folder: Path) -> Path:
    """A new checkout."""
    return checkout(folder / "project")


def moved(folder: Path) -> Path:
    """A checkout in which one has worked, under another name."""
    assert stops(checkout(folder / "before")) == 0
    return (folder / "before").rename(folder / "project")


def restored(folder: Path) -> Path:
    """A checkout that was lost, back in its place from a copy."""
    assert stops(checkout(folder / "project")) == 0
    shutil.copytree(folder / "project", folder / "backup")
    shutil.rmtree(folder / "project")
    return shutil.copytree(folder / "backup", folder / "project")


def worktree(folder: Path) -> Path:
    """A second working tree of a checkout that has plans."""
    assert stops(checkout(folder / "main")) == 0
    git(folder / "main", "worktree", "add", "-q", str(folder / "tree"))
    return folder / "tree"


def nested(folder: Path) -> Path:
    """A checkout below another one that has plans."""
    assert stops(checkout(folder / "outer")) == 0
    return checkout(folder / "outer" / "inner")


def subfolder(folder: Path) -> Path:
    """A folder deep in a checkout that has plans."""
    assert stops(checkout(folder / "project")) == 0
    (folder / "project" / "a" / "b").mkdir(parents=True)
    return folder / "project" / "a" / "b"


def made_by_hand(folder: Path) -> Path:
    """A folder that somebody has made, empty and with a umask of a team."""
    (folder / ".holdfast").mkdir()
    (folder / ".holdfast").chmod(0o775)
    return folder


@pytest.mark.parametrize("place", [fresh, moved, restored, worktree, nested, subfolder, made_by_hand])
def test_who_works_in_own_folders_is_asked_nothing(tmp_path: Path, place: Callable[[Path], Path]) -> None:
    """Not in a new project, a moved or restored one, a second working tree, or a repository below another."""
    assert stops(place(tmp_path)) == 0


def copied(folder: Path) -> Path:
    """A copy of one's own project, as from another machine."""
    assert stops(checkout(folder / "mine")) == 0
    return shutil.copytree(folder / "mine", folder / "project")


def open_copy(folder: Path) -> Path:
    """A copy that the whole group may write, as archives make them where that is the habit."""
    project = copied(folder)
    subprocess.run(["chmod", "-R", "go+w", str(project)], check=True)
    return project


def opened(folder: Path) -> Path:
    """One's own project, after `chmod -R g+w`."""
    assert stops(checkout(folder / "project")) == 0
    subprocess.run(["chmod", "-R", "g+w", str(folder)], check=True)
    return folder / "project"


@pytest.mark.parametrize("place", [unpacked, cloned, copied, open_copy, opened])
def test_who_takes_over_a_folder_is_asked_once(tmp_path: Path, place: Callable[[Path], Path]) -> None:
    """An archive, a clone that has plans in it, a copy: one refusal, whatever is to be done, and then never again."""
    project = place(tmp_path)
    assert stops(project) == 1
    assert stops(project) == 0


def test_a_trusted_folder_stays_trusted_where_it_is_moved(tmp_path: Path) -> None:
    """It was asked for once."""
    assert stops(unpacked(tmp_path)) == 1
    assert stops((tmp_path / "copy").rename(tmp_path / "elsewhere")) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_second_user_has_plans_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout of their own nothing is asked, whatever lies above it."""
    with folder_of_nobody() as shared:
        (shared / ".holdfast").mkdir()
        assert stops(shared) == 0
        with somebody_else():
            theirs = checkout(shared / "theirs")
            monkeypatch.setenv("HOME", str(theirs))
            monkeypatch.delenv("XDG_STATE_HOME", raising=False)
            path = Path(locate(cwd=str(theirs)))
            with closing(SQLiteStore(path)) as store:
                assert Board(store=store).add("mine").ok
            with closing(SQLiteStore(path)) as store:
                assert len(store.sessions()) == 1
        assert path == theirs / ".holdfast" / "plans.db"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_container_says_it_once_in_a_variable(tmp_path: Path) -> None:
    """The project belongs to another uid there, and nothing is kept between runs."""
    project = copied(tmp_path)
    for path in (project, *project.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    new_home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "home" / "state")}
    assert run(project, "show", **new_home).returncode == 3
    assert stops(project, HOLDFAST_TRUST="*", **new_home) == 0
    assert stops(project, HOLDFAST_TRUST=str(project), **new_home) == 0
