"""Every check of a release, one after the other, with what each has shown.

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

from .archives import as_committed, built_again, described, unpacked
from .environments import Failed, Python, places, pythons
from .suites import suite
from .trial import NotRun, asked, floors, tried

HERE = Path(__file__).parents[2]
SUITE = "suite"

Check = tuple[str, Callable[[], str]]
"""What is checked, and how; it returns what there is to say of it."""


def main() -> int:
    """Check the one wheel and the one archive in a folder; 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="make dist", description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder of the wheel and the archive")
    parser.add_argument("--quick", action="store_true", help="leave the suites out")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the checks with these words in their name")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests send it, and a job in the background ignores it
    (wheel,), (source,) = options.dist.resolve().glob("*.whl"), options.dist.resolve().glob("*.tar.gz")
    found = pythons(places())
    print(f"Pythons: {', '.join(f'{python.version} ({python.path})' for python in found)}\n", flush=True)
    with TemporaryDirectory(prefix="holdfast-release-") as folder:
        root = unpacked(source, Path(folder))
        checks = [*archives(wheel, source, root, found), *installs(wheel, root, found), *suites(wheel, root, found)]
        wanted = [check for check in checks if options.only in check[0] and not (options.quick and SUITE in check[0])]
        outcomes = [outcome(*check) for check in wanted]
    failed, not_run, left_out = outcomes.count("FAILED"), outcomes.count("not run"), len(checks) - len(outcomes)
    print(f"\n{len(outcomes)} checks: {failed} failed, {not_run} not run; {left_out} left out")
    return 1 if failed or not outcomes else 0


def outcome(what: str, check: Callable[[], str]) -> str:
    """Make a check, and say what it has shown."""
    started = time.monotonic()
    try:
        word, said = "ok", check()
    except NotRun as why:
        word, said = "not run", str(why)
    except Failed as error:
        word, said = "FAILED", str(error)
    print(f"{word:8} {what:40} {time.monotonic() - started:5.0f} s  {said}", flush=True)
    return word


def archives(wheel: Path, source: Path, root: Path, found: list[Python]) -> Iterator[Check]:
    """What is in the wheel and in the archive."""
    yield "the archive is the commit", partial(as_committed, root, HERE)
    yield "built again, the same", partial(built_again, root, wheel, source)
    yield "the wheel's description", partial(described, wheel, root, [python.version for python in found])


def installs(wheel: Path, root: Path, found: list[Python]) -> Iterator[Check]:
    """Each install alone: the oldest of what it asks for on the oldest Python, the newest of it on the newest."""
    for python in found:
        yield f"{python.version}, core", partial(tried, python, root, "core", ["--no-deps", str(wheel)], ["holdfast"])
    for name, requirements in asked(root).items():
        oldest = floors(requirements)
        extra = str(wheel) if name == "default" else f"{wheel}[{name}]"
        pins = [f"{each}=={version}" for each, version in oldest.items()]
        for python, install in ((found[0], [extra, *pins]), (found[-1], [extra])):
            yield f"{python.version}, {name}", partial(tried, python, root, name, install, oldest)


def suites(wheel: Path, root: Path, found: list[Python]) -> Iterator[Check]:
    """The tests of the archive against the installed wheel; google-adk has an environment of its own."""
    for python in found:
        yield f"{python.version}, {SUITE}", partial(suite, python, root, wheel, "dev.txt", "-n", "auto")
        yield (
            f"{python.version}, {SUITE} of google-adk",
            partial(suite, python, root, wheel, "adk.txt", "tests/adapters"),
        )


if __name__ == "__main__":
    sys.exit(main())
