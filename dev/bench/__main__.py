"""Everything that is measured, in one run: `make bench`. Results go to dev/bench/results/latest.json.

A run of some parts leaves the results of the others as they were.

python -m dev.bench [PART…]
"""

import argparse
import importlib
import platform
import sys
from collections.abc import Sequence

from dev import NotRun
from dev.bench.measurement import Measurement
from dev.bench.results import save_results

PARTS = {
    "writes": "dev.bench.writes:write_measurements",
    "stages": "dev.bench.writes:stage_measurements",
    "imports": "dev.bench.writes:import_measurements",
    "tokens": "dev.bench.tokens:token_measurements",
    "durable": "dev.bench.durable:write_measurements",
    "growth": "dev.bench.durable:growth_measurements",
    "listings": "dev.bench.listings:listing_measurements",
    "listings-postgres": "dev.bench.listings:postgres_listing_measurements",
    "command": "dev.bench.todo_write:command_measurements",
    "hooks": "dev.bench.hooks:hook_measurements",
    "web": "dev.bench.web:web_measurements",
    "postgres": "dev.bench.postgres:postgres_measurements",
    "postgres-slow-sync": "dev.bench.postgres:slow_sync_measurements",
    "load-sqlite": "dev.bench.load:sqlite_load",
    "load-postgres": "dev.bench.load:postgres_load",
    "postgres-growth": "dev.bench.postgres_growth:growth_measurements",
    "peers-writes": "dev.bench.peers:write_measurements",
    "peers-imports": "dev.bench.peers:import_measurements",
    "peers-tokens": "dev.bench.peers:token_measurements",
}


def main(arguments: Sequence[str]) -> int:
    """Measure the parts that are named, or all of them, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m dev.bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parts = parser.parse_args(arguments).parts
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(PARTS)}")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    results = {}
    for part in parts or PARTS:
        results[part] = measure(part)
        for one in results[part]:
            ratio = "" if one.ratio is None else f"{one.ratio:8.2f} x"
            value = f"{one.value:12.1f} {one.unit:10}" if one.unit else f"{'not run':>12} {'':10}"
            missed = "  MISSED" if one.is_met is False else ""
            print(f"{one.what:52} {value} {ratio:10} {one.budget}{missed}", flush=True)
        print()
    save_results(results)
    return 0


def measure(part: str) -> list[Measurement]:
    """The measurements of one part; one that says why, if it cannot run here."""
    module, _, function = PARTS[part].partition(":")
    try:
        measurements: list[Measurement] = getattr(importlib.import_module(module), function)()
    except NotRun as why:
        return [Measurement(part, 0.0, "", note=str(why))]
    return measurements


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
