"""Every torture, one after the other, with a count of what was tried and of what was lost.

python -m dev.torture [--seed N] [--longer TIMES]
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from .clocks import jumping
from .crowds import crowded_on_sqlite
from .databases import on_postgres
from .disks import filled
from .fuzz import TARGETS, fuzzed
from .hostile import hostile
from .kills import killed_on_sqlite
from .payloads import payloads
from .tally import Tried, shared_out

PAYLOADS = 1_000_000
HOSTILE = 100_000
JUMPS = 20_000
CROWD = 3_200
KILLS = 40
FILLS = 20
FUZZING = 30


def parts(seed: int, longer: int) -> list[Callable[[], Tried | list[Tried]]]:
    """What is tried, in this order."""
    return [
        lambda: shared_out(payloads, seed, PAYLOADS * longer),
        *[lambda target=target: fuzzed(target, seed, FUZZING * longer) for target in TARGETS],
        lambda: shared_out(hostile, seed, HOSTILE * longer),
        lambda: shared_out(jumping, seed, JUMPS * longer),
        lambda: crowded_on_sqlite(seed, CROWD * longer),
        lambda: killed_on_sqlite(seed, KILLS * longer),
        lambda: filled(seed, FILLS * longer),
        lambda: on_postgres(seed, KILLS * longer, CROWD * longer),
    ]


def main() -> int:
    """Run everything; 0 if nothing was lost."""
    options = argparse.ArgumentParser(prog="make torture", description=__doc__)
    options.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(10**6), help="what chance starts from"
    )
    options.add_argument("--longer", type=int, default=1, metavar="TIMES", help="try so many times as much")
    chosen = options.parse_args()
    print(f"seed {chosen.seed}\n", flush=True)
    started, tried = time.monotonic(), list[Tried]()
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
