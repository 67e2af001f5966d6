"""The dialects: one file each, the same names in each. `get("mini")` gives one, `names()` lists them.

`for_model(name)` says which one suits a model.
"""

from importlib import import_module

from ..errors import UsageError
from .dialect import Call, Dialect, Notice, Outcome, Reply, Tool, Traits
from .families import for_model
from .wire import WIRE_FORMS, definition, definitions

_DIALECTS = {
    "holdfast": ("holdfast", "Holdfast"),
    "envelope": ("envelope", "Envelope"),
    "two-state": ("two_state", "TwoState"),
    "shell": ("shell", "Shell"),
    "sema": ("sema", "Sema"),
    "mini": ("mini", "Mini"),
    "claude-code": ("claude_code", "ClaudeCode"),
    "claude-tasks": ("claude_tasks", "ClaudeTasks"),
    "codex": ("codex", "Codex"),
    "gemini": ("gemini", "Gemini"),
    "opencode": ("opencode", "Opencode"),
    "langchain": ("langchain", "Langchain"),
    "qwen": ("qwen", "Qwen"),
    "roo": ("roo", "Roo"),
    "kimi": ("kimi", "Kimi"),
    "hermes": ("hermes", "Hermes"),
}


def names() -> tuple[str, ...]:
    """The names of all dialects, the default first."""
    return tuple(_DIALECTS)


def get(name: str) -> Dialect:
    """The dialect of this name, under its own rules.

    Raises UsageError for a name that is none.
    """
    if name not in _DIALECTS:
        raise UsageError(f"no dialect {name!r}; there are {', '.join(_DIALECTS)}")
    module, kind = _DIALECTS[name]
    dialect: Dialect = getattr(import_module(f".{module}", __name__), kind)()
    return dialect


__all__ = [
    "WIRE_FORMS",
    "Call",
    "Dialect",
    "Notice",
    "Outcome",
    "Reply",
    "Tool",
    "Traits",
    "definition",
    "definitions",
    "for_model",
    "get",
    "names",
]
