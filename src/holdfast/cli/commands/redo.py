"""The command `redo`: an undo is taken back."""

from ...board import Board
from ...board.person_steps import redoable
from ...plan import Plan
from ..command import Example
from ..invocation import Invocation
from ..person_edit import plan_command


def leads_to(board: Board, call: Invocation) -> Plan | None:
    """The plan before the newest undo; None if there is nothing to redo."""
    change = redoable(board.history())
    return None if change is None else change.before


COMMAND = plan_command(
    "redo",
    "Undo the newest undo, if nothing else was changed since.",
    (),
    [Example("holdfast redo", "the plan as it was before `holdfast undo`")],
    lambda board, _, seen: board.redo(expected_revision=seen),
    leads_to,
)
