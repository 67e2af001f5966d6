"""The results of `make bench`, in a file: each part as of its newest run, with where and when that was."""

import json
import os
import platform
import sqlite3
import time
from collections.abc import Mapping, Sequence

from dev import ROOT
from dev.bench.measurement import Measurement
from holdfast import __version__

RESULTS = ROOT / "dev" / "bench" / "results" / "latest.json"


def save_results(found: Mapping[str, Sequence[Measurement]]) -> None:
    """Keep the measurements of some parts; the others stay as they were."""
    former = json.loads(RESULTS.read_text(encoding="utf-8"))["results"] if RESULTS.exists() else {}
    kept = {**former, **{part: [one._asdict() for one in rows] for part, rows in found.items()}}
    RESULTS.write_text(json.dumps({**_about(), "results": kept}, indent=1) + "\n")


def _about() -> dict[str, object]:
    """What was measured, where and when."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "at": int(time.time()),
        "versions": {"holdfast": __version__, "SQLite": sqlite3.sqlite_version},
    }
