"""The page about eval is made from runs: no figure in it was typed by hand."""

from pathlib import Path

import pytest

from holdfast.errors import UsageError
from holdfast.evaluation import arms
from holdfast.evaluation.markdown import put, written
from holdfast.evaluation.tasks import KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/eval.md"
IMAGE = ROOT / "docs/images/eval.svg"
RUNS = ROOT / "benchmarks/results/eval-qwen2.5-coder-1.5b.jsonl"


def test_table_and_plot_are_those_of_the_runs() -> None:
    """`make eval-docs` would change nothing."""
    text, drawn = written(RUNS, PAGE, IMAGE)
    assert text == PAGE.read_text(encoding="utf-8")
    assert drawn == IMAGE.read_text(encoding="utf-8")


def test_every_arm_and_every_kind_of_task_is_described() -> None:
    """Whoever adds one has to say what it is."""
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*arms.ARMS, *KINDS) if f"`{name}`" not in page] == []


def test_a_document_without_a_place_is_told() -> None:
    """Nothing is put anywhere by guess."""
    with pytest.raises(UsageError, match="no place for runs"):
        put("# A page\n", "runs", "a table")
