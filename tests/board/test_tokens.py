"""What a plan costs in tokens, by a real vocabulary: the docs' claims, and how good the estimate is."""

import json

import pytest

from dev.bench.tokens import WHOLE_LIST, total_tokens
from holdfast import dialects
from holdfast.board.tokens import estimate, exact


def test_the_default_dialect_is_the_cheapest_and_within_its_budget() -> None:
    """The same plan of ten steps costs at most 720 tokens, and at most a fifth of what the whole-list form costs."""
    totals = {name: total_tokens(name).total for name in dialects.names()}
    assert totals["holdfast"] == min(totals.values())
    assert totals["holdfast"] <= 720
    assert totals["holdfast"] * 5 <= totals[WHOLE_LIST]


@pytest.mark.parametrize("name", dialects.names())
def test_the_estimate_is_within_a_tenth(name: str) -> None:
    """Without a vocabulary installed, definitions and prompts are counted within a tenth of the truth."""
    dialect, count = dialects.get(name), exact()
    for text in (dialect.prompt, json.dumps(dialect.schema, separators=(",", ":"))):
        assert abs(estimate(text) - count(text)) <= count(text) / 10


def test_a_step_costs_little_more_than_half_when_the_plan_moves_on_by_itself() -> None:
    """Saying what is done is enough: what is next need not be said."""
    done = '{"todos":[{"id":"3","status":"completed"}]}'
    both = '{"todos":[{"id":"3","status":"completed"},{"id":"4","status":"in_progress"}]}'
    assert exact()(done) <= exact()(both) * 0.6
