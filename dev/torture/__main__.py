"""Every torture, one after the other, with a count of what was tried and of what was lost.

python -m dev.torture [--seed N] [--longer TIMES | --quick] [PART…]
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from .clocks import torture_clock
from .crowds import torture_crowd_on_sqlite
from .databases import torture_postgres
from .disks import torture_disk
from .fuzz import TARGETS, torture_fuzz
from .hostile_text import torture_views
from .kills import torture_writers_on_sqlite
from .payloads import torture_dialects
from .plants import torture_conversations, torture_forgeries, torture_plants
from .protected import torture_protected
from .results import save_results
from .roles import torture_roles
from .side_files import torture_side_files
from .sieges import torture_servers
from .signals import torture_signals
from .tally import Share, TortureResult, run_in_processes
from .told import torture_told, torture_told_on_postgres, torture_told_on_sqlite
from .trespasses import torture_commands, torture_exports
from .undos import torture_undos_on_postgres, torture_undos_on_sqlite

Attack = Callable[[int, int], TortureResult | list[TortureResult]]


class Part(NamedTuple):
    """How often something is usually tried, how often in a quick run, and how: with a seed and a number of times."""

    usual: int
    quick: int
    run: Attack


def _shared(attack: Share) -> Attack:
    """The attack by one process for each core."""
    return partial(run_in_processes, attack)


def _fuzz_all(seed: int, seconds: int) -> list[TortureResult]:
    return [torture_fuzz(target, seed, seconds) for target in TARGETS]


PARTS: Mapping[str, Part] = {
    "payloads": Part(1_000_000, 5_000, _shared(torture_dialects)),
    "fuzzing": Part(30, 3, _fuzz_all),
    "text": Part(100_000, 2_000, _shared(torture_views)),
    "clocks": Part(20_000, 400, _shared(torture_clock)),
    "told": Part(50_000, 1_000, _shared(torture_told)),
    "told-sqlite": Part(2_000, 100, _shared(torture_told_on_sqlite)),
    "told-postgres": Part(500, 40, torture_told_on_postgres),
    "undos": Part(1_800, 360, torture_undos_on_sqlite),
    "undos-postgres": Part(720, 180, torture_undos_on_postgres),
    "folders": Part(600, 60, _shared(torture_plants)),
    "forgeries": Part(500, 20, _shared(torture_forgeries)),
    "conversations": Part(4_000, 100, _shared(torture_conversations)),
    "exports": Part(10_000, 200, _shared(torture_exports)),
    "side-files": Part(100, 12, torture_side_files),
    "signals": Part(500, 50, torture_signals),
    "protected": Part(10_000, 500, _shared(torture_protected)),
    "commands": Part(100, 5, torture_commands),
    "servers": Part(3_000, 300, torture_servers),
    "roles": Part(4_000, 200, torture_roles),
    "crowds": Part(3_200, 320, torture_crowd_on_sqlite),
    "kills": Part(40, 4, torture_writers_on_sqlite),
    "disks": Part(20, 3, torture_disk),
    "postgres": Part(40, 4, lambda seed, kills: torture_postgres(seed, kills, kills * 80)),
}


def main(arguments: Sequence[str]) -> int:
    """Run the named parts, or all; 0 if nothing was lost. What ran at full length goes to docs/quality.md."""
    options = argparse.ArgumentParser(prog="python -m dev.torture", description=(__doc__ or "").splitlines()[0])
    options.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default all")
    options.add_argument(
        "--seed",
        type=int,
        default=random.SystemRandom().randrange(10**6),
        help="the random seed, to repeat a run; default random",
    )
    options.add_argument("--longer", type=float, default=1, metavar="TIMES", help="try so many times as much")
    options.add_argument("--quick", action="store_true", help="try a little of each; the docs stay as they are")
    chosen = options.parse_args(arguments)
    if unknown := [name for name in chosen.parts if name not in PARTS]:
        options.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    print(f"seed {chosen.seed}\n", flush=True)
    started, tried = time.monotonic(), list[TortureResult]()
    for name in chosen.parts or PARTS:
        part = PARTS[name]
        found = part.run(chosen.seed, part.quick if chosen.quick else max(round(part.usual * chosen.longer), 1))
        results = found if isinstance(found, list) else [found]
        print(*results, sep="\n", flush=True)
        tried += results
        if not chosen.quick and chosen.longer >= 1:
            save_results(name, chosen.seed, results)
    lost = sum(len(one.lost) for one in tried)
    seconds = time.monotonic() - started
    print(f"\n{sum(one.times for one in tried):,} tried, {lost or 'nothing'} lost, {seconds:.0f} s, seed {chosen.seed}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
