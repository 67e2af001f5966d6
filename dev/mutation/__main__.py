"""Try every mutant of the engine. The results go to dev/bench/results/mutation.json and docs/quality.md.

python -m dev.mutation
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dev import ROOT

from .mutants import mutants
from .results import save_results, summarize, table, unexplained
from .trial import SURVIVED, MutantResult, try_all

TESTS = {
    "holdfast.plan.todo": (
        "plan/test_plan",
        "plan/test_checks",
        "plan/test_work",
        "plan/test_transitions",
        "board/test_verification",
        "attention/test_completion",
        "board/test_board",
    ),
    "holdfast.plan.plan": (
        "plan/test_plan",
        "plan/test_transitions",
        "plan/test_dependencies",
        "board/test_about",
        "board/test_board",
    ),
    "holdfast.plan.change": ("plan/test_plan", "plan/test_transitions", "board/test_board"),
    "holdfast.plan.transitions": (
        "plan/test_transitions",
        "plan/test_transition_ids",
        "plan/test_model_write",
        "plan/test_plan",
        "plan/test_edits",
        "dialects/test_restated_list",
        "board/test_board",
    ),
    "holdfast.plan.dependencies": ("plan/test_dependencies",),
    "holdfast.plan.rules": ("plan/test_rules", "plan/test_checks", "board/test_verification", "board/test_board"),
    "holdfast.plan.model_write": (
        "plan/test_model_write",
        "plan/test_edits",
        "plan/test_edit_notes",
        "plan/test_dependencies",
        "plan/test_work",
        "dialects/test_restated_list",
        "board/test_verification",
        "attention/test_completion",
        "attention/test_attention",
        "board/test_board",
        "dialects/test_sema",
    ),
    "holdfast.plan.edits": (
        "plan/test_edits",
        "plan/test_edit_notes",
        "board/test_person_steps",
        "board/test_board_settings",
        "board/test_undo",
        "board/test_told_is_true",
        "board/test_board",
        "attention/test_attention",
    ),
    "holdfast.plan.repair": ("plan/test_repair",),
    "holdfast.dialects.reading.restated_list": ("dialects/test_restated_list",),
    "holdfast.dialects.reading.shape": (
        "dialects/test_restated_list",
        "dialects/test_items",
        "dialects/test_holdfast_dialect",
        "dialects/test_harness_dialects",
    ),
    "holdfast.plan.work": (
        "plan/test_work",
        "plan/test_model_write",
        "attention/test_completion",
        "attention/test_attention",
    ),
    "holdfast.board.person_steps": (
        "board/test_person_steps",
        "board/test_board_settings",
        "board/test_undo",
        "board/test_about",
        "board/test_verification",
        "attention/test_completion",
        "plan/test_edits",
        "plan/test_edit_notes",
        "board/test_board",
    ),
    "holdfast.board.model_write": (
        "plan/test_model_write",
        "plan/test_edits",
        "plan/test_edit_notes",
        "dialects/test_restated_list",
        "board/test_board",
        "plan/test_repair",
        "board/test_verification",
        "dialects/test_harness_dialects",
    ),
    "holdfast.board.commit": (
        "board/test_commit",
        "board/test_undo",
        "board/test_about",
        "board/test_verification",
        "board/test_board_settings",
        "board/test_board",
    ),
    "holdfast.board.settings": ("board/test_board_settings",),
    "holdfast.attention.policies": (
        "attention/test_policies",
        "attention/test_reminders",
        "attention/test_resume",
        "attention/test_offers",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_attention",
    ),
    "holdfast.attention.reminders": (
        "attention/test_reminders",
        "attention/test_resume",
        "attention/test_offers",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_attention",
    ),
    "holdfast.attention.offers": (
        "attention/test_offers",
        "attention/test_reminders",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_attention",
    ),
    "holdfast.attention.coverage": ("attention/test_coverage",),
    "holdfast.attention.driver": (
        "attention/test_attention",
        "attention/test_coverage",
        "attention/test_resume",
        "attention/test_piggyback",
        "attention/test_offers",
        "attention/test_reminders",
        "attention/test_escalation",
        "attention/test_completion",
        "board/test_verification",
    ),
    "holdfast.dialects.reading.items": (
        "dialects/test_items",
        "dialects/test_holdfast_dialect",
        "dialects/test_claude_tasks",
        "dialects/test_harness_dialects",
        "dialects/test_restated_list",
    ),
    "holdfast.dialects.reading.payload": ("dialects/test_items", "dialects/test_holdfast_dialect"),
}
"""Which tests must notice a module's mutants, the nearest first."""


def main(arguments: Sequence[str]) -> int:
    """Try every mutant of the named modules, or of all. Fails if one survives and survivors.toml has no reason."""
    parser = argparse.ArgumentParser(prog="python -m dev.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at once")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(ROOT / "src"))
    found = summarize(_try_modules(options.modules or list(TESTS), options.workers))
    save_results(found)
    print("\n".join(table(found)))
    for fault in (faults := unexplained(found)):
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def path_of_tests(test: str) -> str:
    """The path of the tests of this name."""
    return f"tests/{test}.py"


def read_source(module: str) -> str:
    """The source of a module."""
    return (ROOT / "src" / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")


def _try_modules(modules: Sequence[str], workers: int) -> list[MutantResult]:
    every = [mutant for module in modules for mutant in mutants(module, read_source(module))]
    tests = {module: [path_of_tests(name) for name in TESTS[module]] for module in modules}
    print(f"{len(every)} mutants")
    return try_all(every, tests, workers, _report_survivor)


def _report_survivor(one: MutantResult) -> None:
    if one.outcome == SURVIVED:
        print(f"survived, line {one.mutant.line}: {one.mutant.name}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
