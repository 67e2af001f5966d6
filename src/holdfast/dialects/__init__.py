"""The dialects: one file each, the same names in each. `get("mini")` gives one, `names()` lists them.

`for_model(name)` says which one suits a model.
"""

from ..errors import UsageError
from .dialect import Call, Dialect, Notice, Outcome, Reply, Tool, Traits
from .families import for_model
from .names import NAMES, DialectName
from .wire import WIRE_FORMS, WireForm, definition, definitions


def names() -> tuple[DialectName, ...]:
    """The names of all dialects, the default first."""
    return NAMES


def get(name: str) -> Dialect:
    """The dialect of this name, under its own rules. Raises UsageError for an unknown name."""
    if name not in NAMES:
        raise UsageError(f"no dialect {name!r}; there are {', '.join(NAMES)}")
    module = name.replace("-", "_")
    kind = module.title().replace("_", "")  # claude_code.ClaudeCode
    dialect: Dialect = getattr(__import__(f"{__name__}.{module}", fromlist=("",)), kind)()
    return dialect


__all__ = [
    "WIRE_FORMS",
    "Call",
    "Dialect",
    "DialectName",
    "Notice",
    "Outcome",
    "Reply",
    "Tool",
    "Traits",
    "WireForm",
    "definition",
    "definitions",
    "for_model",
    "get",
    "names",
]
