"""The command `undo`: the plan as it was before its newest change."""

from ...board import Board
from ...board.person_steps import undoable
from ...plan import Plan
from ..command import Example
from ..invocation import Invocation
from ..person_edit import plan_command


def leads_to(board: Board, call: Invocation) -> Plan | None:
    """The plan before the newest change; None if there is nothing to undo."""
    change = undoable(board.history())
    return None if change is None else change.before


COMMAND = plan_command(
    "undo",
    "Undo the newest change, whoever made it. Run it again for the one before. `redo` undoes an undo, `restore` goes "
    "to any revision.",
    (),
    [Example("holdfast undo", "the plan as it was before the last change")],
    lambda board, _, seen: board.undo(expected_revision=seen),
    leads_to,
)
