"""What the commands share with which a person corrects a plan. The model learns of an edit, and does not undo it."""

from collections.abc import Callable, Sequence

from ..board import Board
from ..dialects import Reply
from ..errors import StoreError
from ..plan import Plan
from ..terminal.lines import todo_line
from ..terminal.plan import plan_lines, progress_line, short_id
from ..text import brief, one_line
from ..transfer.data import PLAN_KEYS, plan_data
from .command import Argument, Command, Example, Exit
from .invocation import CommandError, Invocation

ONE_ID = Argument("ID", "the todo, by its id in `holdfast show`", many="1")
SEVERAL_IDS = Argument("ID", "the todos, by their ids in `holdfast show`", many="+")
TEXT = Argument("TEXT", "what is to be done; several words are one text", many="+")


def edit_command(
    name: str,
    help: str,
    arguments: tuple[Argument, ...],
    example: Example,
    edit: Callable[[Board, str, Invocation], Reply],
) -> Command:
    """A command that edits each todo that was named."""
    return Command(name, help, lambda call: edit_each(call, edit), arguments, (example,), PLAN_KEYS)


def edit_each(call: Invocation, edit: Callable[[Board, str, Invocation], Reply]) -> int:
    """Edit each todo that was named; none of them if one does not exist. Then print them."""
    board = call.board(call.known_key)
    ids = list(dict.fromkeys(call.words("id")))
    plan = board.plan
    for id in ids:
        _check_exists(plan, id)
    for id in ids:
        plan = edited_plan(edit(board, id, call))
    return print_todos(call, plan, ids)


def plan_command(name: str, help: str, example: Example, edit: Callable[[Board], Reply]) -> Command:
    """A command that edits the plan as a whole, and prints it."""

    def run(call: Invocation) -> int:
        key = call.known_key
        plan = edited_plan(edit(call.board(key)))
        if call.wants_json:
            call.screen.print_json(plan_data(key, plan))
        else:
            call.screen.print(plan_lines(key, plan, call.screen.columns))
        return Exit.OK

    return Command(name, help, run, (), (example,), PLAN_KEYS)


def edited_plan(reply: Reply) -> Plan:
    """The plan after an edit. Raises CommandError, or StoreError, if it was not made."""
    if reply.ok:
        return reply.plan
    message = "; ".join(f"{fault.field}: {fault.message}" if fault.field else fault.message for fault in reply.faults)
    raise (StoreError if reply.faults[0].code == "store" else CommandError)(message)


def print_todos(call: Invocation, plan: Plan, ids: Sequence[str], **more: object) -> int:
    """Print what became of the todos of these ids, and how far the plan is. `more` goes into the data for programs."""
    screen = call.screen
    if call.wants_json:
        screen.print_json({**plan_data(call.key, plan), **more})
        return Exit.OK
    screen.print(todo_line(todo, screen.columns, id=short_id(todo)) for todo in plan.todos if todo.id in ids)
    screen.print_text(*(f"Removed {id}" for id in ids if plan.get(id) is None))
    if plan.todos:
        screen.print([progress_line(plan, screen.columns)])
    else:
        screen.print_text("No todos.")
    return Exit.OK


def position(call: Invocation) -> int | None:
    """The place on the plan that was given, counted from 0."""
    place = call.number("place")
    return None if place is None else place - 1


def _check_exists(plan: Plan, id: str) -> None:
    if plan.get(id) is None:
        ids = ", ".join(one_line(todo.id) for todo in plan.todos)
        raise CommandError(f"no todo {brief(id, 40)}; {f'the plan has {ids}' if ids else 'the plan is empty'}")
