"""Try every mutant of the engine. The results go to dev/bench/results/mutation.json and docs/quality.md.

python -m dev.mutation                      every module
python -m dev.mutation holdfast.plan.edits  only this one; the figures of the others stay
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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
    "holdfast.plan.change": ("plan/test_plan", "plan/test_transitions", "board/test_board", "transfer/test_json_file"),
    "holdfast.plan.transitions": (
        "plan/test_transitions",
        "plan/test_transition_ids",
        "plan/test_model_write",
        "plan/test_plan",
        "plan/test_edits",
        "dialects/test_restated_list",
        "board/test_about",
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
        "plan/test_checks",
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
        "dialects/test_shape",
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
    "holdfast.plan.checks": ("plan/test_checks", "board/test_verification"),
    "holdfast.plan.goals": (
        "plan/test_goals",
        "plan/test_work",
        "attention/test_reminders",
        "attention/test_offers",
        "attention/test_completion",
    ),
    "holdfast.plan.names": (
        "plan/test_names_in_todos",
        "plan/test_goals",
        "plan/test_work",
        "attention/test_completion",
    ),
    "holdfast.plan.commands": ("plan/test_shell_commands", "plan/test_work", "attention/test_completion"),
    "holdfast.plan.pace": ("plan/test_pace",),
    "holdfast.plan.change_words": ("plan/test_change_words",),
    "holdfast.plan.checklist": ("plan/test_checklist", "dialects/test_shell_dialect"),
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
    "holdfast.board.listeners": ("board/test_listeners", "board/test_board"),
    "holdfast.board.work_journal": (
        "plan/test_work",
        "board/test_board",
        "attention/test_completion",
        "attention/test_attention",
    ),
    "holdfast.board.verification": ("board/test_verification", "plan/test_checks"),
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
        "attention/test_free_hosts",
        "attention/test_attention",
    ),
    "holdfast.attention.offers": (
        "attention/test_offers",
        "attention/test_reminders",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_free_hosts",
        "attention/test_attention",
    ),
    "holdfast.attention.coverage": ("attention/test_coverage", "attention/test_requests"),
    "holdfast.attention.requests": ("attention/test_requests", "attention/test_coverage"),
    "holdfast.attention.state": (
        "attention/test_state",
        "attention/test_reminders",
        "attention/test_offers",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_free_hosts",
        "attention/test_attention",
        "attention/test_resume",
    ),
    "holdfast.attention.adoption": (
        "attention/test_adoption",
        "attention/test_escalation",
        "attention/test_coverage",
        "attention/test_completion",
        "attention/test_free_hosts",
        "attention/test_attention",
    ),
    "holdfast.attention.piggyback": ("attention/test_piggyback", "attention/test_offers"),
    "holdfast.attention.completion": (
        "attention/test_completion",
        "attention/test_free_hosts",
        "attention/test_attention",
        "attention/test_driver",
        "attention/test_escalation",
        "board/test_verification",
    ),
    "holdfast.attention.driver": (
        "attention/test_driver",
        "attention/test_attention",
        "attention/test_coverage",
        "attention/test_resume",
        "attention/test_piggyback",
        "attention/test_offers",
        "attention/test_reminders",
        "attention/test_escalation",
        "attention/test_completion",
        "attention/test_free_hosts",
        "board/test_verification",
    ),
    "holdfast.dialects.reading.items": (
        "dialects/test_items",
        "dialects/test_holdfast_dialect",
        "dialects/test_claude_tasks",
        "dialects/test_harness_dialects",
    ),
    "holdfast.dialects.reading.json_text": (
        "dialects/test_json_text",
        "dialects/test_items",
    ),
    "holdfast.dialects.reading.tasks": ("dialects/test_claude_tasks", "dialects/test_items"),
    "holdfast.stores.journals": ("plan/test_work",),
    "holdfast.stores.codec": ("stores/test_codec",),
    "holdfast.stores.deltas": ("stores/test_deltas", "stores/test_codec"),
    "holdfast.dialects.reading.payload": ("dialects/test_items", "dialects/test_holdfast_dialect"),
    "holdfast.dialects.reading.restatement": (
        "dialects/test_restatement",
        "dialects/test_harness_dialects",
        "dialects/test_claude_tasks",
    ),
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
    found = _try_modules(options.modules or list(TESTS), options.workers)
    print("\n".join(table(found)))
    for fault in (faults := unexplained(found)):
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def path_of_tests(test: str) -> str:
    """The path of the tests of this name."""
    return f"tests/{test}.py"


def read_source(module: str) -> str:
    """The source of a module, wherever the package lies."""
    package = find_spec("holdfast")
    assert package is not None and package.origin is not None, "the package is installed"
    folder = Path(package.origin).parent.parent
    return (folder / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")


def _try_modules(modules: Sequence[str], workers: int) -> dict[str, Any]:
    """The figures of each module. They are saved as soon as its last mutant is done: a run may be interrupted."""
    every = [mutant for module in modules for mutant in mutants(module, read_source(module))]
    tests = {module: [path_of_tests(name) for name in TESTS[module]] for module in modules}
    waiting = Counter(mutant.module for mutant in every)
    done: list[MutantResult] = []

    def keep_result(one: MutantResult) -> None:
        _report_survivor(one)
        done.append(one)
        module = one.mutant.module
        waiting[module] -= 1
        if not waiting[module]:
            save_results(summarize([other for other in done if other.mutant.module == module]), list(TESTS))

    print(f"{len(every)} mutants")
    return summarize(try_all(every, tests, workers, keep_result))


def _report_survivor(one: MutantResult) -> None:
    if one.outcome == SURVIVED:
        print(f"survived, line {one.mutant.line}: {one.mutant.name}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
