"""The tests that other projects have for their own todo tools, against our dialect of each.

`make origins`. LangChain's come with its source, from the package index. Hermes Agent's are only in its repository:
HERMES=folder names a checkout. Each test of theirs must pass, but for those that `Origin.different` names, which must
fail: each of them is a choice of ours, and stands in docs/dialects.md. The shims say our faults in their words.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from dev import ROOT

PATIENCE = 600

PROMPT = "our own words in the prompt"
REPLY = "our own words in a reply"
PARALLEL = "two lists in one answer: the second one gets an error when it is called, not before"
REFUSED = "what is too long, too many, or has an id twice is refused, not cut"


class Origin(NamedTuple):
    """A project with tests of its todo tool: where they are in its source, and the ones that differ here, with why."""

    tests: str
    shim: str
    different: dict[str, str]


LANGCHAIN = Origin(
    "tests/unit_tests/agents/middleware/implementations/test_todo.py",
    "dev.e2e.langchain_shim",
    {
        "test_todo_middleware_on_model_call": PROMPT,
        "test_todo_middleware_write_todos_tool_execution": REPLY,
        "test_parallel_write_todos_calls_rejected": PARALLEL,
        "test_parallel_write_todos_calls_rejected_async": PARALLEL,
        "test_parallel_write_todos_with_other_tools": PARALLEL,
        "test_parallel_write_todos_with_other_tools_async": PARALLEL,
    },
)
HERMES = Origin(
    "tests/tools/test_todo_tool.py",
    "dev.e2e.hermes_shim",
    {
        "test_write_deduplicates_duplicate_ids": REFUSED,
        "test_non_empty_has_markers": PROMPT,
        "test_oversized_content_is_truncated": REFUSED,
        "test_injection_block_is_bounded": REFUSED,
        "test_merge_update_content_is_capped": REFUSED,
        "test_item_count_is_bounded": REFUSED,
    },
)


def main() -> int:
    """Run both; returns 1 if anything is not as written."""
    parser = argparse.ArgumentParser(prog="make origins", description=__doc__)
    parser.add_argument("--hermes", type=Path, help="a checkout of Hermes Agent")
    hermes = parser.parse_args().hermes
    with tempfile.TemporaryDirectory(prefix="holdfast-origins-") as folder:
        surprises = check("LangChain", LANGCHAIN, langchain_source(Path(folder)))
    if hermes is None:
        print("not run  Hermes Agent: HERMES=folder names a checkout")
    else:
        surprises += check("Hermes Agent", HERMES, hermes)
    return 1 if surprises else 0


def langchain_source(folder: Path) -> Path:
    """The source of the version that the adapters are tested with, unpacked."""
    pins = (ROOT / "requirements" / "adapters.txt").read_text(encoding="utf-8")
    (pin,) = re.findall(r"^langchain==.*$", pins, re.MULTILINE)
    pip = [sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
    subprocess.run([*pip, "--no-build-isolation", pin], check=True, timeout=PATIENCE)
    (archive,) = folder.glob("langchain-*.tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True, timeout=PATIENCE)
    return folder / archive.name.removesuffix(".tar.gz")


def check(name: str, origin: Origin, source: Path) -> int:
    """Run a project's tests on ours, and print what differs; returns how many tests are not as written."""
    outcomes = run_tests(origin, source.resolve())
    passed = sum(outcomes.values())
    print(f"{name}: {passed} of {len(outcomes)} tests pass")
    surprises = 0
    for test, is_passed in outcomes.items():
        reason = origin.different.get(test.partition("[")[0])
        if is_passed == (reason is not None):
            surprises += 1
            print(f"FAILED   {test}: {'it passes, and should differ' if is_passed else 'it differs, with no reason'}")
        elif reason is not None:
            print(f"differs  {test}: {reason}")
    return surprises + (not outcomes)


def run_tests(origin: Origin, source: Path) -> dict[str, bool]:
    """Each test of a project, and whether it passed."""
    with tempfile.TemporaryDirectory(prefix="holdfast-origins-") as folder:
        report, settings = Path(folder) / "report.xml", Path(folder) / "pytest.ini"
        settings.write_text("[pytest]\n", encoding="utf-8")
        options = ["-q", "-p", origin.shim, "-p", "no:cacheprovider", "--noconftest", "-c", str(settings)]
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", *options, f"--rootdir={source}", f"--junitxml={report}", origin.tests],
            cwd=source,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{source}"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if not report.exists():
            print(ran.stdout, ran.stderr)
            return {}
        cases = ElementTree.parse(report).iter("testcase")
        return {str(case.get("name")): case.find("failure") is None and case.find("error") is None for case in cases}


if __name__ == "__main__":
    sys.exit(main())
