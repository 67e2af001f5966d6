"""The page of the benchmarks: each row of its tables says by itself what was measured."""

import json
from collections import Counter

from dev.bench.measurement import Measurement
from dev.bench.results import RESULTS


def test_each_row_is_named_once() -> None:
    """The budgets of all parts stand in one table, without the rows around them."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    rows = [Measurement(**row) for part, rows in kept.items() if not part.startswith("peers-") for row in rows]
    counts = Counter(row.what.strip() for row in rows)
    assert [what for what, count in counts.items() if count > 1] == []
    assert [row.what for row in rows if row.is_met is not None and row.what.strip().startswith("its ")] == []
