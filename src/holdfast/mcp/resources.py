"""The resources: this conversation's plan, and all plans of its store, as data. The keys are those of `--json`."""

import json

import mcp_types as types

from ..board import Board
from ..stores.damage import sessions_with_damage
from ..transfer.data import board_data, plan_data

PLAN = "holdfast://plan"
SESSIONS = "holdfast://sessions"

MOST_LISTED = 100
"""How many plans the list of all plans has."""

RESOURCES = [
    types.Resource(
        uri=PLAN,
        name="plan",
        title="The plan",
        description="The plan of this conversation.",
        mime_type="application/json",
    ),
    types.Resource(
        uri=SESSIONS,
        name="sessions",
        title="All plans",
        description=f"The plans in the store, the one changed last first, at most {MOST_LISTED}.",
        mime_type="application/json",
    ),
]


def read(uri: str, board: Board) -> types.ReadResourceResult:
    """A resource as it is now. Raises StoreError if it cannot be read."""
    if uri == PLAN:
        text = json.dumps(plan_data(board.key, board.plan))
    else:
        text = json.dumps([board_data(found) for found in sessions_with_damage(board.store, MOST_LISTED)])
    contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return types.ReadResourceResult(contents=[contents])
