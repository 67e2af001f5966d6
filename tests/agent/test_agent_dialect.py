"""The dialect in which an agent keeps its plan."""

import io

import pytest

from holdfast.agent.command import dialect_for
from holdfast.agent.models import open_model
from holdfast.agent.rehearsal import Rehearsal
from holdfast.cli.invocation import Invocation
from holdfast.terminal.screen import screen

KEYS = {"ANTHROPIC_API_KEY": "a key", "OPENAI_API_KEY": "a key"}


def chosen(model: str, **options: str) -> str:
    """The dialect of an agent on a model, with these options of the command."""
    opened = open_model(model, None, options.get("tool_calls", "native"), KEYS) if model else Rehearsal([])
    return dialect_for(Invocation(options, screen(io.StringIO()), {}), opened)


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
    assert chosen("openai:qwen3-4b", tool_calls="json") == "holdfast"


def test_a_model_without_a_name_has_the_default() -> None:
    """A rehearsal has no family."""
    assert chosen("") == "holdfast"
