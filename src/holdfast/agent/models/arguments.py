"""A tool call's arguments, as a model wrote them: JSON most of the time."""

import json
from typing import Any

from ..messages import UNREADABLE


def read_arguments(raw: str) -> dict[str, Any]:
    """A call's input. Arguments that are not a JSON object go under UNREADABLE, and the loop answers with an error."""
    if not raw.strip():
        return {}
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        return {UNREADABLE: raw}
    return arguments if isinstance(arguments, dict) else {UNREADABLE: raw}
