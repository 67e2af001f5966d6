"""The dialect in which an agent keeps its plan."""

import pytest

from holdfast.agent.assembly import AgentSetup, choose_dialect
from holdfast.agent.models import open_model
from holdfast.agent.rehearsal import Rehearsal

KEYS = {"ANTHROPIC_API_KEY": "a key", "OPENAI_API_KEY": "a key"}


def chosen(model: str, dialect: str | None = None, is_small: bool = False) -> str:
    """The dialect of an agent on a model."""
    opened = open_model(model, None, "json" if is_small else "native", KEYS) if model else Rehearsal([])
    return choose_dialect(opened, AgentSetup(dialect=dialect, is_small=is_small))


@pytest.mark.parametrize(
    ("model", "dialect"),
    [("anthropic:claude-sonnet-5-5", "claude-code"), ("openai:gpt-6.1-sol", "codex"), ("openai:llama-4", "holdfast")],
)
def test_it_suits_the_model(model: str, dialect: str) -> None:
    """A model works in the form that it was trained on; one without a habit in the default."""
    assert chosen(model) == dialect


def test_what_is_asked_for_comes_first() -> None:
    """`--dialect` stands over what would suit."""
    assert chosen("anthropic:claude-sonnet-5-5", dialect="holdfast") == "holdfast"


def test_small_models_have_the_default() -> None:
    """A model that is held to JSON actions has the dialect that marks a todo by its id, whatever its family."""
    assert chosen("openai:qwen3-4b", is_small=True) == "holdfast"


def test_a_model_without_a_name_has_the_default() -> None:
    """A rehearsal has no family."""
    assert chosen("") == "holdfast"
