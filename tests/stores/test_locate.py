"""Where the plan file of a working directory is."""

import subprocess
from pathlib import Path

import pytest

from holdfast.stores.locate import git_branch, locate


def test_the_variable_overrides_everything(tmp_path: Path) -> None:
    """HOLDFAST_DB names the file, from the working directory if it is relative."""
    (tmp_path / ".holdfast").mkdir()
    assert locate({"HOLDFAST_DB": "/somewhere/else.db"}, str(tmp_path)) == "/somewhere/else.db"
    assert locate({"HOLDFAST_DB": "here.db"}, str(tmp_path)) == str(tmp_path / "here.db")


def test_the_variable_may_name_a_database(tmp_path: Path) -> None:
    """An address is taken as it is, from whatever folder."""
    address = "postgresql://db.example/plans?namespace=a"
    assert locate({"HOLDFAST_DB": address}, str(tmp_path)) == address


def test_a_tilde_in_the_variable_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Editors and services that set the variable do not expand it themselves."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate({"HOLDFAST_DB": "~/plans.db"}, "/") == str(tmp_path / "plans.db")


def test_the_folder_is_found_upward(tmp_path: Path) -> None:
    """The nearest .holdfast above the working directory is the project's."""
    deep = tmp_path / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / ".holdfast").mkdir()
    assert locate({}, str(deep)) == str(tmp_path / ".holdfast" / "plans.db")
    (tmp_path / "src" / ".holdfast").mkdir()
    assert locate({}, str(deep)) == str(tmp_path / "src" / ".holdfast" / "plans.db")


def test_a_file_of_that_name_is_no_folder(tmp_path: Path) -> None:
    """A .holdfast that is a file does not count."""
    (tmp_path / ".holdfast").touch()
    assert locate({"XDG_STATE_HOME": "/state"}, str(tmp_path)) == "/state/holdfast/plans.db"


@pytest.mark.parametrize("is_worktree", [False, True])
def test_else_it_is_the_root_of_the_checkout(tmp_path: Path, is_worktree: bool) -> None:
    """With no .holdfast yet, the file will be in the root of the git checkout; a worktree's .git is a file."""
    deep = tmp_path / "src"
    deep.mkdir()
    git = tmp_path / ".git"
    git.touch() if is_worktree else git.mkdir()
    assert locate({}, str(deep)) == str(tmp_path / ".holdfast" / "plans.db")


def test_the_search_ends_at_the_root_of_the_checkout(tmp_path: Path) -> None:
    """A .holdfast above it may be another user's, in a folder that many share: it does not count."""
    (tmp_path / ".holdfast").mkdir()
    (tmp_path / "one" / ".git").mkdir(parents=True)
    assert locate({}, str(tmp_path / "one")) == str(tmp_path / "one" / ".holdfast" / "plans.db")


def test_else_it_is_the_users_state_folder(tmp_path: Path) -> None:
    """Outside of any project the plans are the user's, where XDG says."""
    assert locate({"XDG_STATE_HOME": "/state"}, str(tmp_path)) == "/state/holdfast/plans.db"
    assert locate({"HOME": "/home/ann"}, str(tmp_path)) == "/home/ann/.local/state/holdfast/plans.db"
    relative = {"HOME": "/home/ann", "XDG_STATE_HOME": "state"}
    assert locate(relative, str(tmp_path)) == "/home/ann/.local/state/holdfast/plans.db"


def test_the_branch_of_a_checkout(tmp_path: Path) -> None:
    """As git itself says it, in a checkout and in a worktree of it; nothing where no branch is checked out."""
    tree, side, folder = tmp_path / "tree", tmp_path / "side", tmp_path / "tree" / "deep"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(tree)]
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "fix/parser", str(tree)], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "--quiet", "-b", "other", str(side)], check=True)
    folder.mkdir()
    assert (git_branch(str(folder)), git_branch(str(side))) == ("fix/parser", "other")
    subprocess.run([*git, "checkout", "--quiet", "--detach"], check=True)
    assert git_branch(str(tree)) == git_branch(str(tmp_path)) == ""
