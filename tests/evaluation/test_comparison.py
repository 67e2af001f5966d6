"""Arms held against one of them: what is paired with what, and what may be said of a difference."""

from typing import Any

import pytest

from holdfast.evaluation.comparison import Comparison, by_arm, conclusion
from holdfast.evaluation.records import RunRecord
from holdfast.evaluation.results import compute_results, kind_tables


def run(arm: str, seed: int, done: int, **more: Any) -> RunRecord:
    """A run of six jobs."""
    made = RunRecord(f"files-6-{seed}", "files", arm, done, 6, 0, 0, False, 10, 1000 + seed, 100, 2.5, 1, "done")
    return made._replace(**more)


def arm(name: str, *done: int, **more: Any) -> list[RunRecord]:
    """Runs of an arm, one a seed."""
    return [run(name, seed, jobs, **more) for seed, jobs in enumerate(done)]


def compared(runs: list[RunRecord], against: str | None = None) -> dict[tuple[str, str], Comparison]:
    """The comparisons by arm and figure."""
    return {(one.arm, one.figure.key): one for one in compute_results(runs, against).comparisons}


EIGHT = [1, 2, 1, 2, 1, 2, 1, 2]
MORE = [5, 6, 5, 6, 5, 6, 5, 6]


def test_a_difference_is_called_one_only_if_chance_does_not_explain_it() -> None:
    """Better, worse and no different are told apart, and dearer is worse."""
    found = compared([*arm("none", *EIGHT), *arm("plain", *EIGHT[::-1]), *arm("rail", *MORE, tokens_in=3000, hollow=1)])
    words = {place: one.word for place, one in found.items()}
    assert words["rail", "share"] == "better"
    assert words["rail", "tokens_in"] == words["rail", "hollow"] == "worse"
    assert words["plain", "share"] == ""
    assert (found["rail", "share"].value, found["rail", "share"].interval) == ("+67 points", "+67 to +67")
    assert found["plain", "share"].value == "0 points"


def test_only_tasks_that_both_arms_have_run_are_compared() -> None:
    """A run without its counterpart is in the means, and in no comparison."""
    runs = [run("none", 1, 1), run("none", 2, 1), run("rail", 2, 3), run("rail", 3, 6), run("plain", 9, 6)]
    found = compared(runs)
    assert set(found) == {("rail", key) for key in ("share", "whole", "hollow", "tokens_in")}
    assert found["rail", "share"].difference.pairs == 1
    assert found["rail", "share"].difference.mean.value == pytest.approx(2 / 6)


def test_several_runs_of_a_task_are_one_task() -> None:
    """Who runs a task again has another run, and no further task that would make a difference surer."""
    twice = [*arm("none", *EIGHT), *arm("rail", *MORE), *arm("rail", *(jobs - 2 for jobs in MORE))]
    once = compared([*arm("none", *EIGHT), *arm("rail", *(jobs - 1 for jobs in MORE))])["rail", "share"]
    for runs in (twice, twice * 5):
        found = compared(runs)["rail", "share"]
        assert (found.value, found.interval, found.chance) == (once.value, once.interval, once.chance)
        assert found.difference.pairs == 8
    assert len(compute_results(twice).rows["rail"]) == 16


def test_what_arms_are_held_against_can_be_chosen() -> None:
    """Ablations are held against the arm that they are taken from."""
    found = compared([*arm("none", 3, 3), *arm("rail", 3, 3), *arm("rail-no-tail", 3, 3)], "rail")
    assert {(one.arm, one.against) for one in found.values()} == {("none", "rail"), ("rail-no-tail", "rail")}


def test_the_chance_is_that_of_all_arms_at_once() -> None:
    """The same two arms are less sure beside others: who looks often finds something by luck."""
    two = [*arm("none", *EIGHT), *arm("rail", *MORE)]
    more = [*two, *arm("plain", *EIGHT[::-1]), *arm("quiet", *EIGHT[::-1])]
    assert compared(two)["rail", "share"].difference.chance == pytest.approx(2 / 2**8)
    assert compared(more)["rail", "share"].difference.chance == pytest.approx(3 * 2 / 2**8)


def test_arms_that_are_alike_differ_by_nothing() -> None:
    """With no difference anywhere there is no chance to speak of, and no sign before a 0."""
    (share, *_) = compute_results([*arm("none", *EIGHT), *arm("rail", *EIGHT)]).comparisons
    assert (share.value, share.interval, share.chance, share.word) == ("0 points", "0 to 0", "1.000", "")


def test_no_chance_is_called_none_at_all() -> None:
    """However sure a difference is, the table does not say p = 0."""
    runs = [*arm("none", *[0] * 20), *arm("rail", *[6] * 20)]
    assert compared(runs)["rail", "share"].chance == "<.001"


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ({"none": EIGHT}, ""),
        ({"none": EIGHT, "plain": EIGHT}, "No difference is larger than chance."),
        (
            {"none": EIGHT, "plain": EIGHT, "rail": MORE},
            "Larger than chance: work done better with rail. No other difference is.",
        ),
        (
            {"rail": MORE, "none": EIGHT, "plain": EIGHT},
            "Larger than chance: work done worse with none, plain. No other difference is.",
        ),
        (
            {"none": EIGHT[:5], "rail": MORE[:5]},
            "It takes at least 6 tasks here before any difference can be larger than chance.",
        ),
        (
            {"none": EIGHT, **dict.fromkeys(("a", "b", "c", "d", "e", "f", "g"), MORE)},
            "It takes at least 9 tasks here before any difference can be larger than chance.",
        ),
    ],
)
def test_what_it_comes_to(arms: dict[str, list[int]], said: str) -> None:
    """What is larger than chance is named, and that the rest is not; too few tasks are called too few."""
    found = compute_results([one for name, done in arms.items() for one in arm(name, *done)]).comparisons
    assert " ".join(conclusion(found)) == said


def test_a_row_an_arm() -> None:
    """The comparisons stand by arm, each with its figures in their order."""
    rows = by_arm(compute_results([*arm("none", *EIGHT), *arm("plain", *EIGHT), *arm("rail", *MORE)]).comparisons)
    assert {name: [one.figure.key for one in row] for name, row in rows.items()} == {
        "plain": ["share", "whole", "hollow", "tokens_in"],
        "rail": ["share", "whole", "hollow", "tokens_in"],
    }


def test_each_host_and_model_has_rows_of_its_own() -> None:
    """A row is compared with the base of the same host and model, and is named after what sets it apart."""
    places = [{"model": model, "host": host} for model in ("large", "small") for host in ("agent", "bare")]
    done = {"none": EIGHT, "rail": MORE}
    runs = [one for place in places for name, its in done.items() for one in arm(name, *its, **place)]
    found = compute_results(runs)
    names = [f"{place['model']} {place['host']}" for place in places]
    assert list(found.rows) == [f"{name} {its}" for name in names for its in done]
    assert {(one.arm, one.against) for one in found.comparisons} == {(f"{name} rail", f"{name} none") for name in names}
    one_model = compute_results([run for run in runs if run.model == "small"])
    assert list(one_model.rows) == ["agent none", "agent rail", "bare none", "bare rail"]


def test_figures_of_each_kind_of_task() -> None:
    """Work and tokens are shown by kind if there are several; a row without runs of a kind has an empty cell."""
    runs = [*arm("none", 3, 3), *arm("none", 0, 0, kind="code"), *arm("rail", 6, 6)]
    share, tokens = kind_tables(compute_results(runs))
    assert (share.kinds, share.figure.key, tokens.figure.key) == (["files", "code"], "share", "tokens_per_job")
    assert [value for value, _ in share.rows["none"]] == ["50 %", "0 %"]
    assert [value for value, _ in tokens.rows["none"]] == ["334", "–"]
    assert [value for value, _ in share.rows["rail"]] == ["100 %", ""]
    assert kind_tables(compute_results(runs[:2])) == []
