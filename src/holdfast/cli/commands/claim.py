"""The commands by which agents share a plan: `claim`, `release`, `finish`."""

from ...board.claims import LONGEST_NAME, SECONDS
from ...dialects import Reply
from ...plan import Plan
from ...terminal.plan import progress, todo_line
from ...text import describe
from ...transfer.data import PLAN_KEYS, plan_data
from ..command import Argument, Command, Example, Exit, positive_number
from ..invocation import Invocation
from .edit import done


def claim(call: Invocation) -> int:
    """Take a todo, or renew the claim on it."""
    board = call.board(call.known_key)
    seconds = call.number("seconds")
    claimed = board.claim(_who(call), call.word("id"), SECONDS if seconds is None else seconds)
    plan = done(claimed.reply)
    return _tell(call, plan, "" if claimed.todo is None else claimed.todo.id)


def release(call: Invocation) -> int:
    """Give a todo back."""
    return _ended(call, call.board(call.known_key).release(_who(call), call.word("id") or ""))


def finish(call: Invocation) -> int:
    """Complete a todo that one has claimed."""
    return _ended(call, call.board(call.known_key).finish(_who(call), call.word("id") or "", call.word("evidence")))


def _ended(call: Invocation, reply: Reply) -> int:
    return _tell(call, done(reply), call.word("id") or "")


def _tell(call: Invocation, plan: Plan, id: str) -> int:
    screen = call.screen
    if call.wants_json:
        screen.print_json({**plan_data(call.key, plan), "claimed": id})
    else:
        lines = [todo_line(screen, todo, indent="") for todo in plan.todos if todo.id == id]
        screen.print([*lines, progress(screen, plan)])
    return Exit.OK


def _who(call: Invocation) -> str:
    return call.word("as") or ""


def _name(word: str) -> str:
    if not 0 < len(word) <= LONGEST_NAME:
        raise ValueError(f"expected a name of 1 to {LONGEST_NAME} characters, received {describe(word)}")
    return word


_WHO = Argument(
    "--as", "who does it: a name that no other agent has, the same each time", "NAME", of=_name, is_required=True
)
_ID = Argument("ID", "the todo, by its id in `holdfast show`")
_KEYS = f"{PLAN_KEYS}, `claimed` (the id)"

COMMANDS = (
    Command(
        "claim",
        "Take the next free todo for an agent, or keep it for longer.",
        claim,
        (
            Argument("ID", "the todo; else one's own, else the next that is free", many="?"),
            _WHO,
            Argument("--seconds", "for how long; 300 if not said", "N", of=positive_number),
        ),
        (
            Example("holdfast claim --as worker-7", "the next free todo is worker-7's for five minutes"),
            Example("holdfast claim 3 --as worker-7 --seconds 60", "todo 3, for a minute more"),
        ),
        _KEYS,
    ),
    Command(
        "release",
        "Give a claimed todo back, as pending.",
        release,
        (_ID, _WHO),
        (Example("holdfast release 3 --as worker-7", "another agent may have todo 3"),),
        _KEYS,
    ),
    Command(
        "finish",
        "Complete a claimed todo, unless another agent has taken it over.",
        finish,
        (_ID, _WHO, Argument("--evidence", "what shows that it is done", "TEXT")),
        (Example("holdfast finish 3 --as worker-7 --evidence 'all tests pass'", "todo 3 is done"),),
        _KEYS,
    ),
)
