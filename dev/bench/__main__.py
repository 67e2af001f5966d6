"""Everything that is measured, in one run: `make bench`. Results go to `dev/bench/results/` as JSON, too."""

import importlib
import json
import os
import platform
import sqlite3
import sys
import time
from pathlib import Path

from dev.bench.timing import Row
from holdfast import __version__

PARTS = {
    "writes": "dev.bench.writes:writes",
    "imports": "dev.bench.writes:imports",
    "tokens": "dev.bench.tokens:tokens",
    "durable": "dev.bench.durable:durable",
    "growth": "dev.bench.durable:growing",
    "command": "dev.bench.command:commands",
    "web": "dev.bench.web:web",
    "postgres": "dev.bench.postgres:postgres",
    "postgres-growth": "dev.bench.postgres_growth:growing",
    "peers-writes": "dev.bench.peers:writes",
    "peers-imports": "dev.bench.peers:imports",
    "peers-tokens": "dev.bench.peers:tokens",
}
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> int:
    chosen = names or list(PARTS)
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    results = {}
    for name in chosen:
        module, function = PARTS[name].split(":")
        rows: list[Row] = getattr(importlib.import_module(module), function)()
        results[name] = [row._asdict() for row in rows]
        for row in rows:
            ratio = "" if row.ratio is None else f"{row.ratio:8.2f} x"
            value = f"{row.value:12.1f} {row.unit:10}" if row.unit else f"{'not run':>12} {'':10}"
            missed = "  MISSED" if row.is_met is False else ""
            print(f"{row.what:52} {value} {ratio:10} {row.budget}{missed}", flush=True)
        print()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.json").write_text(json.dumps({**_about(), "results": results}, indent=1) + "\n")
    return 0


def _about() -> dict[str, object]:
    """What was measured, where and when."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "at": int(time.time()),
        "versions": {"holdfast": __version__, "SQLite": sqlite3.sqlite_version},
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
