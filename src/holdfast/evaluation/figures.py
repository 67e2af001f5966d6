"""The figures of an evaluation: what each arm came to, and how each compares with the one that it is held against."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .records import Run
from .statistics import Difference, Mean, corrected, difference, mean


class Prices(NamedTuple):
    """What a million tokens cost, in and out."""

    tokens_in: float
    tokens_out: float

    def cost(self, run: Run) -> float:
        """What a run cost."""
        return (run.tokens_in * self.tokens_in + run.tokens_out * self.tokens_out) / 1_000_000


class Figure(NamedTuple):
    """One thing that is measured: its key, how it is called, how it is read off a run, and how it is written.

    `more_is_better` is none where it is neither good nor bad.
    """

    key: str
    title: str
    of: Callable[[Run], float]
    form: Callable[[float], str]
    more_is_better: bool | None = False


def percent(value: float) -> str:
    """A share, in words."""
    return f"{value * 100:.0f} %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def _money(value: float) -> str:
    return f"{value:.4f}"


FIGURES = (
    Figure("share", "work done", lambda run: run.share, percent, True),
    Figure("whole", "whole runs", lambda run: float(run.is_whole), percent, True),
    Figure("hollow", "hollow", lambda run: float(run.hollow), _number),
    Figure("twice", "done twice", lambda run: float(run.twice), _number),
    Figure("early", "left early", lambda run: float(run.early), percent),
    Figure("turns", "turns", lambda run: float(run.turns), _number),
    Figure("tokens_in", "tokens in", lambda run: float(run.tokens_in), _number),
    Figure("tokens_out", "tokens out", lambda run: float(run.tokens_out), _number),
    Figure("seconds", "seconds", lambda run: run.seconds, _number),
)
COMPARED = ("share", "whole", "hollow", "tokens_in")
"""The figures by which arms are compared, the one that counts first."""


class Compared(NamedTuple):
    """One arm against another by one figure."""

    arm: str
    against: str
    figure: Figure
    difference: Difference


class Results(NamedTuple):
    """All that the runs say: the figures of each arm, and the comparisons."""

    arms: Mapping[str, Sequence[Run]]
    figures: tuple[Figure, ...]
    means: Mapping[tuple[str, str], Mean]
    compared: tuple[Compared, ...]


def results(runs: Sequence[Run], against: str | None = None, prices: Prices | None = None) -> Results:
    """What some runs say. Arms stand in the order in which they were first run; they are held against the first one."""
    arms: dict[str, list[Run]] = {}
    for run in runs:
        arms.setdefault(run.arm, []).append(run)
    figures = (*FIGURES, Figure("cost", "cost", prices.cost, _money)) if prices is not None else FIGURES
    means = {
        (arm, figure.key): mean([figure.of(run) for run in its]) for arm, its in arms.items() for figure in figures
    }
    base = against if against is not None else next(iter(arms), "")
    compared = [one for figure in figures if figure.key in COMPARED for one in _compared(arms, base, figure)]
    return Results(arms, figures, means, tuple(compared))


def _compared(arms: Mapping[str, Sequence[Run]], base: str, figure: Figure) -> list[Compared]:
    """Every arm against one, on the tasks that both have run."""
    found = []
    for arm in arms:
        pairs = _pairs(arms[arm], arms.get(base, ()), figure) if arm != base else []
        if pairs:
            found.append(Compared(arm, base, figure, difference(pairs)))
    chances = corrected([one.difference.chance for one in found])
    return [
        one._replace(difference=one.difference._replace(chance=chance))
        for one, chance in zip(found, chances, strict=True)
    ]


def _pairs(runs: Sequence[Run], others: Sequence[Run], figure: Figure) -> list[tuple[float, float]]:
    by_task = {run.task: figure.of(run) for run in others}
    return [(figure.of(run), by_task[run.task]) for run in runs if run.task in by_task]


def verdict(compared: Compared) -> str:
    """A comparison in one plain sentence."""
    arm, against, figure, (found, chance, pairs) = compared
    spread = (
        f"{figure.title} {_signed(figure, found.value)} ({_signed(figure, found.low)} to {_signed(figure, found.high)}"
    )
    said = f"{arm} against {against}: {spread}, {pairs} tasks, p = {chance:.3f})"
    if not compared.difference.is_larger_than_chance:
        return f"{said}: not larger than chance"
    word = "better" if (found.value > 0) == figure.more_is_better else "worse"
    return f"{said}: {word}, larger than chance"


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


def _signed(figure: Figure, value: float) -> str:
    """A difference, in words; that of two shares is in percentage points."""
    return f"{'+' if value >= 0 else '-'}{figure.form(abs(value)).replace(' %', ' points')}"
