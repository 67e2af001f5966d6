"""The tests of the source archive against the installed wheel, and their results."""

import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

from .environments import INSTALLED, CheckFailed, Environment, Interpreter

CORE = Path(__file__).parent / "uses" / "core.py"
"""Even with everything installed, the core must import nothing but the standard library."""


class SuiteTally(NamedTuple):
    """How many tests passed and failed, and why others were skipped."""

    passed: int
    failed: int
    skipped: Counter[str]

    def __str__(self) -> str:
        reasons = "".join(f"\n    {count} skipped: {reason}" for reason, count in self.skipped.items())
        return f"{self.passed} passed, {self.failed} failed, {self.skipped.total()} skipped{reasons}"


def run_suite(python: Interpreter, root: Path, wheel: Path, requirements: str, *tests: str) -> str:
    """Run tests without the source, against the installed wheel. Raises CheckFailed unless all that ran passed."""
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        desk = Path(folder) / "archive"
        shutil.copytree(root, desk, ignore=lambda place, names: {"src"} if Path(place) == root else set())
        (desk / "conftest.py").write_text(INSTALLED)
        environment = Environment(python, Path(folder) / "environment")
        environment.install("--requirement", desk / "requirements" / requirements)
        environment.install("--no-deps", wheel)
        environment.check_requirements()
        environment.run("-P", CORE, folder=Path(folder))
        report = Path(folder) / "report.xml"
        failure = ""
        try:
            environment.run("-m", "pytest", "-q", f"--junitxml={report}", *tests, folder=desk)
        except CheckFailed as error:
            failure = str(error)
        tally = read_report(report.read_text()) if report.exists() else SuiteTally(0, 0, Counter())
    if failure or tally.failed:
        raise CheckFailed(f"{tally}\n{failure}")
    return str(tally)


def read_report(report: str) -> SuiteTally:
    """Count the tests in a report of pytest."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    skipped = Counter(mark.get("message", "") for case in cases for mark in case.iter("skipped"))
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    return SuiteTally(len(cases) - failed - skipped.total(), failed, skipped)
