"""The results of an evaluation: the figures of each arm, and the comparison of each with one of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .comparison import Comparison, compare
from .figures import COMPARED, Figure, Prices, figures
from .records import RunRecord
from .statistics import Mean, mean


class Results(NamedTuple):
    """The figures of each arm, and the comparisons with the arm `against`."""

    arms: Mapping[str, Sequence[RunRecord]]
    figures: tuple[Figure, ...]
    means: Mapping[tuple[str, str], Mean]
    against: str
    comparisons: tuple[Comparison, ...]

    def format_figure(self, arm: str, figure: Figure) -> tuple[str, str]:
        """A figure of an arm, and its interval, formatted. A single run has no interval."""
        value, low, high = (figure.form(part) for part in self.means[arm, figure.key])
        return value, f"{low} to {high}" if len(self.arms[arm]) > 1 else ""


def compute_results(runs: Sequence[RunRecord], against: str | None = None, prices: Prices | None = None) -> Results:
    """The results of some runs. Arms come in the order of their first run, and are compared with the first one."""
    arms: dict[str, list[RunRecord]] = {}
    for run in runs:
        arms.setdefault(run.arm, []).append(run)
    every = figures(prices)
    means = {(arm, figure.key): mean([figure.of(run) for run in its]) for arm, its in arms.items() for figure in every}
    base = against if against is not None else next(iter(arms), "")
    return Results(
        arms, every, means, base, compare(arms, base, [figure for figure in every if figure.key in COMPARED])
    )


def results_data(results: Results) -> dict[str, Any]:
    """The results as plain data."""
    return {
        "arms": {
            arm: {
                "runs": len(runs),
                **{figure.key: results.means[arm, figure.key]._asdict() for figure in results.figures},
            }
            for arm, runs in results.arms.items()
        },
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
