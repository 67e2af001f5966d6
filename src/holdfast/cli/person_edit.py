"""What the commands share with which a person corrects a plan. The model learns of an edit, and does not undo it."""

from collections.abc import Callable, Sequence

from ..board import Board
from ..dialects import Reply
from ..errors import StoreError
from ..plan import Change, Plan
from ..stores import Key
from ..stores.leases import leases_on
from ..terminal.lines import todo_line
from ..terminal.log import change_lines
from ..terminal.plan import heading, plan_lines, progress_line, short_id
from ..terminal.words import todo_note
from ..text import brief, counted, one_line
from ..transfer.data import PLAN_KEYS, plan_data
from .command import Argument, Command, Example, Exit
from .invocation import CommandError, Invocation
from .question import YES, confirm_emptying

ONE_ID = Argument("ID", "the todo, by its id in `holdfast show`", many="1")
SEVERAL_IDS = Argument("ID", "the todos, by their ids in `holdfast show`", many="+")
TEXT = Argument("TEXT", "what is to be done; several words are one text", many="+")


def edit_command(
    name: str,
    help: str,
    arguments: tuple[Argument, ...],
    examples: Sequence[Example],
    edit: Callable[[Board, str, Invocation], Reply],
) -> Command:
    """A command that edits each todo that was named."""
    return Command(name, help, lambda call: edit_each(call, edit), arguments, tuple(examples), PLAN_KEYS)


def edit_each(call: Invocation, edit: Callable[[Board, str, Invocation], Reply]) -> int:
    """Edit each named todo, or none if one of them does not exist. Then print them."""
    key = call.known_key
    board = call.board(key)
    ids = named_ids(call, board.plan)
    plan = board.plan
    for id in ids:
        plan = edited_plan(edit(board, id, call))
    return print_todos(call, key, plan, ids)


def named_ids(call: Invocation, plan: Plan) -> list[str]:
    """The ids that were named, each once. Raises CommandError if the plan lacks one."""
    ids = list(dict.fromkeys(call.words("id")))
    for id in ids:
        _check_exists(plan, id)
    return ids


def plan_command(
    name: str,
    help: str,
    arguments: tuple[Argument, ...],
    examples: Sequence[Example],
    edit: Callable[[Board, Invocation, int | None], Reply],
    leads_to: Callable[[Board, Invocation], Plan | None],
) -> Command:
    """A command that edits the plan as a whole, and prints it.

    `leads_to` is the plan after it, as far as can be known: a person is asked before every todo goes. `edit` gets the
    revision that the person was asked about.
    """

    def run(call: Invocation) -> int:
        key = call.known_key
        board = call.board(key)
        seen = confirm_emptying(call, key, board.plan, leads_to(board, call))
        reply = edit(board, call, seen)
        plan = edited_plan(reply)
        result = print_plan(call, key, plan, way_back(board, plan))
        if reply.change is not None and plan.todos and not call.wants_json:
            _print_change(call, reply.change)
        return result

    return Command(name, help, run, (*arguments, YES), tuple(examples), PLAN_KEYS)


def _print_change(call: Invocation, change: Change) -> None:
    """Print what a command changed that was not told what to change, such as `undo`."""
    lines = change_lines(change, call.screen.columns)
    if lines:
        call.screen.print_text("Changed:")
        call.screen.print(lines)


def print_plan(call: Invocation, key: Key, plan: Plan, notes: Sequence[str]) -> int:
    """Print a plan as it is after a command, and for people some notes below it."""
    if call.wants_json:
        call.screen.print_json(plan_data(key, plan))
    else:
        call.screen.print(plan_lines(key, plan, call.screen.columns))
        call.screen.print_text(*notes)
    return Exit.OK


def way_back(board: Board, plan: Plan) -> list[str]:
    """For an empty plan: how to bring the todos back that were on it last."""
    if plan.todos or not plan.revision:
        return []
    lost = next((record.change.before for record in board.history() if record.change.before.todos), None)
    if lost is None:
        return []
    what = f"The {counted(len(lost.todos), 'todo')} of revision {lost.revision}"
    return [f"{what} can come back: holdfast restore {lost.revision}"]


def edited_plan(reply: Reply) -> Plan:
    """The plan after an edit. Raises CommandError, or StoreError, if it was not made."""
    if reply.ok:
        return reply.plan
    words = [fault._replace(message=fault.message.partition("\n")[0]) for fault in reply.faults]  # no output of a check
    message = "; ".join(f"{fault.field}: {fault.message}" if fault.field else fault.message for fault in words)
    raise (StoreError if reply.faults[0].code == "store" else CommandError)(message)


def print_todos(call: Invocation, key: Key, plan: Plan, ids: Sequence[str], **more: object) -> int:
    """Print whose plan it is, what became of the todos of these ids, and how far the plan is.

    `more` goes into the data for programs.
    """
    screen = call.screen
    if call.wants_json:
        screen.print_json({**plan_data(key, plan), **more})
        return Exit.OK
    screen.print([heading(key, screen.columns, plan.about.label)])
    todos, leases = [todo for todo in plan.todos if todo.id in ids], leases_on(call.store, key)
    notes = {todo.id: todo_note(plan, todo, leases) for todo in todos}
    screen.print(todo_line(todo, screen.columns, id=short_id(todo), note=notes[todo.id]) for todo in todos)
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
