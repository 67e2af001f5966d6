"""What an evaluation came to: the figures of each arm, and how each compares with the one that it is held against."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .comparison import Compared, compared
from .figures import COMPARED, Figure, Prices, figures
from .records import Run
from .statistics import Mean, mean


class Results(NamedTuple):
    """All that the runs say: the figures of each arm, and the comparisons with the arm `against`."""

    arms: Mapping[str, Sequence[Run]]
    figures: tuple[Figure, ...]
    means: Mapping[tuple[str, str], Mean]
    against: str
    compared: tuple[Compared, ...]

    def written(self, arm: str, figure: Figure) -> tuple[str, str]:
        """A figure of an arm, and its interval, in words. One run has no interval."""
        value, low, high = (figure.form(part) for part in self.means[arm, figure.key])
        return value, f"{low} to {high}" if len(self.arms[arm]) > 1 else ""


def results(runs: Sequence[Run], against: str | None = None, prices: Prices | None = None) -> Results:
    """What some runs say. Arms stand in the order in which they were first run; they are held against the first one."""
    arms: dict[str, list[Run]] = {}
    for run in runs:
        arms.setdefault(run.arm, []).append(run)
    every = figures(prices)
    means = {(arm, figure.key): mean([figure.of(run) for run in its]) for arm, its in arms.items() for figure in every}
    base = against if against is not None else next(iter(arms), "")
    return Results(
        arms, every, means, base, compared(arms, base, [figure for figure in every if figure.key in COMPARED])
    )


def data(found: Results) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "arms": {
            arm: {
                "runs": len(runs),
                **{figure.key: found.means[arm, figure.key]._asdict() for figure in found.figures},
            }
            for arm, runs in found.arms.items()
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
            for one in found.compared
        ],
    }
