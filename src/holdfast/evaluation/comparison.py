"""Arms held against one of them on the same tasks: by how much they differ, and whether that is larger than chance."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from .figures import Figure
from .records import Run
from .statistics import Difference, corrected, difference, fewest_pairs

POINTS = " points"
"""What the difference of two shares is counted in."""


class Compared(NamedTuple):
    """One arm against another by one figure."""

    arm: str
    against: str
    figure: Figure
    difference: Difference

    @property
    def word(self) -> str:
        """`better` or `worse` if the difference is larger than chance, else nothing."""
        if not self.difference.is_larger_than_chance:
            return ""
        return "better" if (self.difference.mean.value > 0) == self.figure.more_is_better else "worse"

    @property
    def value(self) -> str:
        """The difference, with its sign; that of two shares in points."""
        return _signed(self.figure, self.difference.mean.value)

    @property
    def short(self) -> str:
        """The same without its unit, for where that is said once."""
        return self.value.removesuffix(POINTS)

    @property
    def interval(self) -> str:
        """Where it lies at 95 %, in the same unit."""
        _, low, high = self.difference.mean
        return f"{_signed(self.figure, low)} to {_signed(self.figure, high)}".replace(POINTS, "")

    @property
    def chance(self) -> str:
        """How often chance would give one as large; none of it is so sure that it is called 0."""
        chance = self.difference.chance
        return f"{chance:.3f}" if chance >= 0.0005 else "<.001"


def compared(arms: Mapping[str, Sequence[Run]], base: str, figures: Sequence[Figure]) -> tuple[Compared, ...]:
    """Every arm against one by some figures, figure by figure, on the tasks that both have run."""
    return tuple(one for figure in figures for one in _by_figure(arms, base, figure))


def by_arm(compared: Sequence[Compared]) -> dict[str, list[Compared]]:
    """The comparisons as rows of a table: an arm, and its comparison by each figure."""
    rows: dict[str, list[Compared]] = {}
    for one in compared:
        rows.setdefault(one.arm, []).append(one)
    return rows


def conclusion(compared: Sequence[Compared]) -> list[str]:
    """What may be said after all that, in plain sentences."""
    if not compared:
        return []
    needed = fewest_pairs(len(by_arm(compared)))
    if max(one.difference.pairs for one in compared) < needed:
        return [f"It takes at least {needed} tasks here before any difference can be larger than chance."]
    titles = dict.fromkeys(one.figure.title for one in compared)
    larger = [said for title in titles if (said := _larger(title, compared))]
    if not larger:
        return ["No difference is larger than chance."]
    return [f"Larger than chance: {'; '.join(larger)}.", "No other difference is."]


def _larger(title: str, compared: Sequence[Compared]) -> str:
    """By which arms a figure is better, and by which it is worse; nothing if there is none."""
    arms = {
        word: [one.arm for one in compared if one.figure.title == title and one.word == word]
        for word in ("better", "worse")
    }
    words = [f"{word} with {', '.join(its)}" for word, its in arms.items() if its]
    return f"{title} {', '.join(words)}" if words else ""


def _by_figure(arms: Mapping[str, Sequence[Run]], base: str, figure: Figure) -> list[Compared]:
    pairs = {arm: _pairs(runs, arms.get(base, ()), figure) for arm, runs in arms.items() if arm != base}
    found = {arm: difference(its) for arm, its in pairs.items() if its}
    chances = corrected([one.chance for one in found.values()])
    return [
        Compared(arm, base, figure, one._replace(chance=chance))
        for (arm, one), chance in zip(found.items(), chances, strict=True)
    ]


def _pairs(runs: Sequence[Run], others: Sequence[Run], figure: Figure) -> list[tuple[float, float]]:
    """A pair a task: runs of the same task are no more tasks, so their mean counts."""
    ours, theirs = _by_task(runs, figure), _by_task(others, figure)
    return [(value, theirs[task]) for task, value in ours.items() if task in theirs]


def _by_task(runs: Sequence[Run], figure: Figure) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for run in runs:
        values.setdefault(run.task, []).append(figure.of(run))
    return {task: fmean(its) for task, its in values.items()}


def _signed(figure: Figure, value: float) -> str:
    size = figure.form(abs(value))
    sign = ("+" if value > 0 else "-") if any(digit in size for digit in "123456789") else ""
    return sign + size.replace(" %", POINTS)
