"""Which dialect a model gets by its name."""

import pytest

from holdfast import dialects
from holdfast.dialects.families import FAMILIES

NAMES = {
    "claude-sonnet-5-5": "claude-code",
    "anthropic/claude-opus-4.1": "claude-code",
    "anthropic:claude-sonnet-5-5": "claude-code",
    "us.anthropic.claude-opus-4-20250514-v1:0": "claude-code",
    "arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-3-haiku": "claude-code",
    "vertex_ai/claude-sonnet-4@20250514": "claude-code",
    "gpt-6.1-sol": "codex",
    "openai:gpt-6.1-sol": "codex",
    "azure/gpt-4o-mini": "codex",
    "gpt4o": "codex",
    "GPT-5-Codex": "codex",
    "openai/gpt-oss-20b": "codex",
    "codex-mini-latest": "codex",
    "o3": "codex",
    "openai/o4-mini": "codex",
    "gemini-3-pro": "gemini",
    "models/gemini-3-pro": "gemini",
    "google-gla:gemini-2.5-flash": "gemini",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen",
    "qwen2.5-coder:7b": "qwen",
    "qwq-32b": "qwen",
    "moonshotai/Kimi-K2-Instruct": "kimi",
    "kimi-k2": "kimi",
    "NousResearch/Hermes-4-70B": "hermes",
    "openrouter:nousresearch/hermes-4-405b": "hermes",
    "NousResearch/Hermes-3-Llama-3.1-8B": "hermes",
    "llama-4-maverick": "holdfast",
    "mistral-large-2411": "holdfast",
    "deepseek-r1-distill-llama-8b": "holdfast",
    "TheBloke/Llama-2-7B-GPTQ": "holdfast",
    "gemma-3-27b": "holdfast",
    "solo3": "holdfast",
    "rehearsal:script.json": "holdfast",
    "": "holdfast",
}


@pytest.mark.parametrize(("model", "dialect"), NAMES.items())
def test_the_dialect_of_a_model(model: str, dialect: str) -> None:
    """The family is recognized whatever is around it; a model of an unknown family gets the default."""
    assert dialects.for_model(model) == dialect


def test_every_familys_dialect_is_one() -> None:
    """The table names dialects that there are."""
    assert {dialect for _, dialect in FAMILIES} <= set(dialects.names())
