"""The commands by which a person corrects a plan. The model is told of it, and does not undo it."""

from collections.abc import Callable, Sequence
from functools import partial

from ...board import Board
from ...dialects import Reply
from ...errors import StoreError
from ...plan import Plan, Status
from ...terminal.plan import plan_lines, progress, todo_line
from ...text import brief, one_line
from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import Invocation, Refusal

Do = Callable[[Board], Reply]


def add(call: Invocation) -> int:
    """Put a new todo on the plan."""
    board = call.board()
    known = board.plan.next_id
    plan = done(board.add(" ".join(call.words("text")), position=_position(call)))
    return _tell(call, plan, [todo.id for todo in plan.todos if todo.id == str(known)])


def set_status(status: Status, call: Invocation) -> int:
    """Give todos a status."""
    return _each(call, lambda board, id: board.edit(id, status=status))


def reword(call: Invocation) -> int:
    """Give a todo another text. Its active form goes with the old one."""
    text = " ".join(call.words("text"))
    return _each(call, lambda board, id: board.edit(id, content=text, active_form=text))


def move(call: Invocation) -> int:
    """Put a todo at another place."""
    return _each(call, lambda board, id: board.move(id, _position(call) or 0))


def remove(call: Invocation) -> int:
    """Take todos off the plan."""
    return _each(call, lambda board, id: board.remove(id))


def undo(call: Invocation) -> int:
    """Take the newest change back."""
    return _whole(call, lambda board: board.undo())


def clear(call: Invocation) -> int:
    """Take every todo off the plan."""
    return _whole(call, lambda board: board.clear())


def _each(call: Invocation, act: Callable[[Board, str], Reply]) -> int:
    """Do something to each todo that was named, to none if one of them is not there."""
    board = call.board(call.known_key)
    ids = list(dict.fromkeys(call.words("id")))
    plan = board.plan
    for id in ids:
        _check_there(plan, id)
    for id in ids:
        plan = done(act(board, id))
    return _tell(call, plan, ids)


def _whole(call: Invocation, act: Do) -> int:
    """Do something to the plan, and show it."""
    key = call.known_key
    plan = done(act(call.board(key)))
    if call.wants_json:
        call.screen.print_json(plan_data(key, plan))
    else:
        call.screen.print(plan_lines(call.screen, key, plan))
    return Exit.OK


def _tell(call: Invocation, plan: Plan, ids: Sequence[str]) -> int:
    """Print what became of the todos that were named, and how far the plan is."""
    screen = call.screen
    if call.wants_json:
        screen.print_json(plan_data(call.key, plan))
        return Exit.OK
    todos = [todo_line(screen, todo, indent="") for todo in plan.todos if todo.id in ids]
    gone = [f"Removed {screen.text(id)}" for id in ids if plan.get(id) is None]
    screen.print([*todos, *gone, progress(screen, plan) if plan.todos else "No todos."])
    return Exit.OK


def _check_there(plan: Plan, id: str) -> None:
    if plan.get(id) is None:
        has = (
            f"the plan has {', '.join(one_line(todo.id) for todo in plan.todos)}" if plan.todos else "the plan is empty"
        )
        raise Refusal(f"no todo {brief(id, 40)}; {has}")


def done(reply: Reply) -> Plan:
    """The plan after an edit. Raises Refusal, or StoreError, if it was not made."""
    if reply.ok:
        return reply.plan
    message = "; ".join(f"{fault.field}: {fault.message}" if fault.field else fault.message for fault in reply.faults)
    raise (StoreError if reply.faults[0].code == "store" else Refusal)(message)


def _position(call: Invocation) -> int | None:
    """The place that was given, counted from 0."""
    place = call.number("place")
    return None if place is None else place - 1


_ONE = (Argument("ID", "the todo, by its id in `holdfast show`", many="1"),)
_SEVERAL = (Argument("ID", "the todos, by their ids in `holdfast show`", many="+"),)
_TEXT = Argument("TEXT", "what is to be done; several words are one text", many="+")

COMMANDS = (
    Command(
        "add",
        "Add a todo.",
        add,
        (_TEXT, Argument("--place", "where: 1 is the top; else at the end", "N", of=positive_number)),
        (
            Example("holdfast add Run the tests on Windows", "at the end"),
            Example('holdfast add "Ask the owner (now!)" --place 1', "at the top"),
        ),
        PLAN_KEYS,
    ),
    Command(
        "start",
        "Mark a todo as in progress; the one that was goes back to pending.",
        partial(set_status, Status.IN_PROGRESS),
        _ONE,
        (Example("holdfast start 2", "work on todo 2"),),
        PLAN_KEYS,
    ),
    Command(
        "done",
        "Mark todos as completed.",
        partial(set_status, Status.COMPLETED),
        _SEVERAL,
        (Example("holdfast done 2 3", "todos 2 and 3 are done"),),
        PLAN_KEYS,
    ),
    Command(
        "cancel",
        "Mark todos as cancelled: they will not be done.",
        partial(set_status, Status.CANCELLED),
        _SEVERAL,
        (Example("holdfast cancel 4", "todo 4 is not needed"),),
        PLAN_KEYS,
    ),
    Command(
        "block",
        "Mark todos as blocked: they wait for something.",
        partial(set_status, Status.BLOCKED),
        _SEVERAL,
        (Example("holdfast block 5", "todo 5 must wait"),),
        PLAN_KEYS,
    ),
    Command(
        "reword",
        "Give a todo another text.",
        reword,
        (*_ONE, _TEXT),
        (Example("holdfast reword 3 Run only the fast tests", "todo 3 says something else"),),
        PLAN_KEYS,
    ),
    Command(
        "move",
        "Put a todo at another place.",
        move,
        (*_ONE, Argument("PLACE", "where: 1 is the top; past the end is the end", of=positive_number)),
        (Example("holdfast move 5 1", "todo 5 to the top"),),
        PLAN_KEYS,
    ),
    Command(
        "remove",
        "Take todos off the plan.",
        remove,
        _SEVERAL,
        (Example("holdfast remove 4", "todo 4 goes"),),
        PLAN_KEYS,
    ),
    Command(
        "undo",
        "Take the newest change back, by whomever; again for the one before it.",
        undo,
        examples=(Example("holdfast undo", "the plan as it was before the last change"),),
        json_keys=PLAN_KEYS,
    ),
    Command(
        "clear",
        "Take every todo off the plan. `holdfast undo` brings them back.",
        clear,
        examples=(Example("holdfast clear --session nightly", "an empty plan"),),
        json_keys=PLAN_KEYS,
    ),
)
