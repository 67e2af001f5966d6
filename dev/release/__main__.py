"""Every check of a release, one after the other, with the result of each.

python -m dev.release dist [--quick] [--only WORDS]
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from dev import ROOT, NotRun

from .archives import check_against_commit, check_metadata, check_rebuild, unpack
from .environments import CheckFailed, Interpreter, find_interpreters, interpreter_folders
from .suites import run_suite
from .trial import floors, recipes, requirements_by_extra, try_install

SUITE = "suite"

Check = tuple[str, Callable[[], str]]
"""The name of a check, and the check itself, which returns a line about what it saw."""


def main() -> int:
    """Check the wheel and the archive in a folder; returns 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="make dist", description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder of the wheel and the archive")
    parser.add_argument("--quick", action="store_true", help="leave the suites out")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the checks with these words in their name")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests send it, and background jobs ignore it
    (wheel,), (source,) = options.dist.resolve().glob("*.whl"), options.dist.resolve().glob("*.tar.gz")
    found = find_interpreters(interpreter_folders())
    print(f"Pythons: {', '.join(f'{python.version} ({python.path})' for python in found)}\n", flush=True)
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        root = unpack(source, Path(folder))
        checks = [
            *archive_checks(wheel, source, root, found),
            *install_checks(wheel, root, found),
            *recipe_checks(wheel, root, found),
            *suite_checks(wheel, root, found),
        ]
        wanted = [check for check in checks if options.only in check[0] and not (options.quick and SUITE in check[0])]
        outcomes = [run_check(*check) for check in wanted]
    failed, not_run, left_out = outcomes.count("FAILED"), outcomes.count("not run"), len(checks) - len(outcomes)
    print(f"\n{len(outcomes)} checks: {failed} failed, {not_run} not run; {left_out} left out")
    return 1 if failed or not outcomes else 0


def run_check(what: str, check: Callable[[], str]) -> str:
    """Run a check, and print its result."""
    started = time.monotonic()
    try:
        word, line = "ok", check()
    except NotRun as why:
        word, line = "not run", str(why)
    except CheckFailed as error:
        word, line = "FAILED", str(error)
    print(f"{word:8} {what:40} {time.monotonic() - started:5.0f} s  {line}", flush=True)
    return word


def archive_checks(wheel: Path, source: Path, root: Path, found: list[Interpreter]) -> Iterator[Check]:
    """What is in the wheel and in the archive."""
    yield "the archive is the commit", partial(check_against_commit, root, ROOT)
    yield "built again, the same", partial(check_rebuild, root, wheel, source)
    yield "the wheel's description", partial(check_metadata, wheel, root, [python.version for python in found])


def install_checks(wheel: Path, root: Path, found: list[Interpreter]) -> Iterator[Check]:
    """Each install alone: its oldest requirements on the oldest Python, the newest ones on the newest."""
    for python in found:
        yield (
            f"{python.version}, core",
            partial(try_install, python, root, "core", ["--no-deps", str(wheel)], ["holdfast"]),
        )
    for name, requirements in requirements_by_extra(root).items():
        oldest = floors(requirements)
        extra = str(wheel) if name == "default" else f"{wheel}[{name}]"
        pins = [f"{each}=={version}" for each, version in oldest.items()]
        for python, install in ((found[0], [extra, *pins]), (found[-1], [extra])):
            yield f"{python.version}, {name}", partial(try_install, python, root, name, install, oldest)


def recipe_checks(wheel: Path, root: Path, found: list[Interpreter]) -> Iterator[Check]:
    """The programs of the docs for frameworks without an adapter, each with that framework."""
    for name, requirement in recipes(root).items():
        python = found[0]
        yield f"{python.version}, {name}", partial(try_install, python, root, name, [str(wheel), requirement], [name])


def suite_checks(wheel: Path, root: Path, found: list[Interpreter]) -> Iterator[Check]:
    """The tests of the archive against the installed wheel; google-adk and Strands have an environment of their own."""
    for python in found:
        yield f"{python.version}, {SUITE}", partial(run_suite, python, root, wheel, "dev.txt", "-n", "auto")
        yield (
            f"{python.version}, {SUITE} of google-adk and strands",
            partial(run_suite, python, root, wheel, "adk.txt", "tests/adapters"),
        )


if __name__ == "__main__":
    sys.exit(main())
