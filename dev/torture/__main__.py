"""Every torture, one after the other, with a count of what was tried and of what was lost.

python -m dev.torture [--seed N] [--longer TIMES]
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from .clocks import torture_clock
from .crowds import torture_crowd_on_sqlite
from .databases import torture_postgres
from .disks import torture_disk
from .fuzz import TARGETS, torture_fuzz
from .hostile_text import torture_views
from .kills import torture_writers_on_sqlite
from .payloads import torture_dialects
from .tally import TortureResult, run_in_processes
from .told import torture_told
from .trespasses import torture_commands, torture_exports

PAYLOADS = 1_000_000
HOSTILE = 100_000
JUMPS = 20_000
LIVES = 50_000
EXPORTS = 20_000
COMMANDS = 100
CROWD = 3_200
KILLS = 40
FILLS = 20
FUZZING = 30


def parts(seed: int, longer: float) -> list[Callable[[], TortureResult | list[TortureResult]]]:
    """The parts, in order."""

    def times(usual: int) -> int:
        return max(round(usual * longer), 1)

    return [
        lambda: run_in_processes(torture_dialects, seed, times(PAYLOADS)),
        *[lambda target=target: torture_fuzz(target, seed, times(FUZZING)) for target in TARGETS],
        lambda: run_in_processes(torture_views, seed, times(HOSTILE)),
        lambda: run_in_processes(torture_clock, seed, times(JUMPS)),
        lambda: run_in_processes(torture_told, seed, times(LIVES)),
        lambda: run_in_processes(torture_exports, seed, times(EXPORTS)),
        lambda: torture_commands(seed, times(COMMANDS)),
        lambda: torture_crowd_on_sqlite(seed, times(CROWD)),
        lambda: torture_writers_on_sqlite(seed, max(times(KILLS), 4)),
        lambda: torture_disk(seed, times(FILLS)),
        lambda: torture_postgres(seed, max(times(KILLS), 4), times(CROWD)),
    ]


def main() -> int:
    """Run everything; 0 if nothing was lost."""
    options = argparse.ArgumentParser(prog="python -m dev.torture", description=(__doc__ or "").splitlines()[0])
    options.add_argument(
        "--seed",
        type=int,
        default=random.SystemRandom().randrange(10**6),
        help="the random seed, to repeat a run; default random",
    )
    options.add_argument(
        "--longer", type=float, default=1, metavar="TIMES", help="try so many times as much; 0.01 is a short run"
    )
    chosen = options.parse_args()
    print(f"seed {chosen.seed}\n", flush=True)
    started, tried = time.monotonic(), list[TortureResult]()
    for part in parts(chosen.seed, chosen.longer):
        found = part()
        for one in found if isinstance(found, list) else [found]:
            tried.append(one)
            print(one, flush=True)
    lost = sum(len(one.lost) for one in tried)
    seconds = time.monotonic() - started
    print(f"\n{sum(one.times for one in tried):,} tried, {lost or 'nothing'} lost, {seconds:.0f} s, seed {chosen.seed}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
