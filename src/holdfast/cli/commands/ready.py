"""The command `ready`: what can be started now, and by whom."""

from ...board.claims import free_todos
from ...plan import Todo
from ...stores.leases import leases_on
from ...terminal.lines import todo_line
from ...terminal.plan import heading, short_id
from ...text import counted
from ...transfer.data import todo_data
from ..command import Argument, Command, Example, Exit
from ..invocation import Invocation

ANYONE = "anyone"


def run(call: Invocation) -> int:
    """Print the todos that can be started, of one plan or of all."""
    screen = call.screen
    keys = call.keys if call.flag("all") else [call.known_key]
    plans = [(key, call.store.load(key)) for key in keys]
    found = [(key, plan, free_todos(plan, leases_on(call.store, key))) for key, plan in plans]
    if call.wants_json:
        screen.print_json([{**key._asdict(), **todo_data(todo)} for key, _, todos in found for todo in todos])
        return Exit.OK
    for key, plan, todos in found:
        if todos or not call.flag("all"):
            screen.print([heading(key, screen.columns, plan.about.label)])
            screen.print(todo_line(todo, screen.columns, id=short_id(todo), note=_who(todo)) for todo in todos)
            screen.print_text(f"{counted(len(todos), 'todo')} of {len(plan.open)} open can be started now")
    return Exit.OK


def _who(todo: Todo) -> str:
    return f"for {todo.details.owner or ANYONE}"


COMMAND = Command(
    "ready",
    "Show what can be started now, and by whom. These are pending todos that wait for no other, and those of agents "
    "whose claim has run out. The most urgent come first.",
    run,
    (Argument("--all", "of every session"),),
    (
        Example("holdfast ready", "what to hand out next"),
        Example("holdfast ready --all --json", "of every plan, for a program that starts agents"),
    ),
    "a list of todos as in `show`, each with `session`, `agent`",
)
