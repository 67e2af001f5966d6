"""The tests of the source archive against the installed wheel, and what they came to."""

import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

from .environments import INSTALLED, Environment, Failed, Python

CORE = Path(__file__).parent / "uses" / "core.py"
"""Where everything is installed, the core must still import nothing of it."""


class Tally(NamedTuple):
    """How many tests were passed and failed, and why others were skipped."""

    passed: int
    failed: int
    skipped: Counter[str]

    def __str__(self) -> str:
        reasons = "".join(f"\n    {count} skipped: {reason}" for reason, count in self.skipped.items())
        return f"{self.passed} passed, {self.failed} failed, {self.skipped.total()} skipped{reasons}"


def suite(python: Python, root: Path, wheel: Path, requirements: str, *tests: str) -> str:
    """Run tests where there is no source but the installed one. Raises Failed unless all that ran passed."""
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        desk = Path(folder) / "archive"
        shutil.copytree(root, desk, ignore=lambda place, names: {"src"} if Path(place) == root else set())
        (desk / "conftest.py").write_text(INSTALLED)
        environment = Environment(python, Path(folder) / "environment")
        environment.install("--requirement", desk / "requirements" / requirements)
        environment.install("--no-deps", wheel)
        environment.fits()
        environment.run("-P", CORE, folder=Path(folder))
        report = Path(folder) / "report.xml"
        said = ""
        try:
            environment.run("-m", "pytest", "-q", f"--junitxml={report}", *tests, folder=desk)
        except Failed as error:
            said = str(error)
        tally = told(report.read_text()) if report.exists() else Tally(0, 0, Counter())
    if said or tally.failed:
        raise Failed(f"{tally}\n{said}")
    return str(tally)


def told(report: str) -> Tally:
    """What a report of pytest says."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    skipped = Counter(mark.get("message", "") for case in cases for mark in case.iter("skipped"))
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    return Tally(len(cases) - failed - skipped.total(), failed, skipped)
