"""The checks of a release: what they find, and that none can pass by looking away."""

import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dev import NotRun
from dev.release.__main__ import run_check
from dev.release.archives import check_metadata, differences, released_version
from dev.release.environments import CheckFailed, clean_environment, find_interpreters, run_command
from dev.release.suites import read_report
from dev.release.trial import (
    EXAMPLES_BY_EXTRA,
    EXAMPLES_BY_RECIPE,
    USES,
    examples,
    floors,
    recipes,
    requirements_by_extra,
)
from hatch_build import Links

ROOT = Path(__file__).parents[2]
METADATA = """Name: holdfast
Version: 0.1.0
License-Expression: Apache-2.0
Classifier: Programming Language :: Python :: 3.11
"""
OUTCOMES = """
import pytest
def test_good(): pass
def test_bad(): assert False
def test_left(): pytest.skip("no server")
@pytest.fixture
def broken(): raise ValueError
def test_broken(broken): pass
"""


def python(folder: Path, name: str, does: str) -> None:
    """A program in the place of an interpreter."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{does}\n")
    (folder / name).chmod(0o755)


def test_the_latest_of_each_python_is_found(tmp_path: Path) -> None:
    """One of each version from 3.11 on; what is older, does not start or is another program is passed over."""
    python(tmp_path / "a", "python3.12", "echo 3 12 1")
    python(tmp_path / "a", "python3.11", "echo 3 11 9")
    python(tmp_path / "a", "python3.11-config", "echo 3 11 99")
    python(tmp_path / "b", "python3.12", "echo 3 12 10")
    python(tmp_path / "b", "python3.10", "echo 3 10 13")
    python(tmp_path / "c", "python3.13", "exit 127")
    found = find_interpreters([tmp_path / "a", tmp_path / "b", tmp_path / "c", tmp_path / "nowhere"])
    assert [each.version for each in found] == ["3.11.9", "3.12.10"]
    assert found[1].path == tmp_path / "b" / "python3.12"


def test_a_real_python_is_found() -> None:
    """The one that runs this is asked for its version and gives it."""
    assert sys.version_info[:3] in [each.numbers for each in find_interpreters([Path(sys.base_prefix) / "bin"])]


def test_an_archive_that_is_not_the_commit() -> None:
    """What is missing, what came along and what was changed is named, but for what is made or not shipped."""
    commit = {"a.py": b"1", "b.py": b"1", "c.py": b"1", ".ci/run": b"1"}
    assert differences({"a.py": b"1", "b.py": b"1", "c.py": b"1", "PKG-INFO": b"made"}, commit) == []
    assert differences({"a.py": b"1", "b.py": b"2", "run.log": b""}, commit) == [
        "missing: c.py",
        "not in the commit: run.log",
        "not as committed: b.py",
    ]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("# Changelog\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0 (2026-11-16)\n", "0.2.0"),
        ("# Changelog\n\n## 0.2.0 (not released yet)\n\n## 0.1.0 (2026-11-16)\n", ""),
        ("# Changelog\n", ""),
    ],
)
def test_a_release_has_its_date_in_the_changelog(tmp_path: Path, text: str, version: str) -> None:
    """Only the newest section counts, and only with a date."""
    (tmp_path / "CHANGELOG.md").write_text(text)
    assert released_version(tmp_path / "CHANGELOG.md") == version


WHOLE = ("holdfast/py.typed", "holdfast-0.1.0.dist-info/licenses/LICENSE", "holdfast-0.1.0.dist-info/entry_points.txt")


def wheel(folder: Path, *names: str) -> Path:
    """A wheel with these files, and the changelog of its archive."""
    (folder / "CHANGELOG.md").write_text("## 0.1.0 (2026-11-16)\n")
    with zipfile.ZipFile(folder / "holdfast.whl", "w") as packed:
        packed.writestr("holdfast-0.1.0.dist-info/METADATA", METADATA)
        for name in names:
            packed.writestr(name, "")
    return folder / "holdfast.whl"


def test_a_wheel_that_is_whole(tmp_path: Path) -> None:
    """It is described in one line."""
    assert check_metadata(wheel(tmp_path, *WHOLE), tmp_path, ["3.11.7"]) == "holdfast 0.1.0, Apache-2.0, 0 links"
    assert check_metadata(wheel(tmp_path, *WHOLE), tmp_path, []).endswith("not here: ['3.11']")


@pytest.mark.parametrize(
    ("names", "versions", "told"),
    [
        (WHOLE[1:], ["3.11.7"], "no holdfast/py.typed"),
        ((WHOLE[0], WHOLE[2]), ["3.11.7"], "no holdfast-0.1.0.dist-info/licenses/LICENSE"),
        ((*WHOLE, "tests/conftest.py"), ["3.11.7"], r"also has \['tests/conftest.py'\]"),
        (WHOLE, ["3.11.7", "3.12.1"], r"no classifier says \['3.12'\]"),
    ],
)
def test_a_wheel_that_is_not(tmp_path: Path, names: tuple[str, ...], versions: list[str], told: str) -> None:
    """What it lacks, what it should not have, and a Python that it is tried on and does not name, is a failure."""
    with pytest.raises(CheckFailed, match=told):
        check_metadata(wheel(tmp_path, *names), tmp_path, versions)


@pytest.mark.parametrize("name", requirements_by_extra(ROOT))
def test_every_install_has_a_use(name: str) -> None:
    """An extra cannot be added without something that is done with it, and says the oldest that it works with."""
    shown = examples(ROOT, EXAMPLES_BY_EXTRA[name]) if name in EXAMPLES_BY_EXTRA else []
    assert shown or (USES / f"{name}.py").exists()
    assert len(floors(requirements_by_extra(ROOT)[name])) == len(requirements_by_extra(ROOT)[name])


def test_the_oldest_that_is_asked_for() -> None:
    """Each requirement's lower end, whatever else it says."""
    assert floors(["mcp>=2.3,<3", "psycopg[binary]>=3.3.8", "rich"]) == {"mcp": "2.3", "psycopg": "3.3.8"}


def test_a_report_is_counted(tmp_path: Path) -> None:
    """Passed, failed or broken, and skipped with the reason, as pytest itself has written it."""
    (tmp_path / "test_it.py").write_text(OUTCOMES)
    command = [sys.executable, "-m", "pytest", "-q", "--junitxml=report.xml", "test_it.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    tally = read_report((tmp_path / "report.xml").read_text())
    assert tally == (1, 2, Counter({"no server": 1}))
    assert str(tally) == "1 passed, 2 failed, 1 skipped\n    1 skipped: no server"


def test_what_fails_is_told_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """A check that fails is not one that could not be made, and both say why."""

    def fails() -> str:
        return run_command([sys.executable, "-c", "raise SystemExit('no such thing')"], ROOT)

    def cannot() -> str:
        raise NotRun("no server")

    assert [run_check("a", fails), run_check("b", cannot), run_check("c", lambda: "fine")] == [
        "FAILED",
        "not run",
        "ok",
    ]
    failed, not_run, good = re.split(r"\n(?=not run|ok)", capsys.readouterr().out)
    assert "ended with 1" in failed and "no such thing" in failed
    assert not_run.startswith("not run  b") and not_run.endswith("no server")
    assert good.startswith("ok       c") and good.endswith("fine\n")


def test_nothing_leads_back_to_a_checkout() -> None:
    """The variables that name other code or other plans are left out, and no others."""
    environ = {"PATH": "/bin", "PYTHONPATH": "src", "HOLDFAST_DB": "plans.db", "VIRTUAL_ENV": ".venv"}
    assert clean_environment(environ) == {"PATH": "/bin"}


def test_a_build_leads_to_where_the_project_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given its address, the metadata links there, and so does every link of the README to a file of ours."""
    monkeypatch.setenv("PROJECT_URL", "https://code.example/holdfast/")
    metadata: dict[str, Any] = {}
    Links(str(ROOT), {}).update(metadata)
    assert metadata["urls"]["Changelog"] == "https://code.example/holdfast/blob/HEAD/CHANGELOG.md"
    text = metadata["readme"]["text"]
    led = re.findall(r"\]\(https://code\.example/holdfast/(?:blob|raw)/HEAD/([^)#]+)", text)
    assert "docs/attention.md" in led and "docs/images/watch-moving.svg" in led
    assert [path for path in led if not (ROOT / path).exists()] == []
    assert re.findall(r"\]\((?!https:|#)[^)]*\)", text) == []


def test_a_build_without_an_address_makes_up_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """The README is as it stands in the repository."""
    monkeypatch.delenv("PROJECT_URL", raising=False)
    metadata: dict[str, Any] = {}
    Links(str(ROOT), {}).update(metadata)
    assert metadata["urls"] == {}
    assert metadata["readme"]["text"] == (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXAMPLES_BY_RECIPE)
def test_every_recipe_has_a_version_and_one_example(name: str) -> None:
    """What the docs show of a framework without an adapter is run with that framework, and with nothing else."""
    assert recipes(ROOT)[name].startswith(f"{name}==")
    assert len(examples(ROOT, EXAMPLES_BY_RECIPE[name])) == 1
    assert recipes(ROOT).keys() == EXAMPLES_BY_RECIPE.keys()
