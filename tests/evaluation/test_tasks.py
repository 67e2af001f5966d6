"""The tasks: made from a seed, solvable, not solved at the start, and graded by what is true in the folder."""

import os
import subprocess
from pathlib import Path

import pytest
from eval_scripts import steps

from holdfast.agent.tools import Workspace
from holdfast.errors import UsageError
from holdfast.evaluation.tasks import KINDS, Task, find_tasks, generate_task
from holdfast.evaluation.tasks.own_task import load_task

SEEDS = range(1, 9)


def laid_out(task: Task, root: Path) -> Workspace:
    """The folder that a task starts from."""
    workspace = Workspace(root)
    task.lay_out(workspace)
    return workspace


def run(command: str, root: Path) -> None:
    """Do something in a folder."""
    subprocess.run(["bash", "-c", command], cwd=root, check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_a_task(kind: str) -> None:
    """The same seed gives the same task, another one another, and the size is between the bounds."""
    again = generate_task(kind, 5), generate_task(kind, 5)
    assert again[0].text == again[1].text and again[0].files == again[1].files
    assert len({generate_task(kind, seed).text for seed in SEEDS}) == len(SEEDS)
    sizes = {len(generate_task(kind, seed).final_jobs) for seed in range(60)}
    assert min(sizes) == 6 and max(sizes) == 20


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "code"])
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_done_at_first_and_everything_can_be(kind: str, seed: int, tmp_path: Path) -> None:
    """In the folder that a task starts from no job holds; after all solutions every job does."""
    task = generate_task(kind, seed)
    workspace = laid_out(task, tmp_path)
    assert not any(verdict.done for verdict in task.verdicts(workspace))
    for job in steps(task):
        run(job.solution, tmp_path)
    assert all(verdict.done for verdict in task.verdicts(workspace))


def test_every_fault_of_the_code_base_can_be_mended(tmp_path: Path) -> None:
    """Each function fails its test, and passes it when it is mended; the project's own test run agrees."""
    task = generate_task("code", 2, 10, 10)
    workspace = laid_out(task, tmp_path)
    assert not any(verdict.done for verdict in task.verdicts(workspace))
    for job in task.jobs:
        run(job.solution, tmp_path)
    assert all(verdict.done for verdict in task.verdicts(workspace))
    run("python3 -m unittest -q 2>&1", tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_name_is_of_one_job_only(kind: str, seed: int) -> None:
    """A todo that names a job cannot be taken for one about another: no name stands in another job's text."""
    task = generate_task(kind, seed, 20, 20)
    for job in task.jobs:
        others = " ".join(other.text for other in task.jobs if other is not job)
        assert not any(name in others.replace(".txt", ".txt ").split() for name in job.names), job.text


@pytest.mark.parametrize(
    "trick",
    [
        "import os\nos._exit(0)\n",
        "import sys\nsys.exit(0)\n",
        "print('ok')\nraise SystemExit(0)\n",
        "import time\ntime.sleep(60)\n",
    ],
)
def test_a_module_that_ends_the_check_does_not_pass_it(
    trick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that ends the process, or never ends, before it was tested has not been mended."""
    monkeypatch.setattr("holdfast.evaluation.tasks.code_jobs.SECONDS", 1.0)
    task = generate_task("code", 1, 6, 6)
    workspace = laid_out(task, tmp_path)
    (tmp_path / task.jobs[0].files[0]).write_text(trick)
    assert not task.jobs[0].holds(workspace)


def test_tests_that_a_model_rewrote_count_for_nothing(tmp_path: Path) -> None:
    """Whoever changes the tests instead of the code has done nothing."""
    task = generate_task("code", 1, 6, 6)
    workspace = laid_out(task, tmp_path)
    for path in tmp_path.glob("test_*.py"):
        path.write_text("")
    assert not any(verdict.done for verdict in task.verdicts(workspace))


def test_a_hostile_folder_is_only_looked_at(tmp_path: Path) -> None:
    """A pipe, a symlink, a folder or bytes in the place of a file are no answer, and nobody waits for them."""
    task = generate_task("files", 1, 20, 20)
    root = tmp_path / "work"
    root.mkdir()
    workspace = laid_out(task, root)
    for number, job in enumerate(job for job in task.jobs if job.text.startswith(("create", "append", "replace"))):
        path = root / job.files[0]
        path.unlink(missing_ok=True)
        match number % 4:
            case 0:
                os.mkfifo(path)
            case 1:
                path.symlink_to("/etc/passwd")
            case 2:
                path.mkdir()
            case 3:
                path.write_bytes(b"\xff\xfe\x00")
        assert not job.holds(workspace)


def test_two_answers_to_a_question_are_none(tmp_path: Path) -> None:
    """Whoever writes every number down has not looked one up."""
    task = generate_task("lookups", 1, 6, 6)
    workspace = laid_out(task, tmp_path)
    job = task.jobs[0]
    run(job.solution, tmp_path)
    assert job.holds(workspace)
    given = (tmp_path / "answers.txt").read_text()
    (tmp_path / "answers.txt").write_text(f"{given}{given.partition(':')[0]}: 1\n")
    assert not job.holds(workspace)


def own_task(folder: Path, check: str, **more: str) -> Task:
    """A user's own task."""
    folder.mkdir(exist_ok=True)
    (folder / "task.md").write_text("Make it so.\n")
    (folder / "check.sh").write_text(check)
    for name, text in more.items():
        (folder / f"{name}.md").write_text(text)
    return load_task(folder)


def test_a_task_of_ones_own(tmp_path: Path) -> None:
    """A folder with a text, a check, files and later words is a task; the check is run where the model has worked."""
    (tmp_path / "mine/files/sub").mkdir(parents=True)
    (tmp_path / "mine/files/sub/a.txt").write_text("start\n")
    task = own_task(tmp_path / "mine", "grep -q done sub/a.txt", later="And do it twice.")
    assert (task.name, task.kind, task.text, task.later) == ("mine", "own", "Make it so.", "And do it twice.")
    root = tmp_path / "work"
    root.mkdir()
    workspace = laid_out(task, root)
    assert [verdict.done for verdict in task.verdicts(workspace)] == [False]
    (root / "sub/a.txt").write_text("done\n")
    assert [verdict.done for verdict in task.verdicts(workspace)] == [True]


def test_a_program_among_the_files_can_be_run(tmp_path: Path) -> None:
    """What could be run in the folder of a task can be run where the model works, and nothing else."""
    (tmp_path / "mine/files/bin").mkdir(parents=True)
    for name, mode in (("bin/build", 0o755), ("notes", 0o644)):
        (tmp_path / "mine/files" / name).write_text("#!/bin/sh\necho built > result\n")
        (tmp_path / "mine/files" / name).chmod(mode)
    task = own_task(tmp_path / "mine", "bin/build && test -s result && test ! -x notes")
    root = tmp_path / "work"
    root.mkdir()
    assert [verdict.done for verdict in task.verdicts(laid_out(task, root))] == [True]


def test_a_task_of_ones_own_is_run_as_often_as_others(tmp_path: Path) -> None:
    """Each seed gives it a name of its own, so that there are runs to compare; what is to be done is the same."""
    own_task(tmp_path / "mine", "true")
    found = find_tasks(str(tmp_path / "mine"), range(3, 6), 6, 20)
    assert [task.name for task in found] == ["mine-3", "mine-4", "mine-5"]
    assert {task.text for task in found} == {"Make it so."}


def test_a_check_may_count_parts(tmp_path: Path) -> None:
    """Lines of `ok` and `not ok` are jobs of their own, whatever the exit code; other lines say nothing."""
    task = own_task(tmp_path / "mine", "echo 1..3; echo 'ok 1 - build'; echo 'not ok 2 - lint'; echo ok docs; exit 1")
    verdicts = task.verdicts(Workspace(tmp_path))
    assert [(verdict.text, verdict.done) for verdict in verdicts] == [("build", True), ("lint", False), ("docs", True)]
    assert verdicts[1].names == ("lint",)


def test_a_check_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that never ends is not passed, and what it prints without end is cut."""
    monkeypatch.setattr("holdfast.evaluation.checks.run_check.__defaults__", (0.5, None))
    task = own_task(tmp_path / "mine", "echo ok one; yes")
    assert [verdict.done for verdict in task.verdicts(Workspace(tmp_path))] == [True, False]


@pytest.mark.parametrize(
    ("missing", "said"),
    [("task.md", "task.md is missing"), ("check.sh", "check.sh is missing"), ("", "task.md is empty")],
)
def test_half_a_task_is_refused(missing: str, said: str, tmp_path: Path) -> None:
    """A folder without a text or a check is no task, and the message says what it needs."""
    own_task(tmp_path / "mine", "true")
    if missing:
        (tmp_path / "mine" / missing).unlink()
    else:
        (tmp_path / "mine/task.md").write_text("\n")
    with pytest.raises(UsageError, match=said):
        load_task(tmp_path / "mine")


def test_a_symlink_among_a_tasks_files_is_refused(tmp_path: Path) -> None:
    """A task starts from files: what a symlink leads to is not copied."""
    (tmp_path / "mine/files").mkdir(parents=True)
    (tmp_path / "mine/files/leak").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="not a regular file"):
        own_task(tmp_path / "mine", "true")


def test_a_name_that_is_no_kind_and_no_folder() -> None:
    """The message names the kinds."""
    with pytest.raises(UsageError, match="there are files, code, lookups, changes"):
        find_tasks("chess", range(1), 6, 20)
