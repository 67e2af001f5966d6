"""The results of an evaluation: the figures of each arm in each host, and their comparison with one arm."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .comparison import Comparison, compare
from .figures import BY_KIND, COMPARED, Figure, Prices, figures
from .records import RunRecord
from .statistics import Mean

Rows = Mapping[str, Sequence[RunRecord]]
"""Runs by the names of the rows of a table."""


class Results(NamedTuple):
    """The figures of each row, and the comparisons with the arm `against`.

    A row is an arm. If there are several hosts or models, it is an arm in one of them, named after both, and compared
    with the row of `against` in the same one.
    """

    rows: Rows
    figures: tuple[Figure, ...]
    means: Mapping[tuple[str, str], Mean]
    against: str
    comparisons: tuple[Comparison, ...]

    def format_figure(self, row: str, figure: Figure) -> tuple[str, str]:
        """A figure of a row, and its interval, formatted. A single run has no interval."""
        return format_mean(figure, self.means[row, figure.key], len(self.rows[row]))

    @property
    def kinds(self) -> list[str]:
        """The kinds of tasks, in the order of their first runs."""
        return list(dict.fromkeys(run.kind for runs in self.rows.values() for run in runs))

    def of_kind(self, row: str, kind: str) -> list[RunRecord]:
        """The runs of a row with one kind of task."""
        return [run for run in self.rows[row] if run.kind == kind]


def compute_results(runs: Sequence[RunRecord], against: str | None = None, prices: Prices | None = None) -> Results:
    """The results of some runs. Models, hosts and arms come in the order of their first run.

    Each row is compared with the arm `against`, or with the first one. Runs made side by side end in any order, so a
    second model's arms come in the order of the first one's.
    """
    rows: dict[str, list[RunRecord]] = {}
    bases: dict[str, str] = {}
    base = against if against is not None else next((run.arm for run in runs), "")
    has_models, has_hosts = len({run.model for run in runs}) > 1, len({run.host for run in runs}) > 1
    places = list(dict.fromkeys((run.model, run.host) for run in runs))
    arms = list(dict.fromkeys(run.arm for run in runs))
    for run in sorted(runs, key=lambda run: (places.index((run.model, run.host)), arms.index(run.arm))):
        place = [*([run.model] if has_models else ()), *([run.host] if has_hosts else ())]
        name = " ".join([*place, run.arm])
        rows.setdefault(name, []).append(run)
        bases[name] = " ".join([*place, base])
    every = figures(prices)
    means = {(row, figure.key): figure.of_all(its) for row, its in rows.items() for figure in every}
    return Results(
        rows, every, means, base, compare(rows, bases, [figure for figure in every if figure.key in COMPARED])
    )


class KindTable(NamedTuple):
    """One figure for each kind of task: rows of values with their intervals, formatted. A missing one is empty."""

    figure: Figure
    kinds: Sequence[str]
    rows: Mapping[str, Sequence[tuple[str, str]]]


def kind_tables(results: Results) -> list[KindTable]:
    """The figures that are shown for each kind of task; none if there is only one kind."""
    kinds = results.kinds
    if len(kinds) < 2:
        return []
    return [
        KindTable(
            figure,
            kinds,
            {row: [_format_runs(figure, results.of_kind(row, kind)) for kind in kinds] for row in results.rows},
        )
        for figure in results.figures
        if figure.key in BY_KIND
    ]


def format_mean(figure: Figure, mean: Mean, runs: int) -> tuple[str, str]:
    """A mean of so many runs, and its interval, formatted. A single run has no interval."""
    value, low, high = (figure.form(part) for part in mean)
    return value, f"{low} to {high}" if runs > 1 else ""


def _format_runs(figure: Figure, runs: Sequence[RunRecord]) -> tuple[str, str]:
    return format_mean(figure, figure.of_all(runs), len(runs)) if runs else ("", "")


def results_data(results: Results) -> dict[str, Any]:
    """The results as plain data. What is infinite is None."""
    return {
        "arms": {row: _row_data(results, row) for row in results.rows},
        "compared": [
            {
                "arm": one.arm,
                "against": one.against,
                "figure": one.figure.key,
                **one.difference.mean._asdict(),
                "chance": one.difference.chance,
                "pairs": one.difference.pairs,
                "larger_than_chance": one.difference.is_larger_than_chance,
            }
            for one in results.comparisons
        ],
    }


def _row_data(results: Results, row: str) -> dict[str, Any]:
    first = results.rows[row][0]
    return {
        "model": first.model,
        "host": first.host,
        "arm": first.arm,
        "runs": len(results.rows[row]),
        **{figure.key: _mean_data(results.means[row, figure.key]) for figure in results.figures},
        "kinds": {kind: _kind_data(results, runs) for kind in results.kinds if (runs := results.of_kind(row, kind))},
    }


def _kind_data(results: Results, runs: Sequence[RunRecord]) -> dict[str, Any]:
    shown = {figure.key: _mean_data(figure.of_all(runs)) for figure in results.figures if figure.key in BY_KIND}
    return {"runs": len(runs), **shown}


def _mean_data(mean: Mean) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in mean._asdict().items()}
