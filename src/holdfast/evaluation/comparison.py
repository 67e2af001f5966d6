"""Arms compared with one of them on the same tasks: how much they differ, and whether that is larger than chance."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from .figures import Figure
from .records import RunRecord
from .statistics import PairedDifference, fewest_pairs, holm_corrected, paired_difference

POINTS = " points"
"""The unit of a difference of two shares."""


class Comparison(NamedTuple):
    """One arm compared with another by one figure. Both are rows of the results."""

    arm: str
    against: str
    figure: Figure
    difference: PairedDifference

    @property
    def word(self) -> str:
        """`better` or `worse` if the difference is larger than chance, else empty."""
        if not self.difference.is_larger_than_chance:
            return ""
        return "better" if (self.difference.mean.value > 0) == self.figure.more_is_better else "worse"

    @property
    def value(self) -> str:
        """The difference, with its sign; that of two shares in points."""
        return _signed(self.figure, self.difference.mean.value)

    @property
    def short(self) -> str:
        """The difference without its unit."""
        return self.value.removesuffix(POINTS)

    @property
    def interval(self) -> str:
        """Where it lies at 95 %, in the same unit."""
        mean = self.difference.mean
        return f"{_signed(self.figure, mean.low)} to {_signed(self.figure, mean.high)}".replace(POINTS, "")

    @property
    def chance(self) -> str:
        """The probability that chance gives a difference as large, never shown as 0."""
        chance = self.difference.chance
        return f"{chance:.3f}" if chance >= 0.0005 else "<.001"


def compare(
    rows: Mapping[str, Sequence[RunRecord]], bases: Mapping[str, str], figures: Sequence[Figure]
) -> tuple[Comparison, ...]:
    """Every row compared with its base, another row, figure by figure, on the tasks that both have run."""
    return tuple(one for figure in figures for one in _compare_by_figure(rows, bases, figure))


def by_arm(comparisons: Sequence[Comparison]) -> dict[str, list[Comparison]]:
    """The comparisons as rows of a table: an arm, and its comparison by each figure."""
    rows: dict[str, list[Comparison]] = {}
    for one in comparisons:
        rows.setdefault(one.arm, []).append(one)
    return rows


def conclusion(comparisons: Sequence[Comparison]) -> list[str]:
    """The conclusion in plain sentences."""
    if not comparisons:
        return []
    needed = fewest_pairs(len(by_arm(comparisons)))
    if max(one.difference.pairs for one in comparisons) < needed:
        return [f"It takes at least {needed} tasks here before any difference can be larger than chance."]
    titles = dict.fromkeys(one.figure.title for one in comparisons)
    larger = [sentence for title in titles if (sentence := _describe_larger(title, comparisons))]
    if not larger:
        return ["No difference is larger than chance."]
    return [f"Larger than chance: {'; '.join(larger)}.", "No other difference is."]


def _describe_larger(title: str, comparisons: Sequence[Comparison]) -> str:
    """The arms in which a figure is better, and those in which it is worse; empty if there are none."""
    arms = {
        word: [one.arm for one in comparisons if one.figure.title == title and one.word == word]
        for word in ("better", "worse")
    }
    words = [f"{word} with {', '.join(its)}" for word, its in arms.items() if its]
    return f"{title} {', '.join(words)}" if words else ""


def _compare_by_figure(
    rows: Mapping[str, Sequence[RunRecord]], bases: Mapping[str, str], figure: Figure
) -> list[Comparison]:
    pairs = {row: _pairs(runs, rows.get(bases[row], ()), figure) for row, runs in rows.items() if row != bases[row]}
    found = {row: paired_difference(its) for row, its in pairs.items() if its}
    chances = holm_corrected([one.chance for one in found.values()])
    return [
        Comparison(row, bases[row], figure, one._replace(chance=chance))
        for (row, one), chance in zip(found.items(), chances, strict=True)
    ]


def _pairs(runs: Sequence[RunRecord], others: Sequence[RunRecord], figure: Figure) -> list[tuple[float, float]]:
    """One pair per task: several runs of the same task count as one, by their mean."""
    ours, theirs = _by_task(runs, figure), _by_task(others, figure)
    return [(value, theirs[task]) for task, value in ours.items() if task in theirs]


def _by_task(runs: Sequence[RunRecord], figure: Figure) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for run in runs:
        values.setdefault(run.task, []).append(figure.of(run))
    return {task: fmean(its) for task, its in values.items()}


def _signed(figure: Figure, value: float) -> str:
    size = figure.form(abs(value))
    sign = ("+" if value > 0 else "-") if any(digit in size for digit in "123456789") else ""
    return sign + size.replace(" %", POINTS)
