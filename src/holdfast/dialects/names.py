"""The names of the dialects."""

from typing import Literal, get_args

DialectName = Literal[
    "holdfast",
    "envelope",
    "two-state",
    "shell",
    "sema",
    "mini",
    "claude-code",
    "claude-tasks",
    "codex",
    "gemini",
    "opencode",
    "langchain",
    "qwen",
    "roo",
    "kimi",
    "hermes",
]
NAMES: tuple[DialectName, ...] = get_args(DialectName)
