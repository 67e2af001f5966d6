"""Try every mutant of the engine; what became of them goes to benchmarks/results/mutation.json and docs/quality.md.

python -m mutation
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .mutants import mutants
from .outcome import ROOT, keep, outcome, table, unexplained
from .trying import SURVIVED, Tried, try_all

TESTS = {
    "holdfast.plan": ("plan", "planning", "planning_ids", "dependencies", "board"),
    "holdfast.planning": ("planning", "planning_ids", "plan", "edits", "sweeping", "board"),
    "holdfast.dependencies": ("dependencies",),
    "holdfast.sweeping": ("sweeping",),
    "holdfast.rules": ("rules", "board"),
    "holdfast.policies": ("policies", "reminders", "resume", "offers", "attention"),
    "holdfast.reminders": ("reminders", "resume", "offers", "attention"),
    "holdfast.offers": ("offers", "reminders", "attention"),
    "holdfast.writing": ("writing", "edits", "edits_told", "dependencies", "sweeping", "board", "dialects/sema"),
    "holdfast.edits": ("edits", "edits_told", "by_hand", "board", "attention"),
    "holdfast.by_hand": ("by_hand", "edits", "edits_told", "board"),
    "holdfast.by_model": ("writing", "edits", "sweeping", "board"),
    "holdfast.attention": ("attention", "resume", "riding", "offers", "reminders"),
    "holdfast.dialects.items": ("dialects/items", "dialects/holdfast_dialect", "dialects/claude_tasks"),
    "holdfast.dialects.reading": ("dialects/items", "dialects/holdfast_dialect"),
}
"""Which tests must notice a module's mutants, the nearest first: `dialects/items` is tests/dialects/test_items.py."""


def main(arguments: Sequence[str]) -> int:
    """Try every mutant of the modules named, or of all. Fails if one survives, and nobody has said why it may."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at once")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(ROOT / "src"))
    found = outcome(_tried(options.modules or list(TESTS), options.workers))
    keep(found)
    print("\n".join(table(found)))
    for fault in (faults := unexplained(found)):
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def file_of(test: str) -> str:
    """Where the tests of this name stand."""
    folder, slash, name = test.rpartition("/")
    return f"tests/{folder}{slash}test_{name}.py"


def source_of(module: str) -> str:
    """The source of a module, as it is."""
    return (ROOT / "src" / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")


def _tried(modules: Sequence[str], workers: int) -> list[Tried]:
    every = [mutant for module in modules for mutant in mutants(module, source_of(module))]
    tests = {module: [file_of(name) for name in TESTS[module]] for module in modules}
    print(f"{len(every)} mutants")
    return try_all(every, tests, workers, _tell)


def _tell(one: Tried) -> None:
    if one.outcome == SURVIVED:
        print(f"survived, line {one.mutant.line}: {one.mutant.name}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
