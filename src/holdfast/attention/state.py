"""Where the work on the current todo stands, by its journal. What is said, and what is offered, both follow from it.

state         by the journal                                           what comes next
------------  -------------------------------------------------------  ------------------------------------
NEW           nothing was done yet                                     do it
UNREAD        nothing was done yet, and there is something to read     look at that first
LOOKED        it was only looked at                                    do it; no second look
FAILED        the last call failed                                     another command, or a look, then another tool
GIVE_UP       really different ways failed                             mark it blocked
DONE_BEFORE   the last call failed, and one before it did the work     mark it completed
REPEATED      the same call did its work again                         mark it completed
UNMENTIONED   no call has mentioned a name in its text                 finish it; asked once
WORKED        something was done                                       mark it completed, or finish it
"""

from enum import Enum, auto
from typing import NamedTuple

from ..plan import Plan, Todo
from ..plan.goals import files_to_read, names_for
from ..plan.names import named_in
from ..plan.work import NO_WORK, ToolUse, Work
from .policies import Policy

SOURCE_ENDINGS = frozenset(
    (
        *("c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "jsx", "kt", "lua", "php", "pl", "py"),
        *("rb", "rs", "scala", "sh", "sql", "swift", "ts", "tsx"),
    )
)
MOST_LOOKS = 2
"""How many looks without a change are told to be only looks."""


class Turn(NamedTuple):
    """What a host knows of the moment before a request."""

    since_write: int = 0
    """Requests since the last plan write that was accepted."""
    since_reminder: int | None = None
    """Requests since the last reminder after that write; None if there was no reminder."""
    reminded: int = 0
    """How often the plan was called stale since that write, and since the user spoke or the plan came back."""
    work: Work = NO_WORK
    """What was done for the current todo."""
    vain_writes: int = 0
    """How many plan writes in a row, also refused ones, finished nothing while there was work, or changed nothing."""
    cleared: bool = False
    """Whether the model has emptied its plan since the user spoke."""
    idle: bool = False
    """Whether the plan was written, and no other tool was used since then."""
    sees_plan: bool = True
    """Whether the model can still see its last write: not after compaction, on resume, in a new conversation."""
    first: bool = True
    """Whether nothing was sent to the model yet."""
    stopping: bool = False
    """Whether the model is about to end its turn."""
    held: int = 0
    """How often in a row the stop gate has held the model, with no further todo finished or blocked."""
    heard: bool = False
    """Whether the user has spoken, and since then the plan was not written and the model was not told to write it."""
    interrupted: bool = False
    """Whether the user interrupted, or said stop."""
    asked_user: bool = False
    """Whether the model waits for the user's answer."""
    subagents: int = 0
    """How many subagents are at work."""
    points: int = 0
    """How many points the user's list has, while there is no plan for it."""
    missing: int = 0
    """How many of them the first plan left out, if the model was not told yet."""
    out_of_sight: int = 0
    """How many of the uses for the current todo were made before the last compaction: the model cannot see them."""
    done_elsewhere: frozenset[str] = frozenset()
    """The keys of calls that have succeeded for other todos of the plan: one that fails now was done before."""
    unmentioned: tuple[str, ...] = ()
    """The names in the current todo that no call for it has mentioned, if the model was not told of them yet."""
    rides: bool = False
    """Whether an update may come with another tool's call: the host can do it, and the model does it well."""
    can_look: bool = False
    """Whether the host has tools that only read."""
    in_shell: bool = False
    """Whether the last call for the current todo was a command, or the host has nothing but a shell."""
    only_shell: bool = False
    """Whether the host has nothing but a shell."""
    tool: str = ""
    """The tool to do the current todo with, where one is better than the others; empty if the model must choose."""
    constrained: bool = False
    """Whether the host holds the model to what is offered."""
    retry: str = ""
    """The id of a blocked todo that is to be tried once more, when nothing else is left."""


class State(Enum):
    """Where the work on a todo stands."""

    NEW = auto()
    UNREAD = auto()
    LOOKED = auto()
    FAILED = auto()
    GIVE_UP = auto()
    DONE_BEFORE = auto()
    UNMENTIONED = auto()
    REPEATED = auto()
    WORKED = auto()


TO_BE_MARKED = frozenset((State.GIVE_UP, State.DONE_BEFORE, State.REPEATED))
"""Where there is nothing left to do but to mark the todo."""


def focus(plan: Plan, turn: Turn) -> Todo | None:
    """The todo to work on now: the plan's next one, or a blocked one that is tried once more."""
    return plan.next or plan.get(turn.retry)


def work_on(plan: Plan, running: Work, retry: str = "") -> Work:
    """All that was done for the current todo: by its journal, and since the last write. A second try begins anew.

    Without a todo, it is what was done for none.
    """
    todo = plan.next
    if todo is None:
        return running if running.todo == retry else NO_WORK
    return Work(todo.id, (*todo.work, *running.uses) if running.todo in ("", todo.id) else todo.work)


def state_of(plan: Plan, todo: Todo, turn: Turn, policy: Policy) -> State:
    """Where the work on the current todo stands."""
    work = turn.work
    last = work.last
    if last is None:
        return State.UNREAD if policy.reads_first and to_read(plan, todo) else State.NEW
    if last.failed:
        if _was_done_before(plan, todo, last, turn) and not turn.unmentioned:
            return State.DONE_BEFORE
        return State.GIVE_UP if _is_hopeless(work, policy.gives_up_after) else State.FAILED
    if turn.unmentioned:
        return State.UNMENTIONED
    if not work.calls or (policy.completes and _only_looked(work)):
        return State.LOOKED
    return State.REPEATED if policy.breaks_loops and _did_it_again(last, turn) else State.WORKED


def looks_in_sight(turn: Turn) -> int:
    """How many looks at what is there the model can still see."""
    return Work(uses=turn.work.uses[turn.out_of_sight :]).looks


def to_read(plan: Plan, todo: Todo) -> tuple[str, ...]:
    """What is to be read before anything is done for a todo: source code, or where the user's example points."""
    return source_files(todo) or files_to_read(plan, todo)


def source_files(todo: Todo) -> tuple[str, ...]:
    """The source code that a todo names. It must be read before it is changed."""
    return tuple([name for name in named_in(todo.content) if name.rpartition(".")[2] in SOURCE_ENDINGS])


def _only_looked(work: Work) -> bool:
    """Whether nothing was changed, and the model has not insisted on looking: some todos ask for nothing more."""
    return work.looks <= MOST_LOOKS and not any(use.changes for use in work.uses)


def _was_done_before(plan: Plan, todo: Todo, last: ToolUse, turn: Turn) -> bool:
    """Whether the newest call, which failed, did its work when it was made before; or one did that is out of sight."""
    done_by = turn.work.done_by
    is_out_of_sight = turn.out_of_sight > 0 and done_by is not None and done_by.changes
    if is_out_of_sight and not turn.work.missing_names(names_for(plan, todo)):
        return True
    if last.read_only or not last.key:
        return False
    return last.key in turn.done_elsewhere or (done_by is not None and done_by.key == last.key)


def _did_it_again(last: ToolUse, turn: Turn) -> bool:
    """Whether the newest call was made before, and did what it does. Of looks, nobody knows whether they were all.

    A host that constrains must end them somehow: there, a mark is all that is offered.
    """
    return last.times > 1 and (last.changes or turn.constrained)


def _is_hopeless(work: Work, most_ways: int) -> bool:
    """Whether nothing helps: so many different ways have failed, or the same ones again and again."""
    return most_ways > 0 and (work.ways >= most_ways or work.failures > most_ways)
