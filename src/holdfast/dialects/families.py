"""Which dialect suits which family of models."""

import re

from .names import DialectName

FAMILIES: tuple[tuple[str, DialectName], ...] = (
    ("claude", "claude-code"),
    ("gpt", "codex"),
    ("codex", "codex"),
    ("chatgpt", "codex"),
    ("o1", "codex"),
    ("o3", "codex"),
    ("o4", "codex"),
    ("gemini", "gemini"),
    ("hermes", "hermes"),
    ("qwen", "qwen"),
    ("qwq", "qwen"),
    ("kimi", "kimi"),
)
"""How the names of a family begin, and the dialect that it was trained on. If a name fits two, the first one counts."""

DEFAULT: DialectName = "holdfast"


def for_model(name: str) -> DialectName:
    """The name of the dialect that suits a model, `holdfast` where no habit is known.

    It looks for a family's name at the start of any part of the model's: "anthropic/claude-sonnet-5",
    "us.anthropic.claude-opus-4-v1:0", "models/gemini-3-pro" and "openrouter:nousresearch/hermes-4" are all recognized.
    """
    parts = re.split(r"[^a-z0-9]+", name.lower())
    for family, dialect in FAMILIES:
        if any(_is_in_family(part, family) for part in parts):
            return dialect
    return DEFAULT


def _is_in_family(part: str, family: str) -> bool:
    """Whether a part of a name is the family's, with or without a version: `qwen`, `qwen3`, `gpt4o`; not `gptq`."""
    return re.fullmatch(rf"{family}(?:\d+[a-z]?)?", part) is not None if family[-1].isalpha() else part == family
