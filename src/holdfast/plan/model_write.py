"""The model's write as one pure step: an old plan and a draft in, a new plan or a refusal out.

The rules that need both are applied here: a person's edits are upheld, open todos are kept where they must not be lost,
ids must be known, and completion needs work.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..text import brief, one_line
from . import edits, transitions
from .change import Difference, differences
from .dependencies import check_dependencies
from .fault import Fault, Refusal
from .plan import Plan
from .rules import Rules, check_against, check_result
from .step import Written
from .todo import COMPLETED, DONE, IN_PROGRESS, PENDING, Draft, Todo, Wish, succeeded_keys
from .transitions import match
from .work import MOST_USES, MOST_WHEN_DONE, ToolUse, Work

_new = tuple.__new__


class Terms(NamedTuple):
    """What a write must obey: the rules, what the dialect calls the list, and the work done since the last write.

    With `runs_checks`, a todo that has a check needs nothing else: the check decides alone.
    """

    rules: Rules
    list_field: str
    work: Work
    runs_checks: bool = False


def write(plan: Plan, draft: Draft, terms: Terms, now: float, notes: tuple[str, ...] = ()) -> Written | Refusal:
    """The plan after the model's write, or what is wrong with it. `notes` are said of it beside others."""
    rules = terms.rules
    if plan.edits:
        notes = (edits.describe(plan), *notes)
        draft = edits.uphold(plan, draft, rules.max_in_progress)
    if rules.keep_open and not draft.merge and plan.todos:
        draft, kept = _with_open(plan, draft)
        notes += kept
    if rules.checks and plan.todos:
        draft, kept = _with_own_checks(plan, draft)
        notes += kept
    faults: list[Fault] = []
    if not draft.merge:
        after = transitions.replace(plan, _refocused(plan, draft, rules.max_in_progress), now)
    elif _is_whole(plan, draft):
        after = transitions.replace(_without_numbers(plan, draft), draft, now)
    else:
        after, faults = _updated(plan, draft, terms, now)
    faults += check_dependencies(plan, draft, after, terms.list_field)
    return Refusal(tuple(faults)) if faults else accept(plan, after, terms, notes, draft.merge)


def accept(
    plan: Plan,
    after: Plan,
    terms: Terms,
    notes: tuple[str, ...] = (),
    is_update: bool = False,
    completed: Sequence[Todo] | None = None,
) -> Written | Refusal:
    """The plan that a write leads to, with the notes on it, or why the write is refused after all.

    `completed` are the todos that it completes, if the caller knows them and the write loses none.
    """
    rules, _, work, _ = terms
    if work.uses:
        after, completed = _with_work(plan, after, work), None
    if (rules.work_before_done or rules.evidence == "required") and (faults := _proof_faults(plan, after, terms)):
        return Refusal(tuple(faults))
    if rules.point_out and after is not plan and _may_have_gaps(plan, after, completed):
        notes += _gaps(plan, after)
    if plan.edits:  # now the model knows what people did
        after = after._replace(edits=(), seen=(), revision=plan.revision + 1)
    return _new(Written, (after, notes, is_update, 0, completed))


def _updated(plan: Plan, draft: Draft, terms: Terms, now: float) -> tuple[Plan, list[Fault]]:
    """The plan after an update, and what is wrong with it."""
    rules, list_field, _, _ = terms
    faults = check_against(plan, draft, list_field)
    after = plan if faults else transitions.merge(plan, draft, now)
    if rules.advance and _finishes_one(draft) and len(after.done) > len(plan.done):
        after = transitions.advance(after, now)
    return after, faults + check_result(after, rules, len(plan.todos), list_field)


def _finishes_one(draft: Draft) -> bool:
    """Whether an update may leave more todos done than there were."""
    for wish in draft.wishes:  # noqa: SIM110 a generator costs more than the loop
        if wish.status in DONE:
            return True
    return False


def _is_whole(plan: Plan, draft: Draft) -> bool:
    """Whether an update with ids is really a whole list: nothing is open, and it begins a plan."""
    return not plan.has_open and (_restarts_numbers(plan, draft) or _is_first(plan, draft))


def _without_numbers(plan: Plan, draft: Draft) -> Plan:
    """The plan that such a list replaces: one whose numbers begin again has none of the old todos."""
    return plan._replace(todos=()) if _restarts_numbers(plan, draft) else plan


def _is_first(plan: Plan, draft: Draft) -> bool:
    """Whether an update with ids is really a first whole list: nothing is open, and every todo says what to do."""
    if not draft.wishes:
        return False
    return all(wish.content is not None and plan.get(wish.id or "") is None for wish in draft.wishes)


def _restarts_numbers(plan: Plan, draft: Draft) -> bool:
    """Whether an update is the next plan, numbered from 1 again: nothing is open, and it restates no finished text."""
    wishes = draft.wishes
    if len(wishes) < 2 or plan.get("1") is None:
        return False
    old_texts = {None, *(todo.content for todo in plan.todos)}
    return all(wish.id == str(number) and wish.content not in old_texts for number, wish in enumerate(wishes, 1))


def _refocused(plan: Plan, draft: Draft, most_running: int) -> Draft:
    """A whole list in which todos that the model left out wait, where it has started others instead."""
    for wish in draft.wishes:
        if wish[2] is None:
            break
    else:
        return draft
    running = [wish for wish in draft.wishes if _runs(wish, plan)]
    too_many = max(len(running) - most_running, 0)
    edited = {known.id for known in plan.edits}
    kept = sorted((wish for wish in running if wish.status is None), key=lambda wish: wish.id in edited)
    waiting = {wish.id for wish in kept[:too_many]}
    return draft._replace(
        wishes=[wish._replace(status=PENDING) if wish.id in waiting else wish for wish in draft.wishes]
    )


def _runs(wish: Wish, plan: Plan) -> bool:
    """Whether a todo is in progress once a wish is granted, and not with the agent that claimed it."""
    todo = None if wish.id is None else plan.get(wish.id)
    if todo is not None and todo.details.owner:
        return False
    return (wish.status or (todo and todo.status)) is IN_PROGRESS


def _with_open(plan: Plan, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """A whole list with the open todos that it left out, in front of its new ones, and a note that names them."""
    found = match(plan.todos, draft.wishes)
    listed = {todo.id for todo in found if todo is not None}
    lost = [todo for todo in plan.open if todo.id not in listed]
    if not lost:
        return draft, ()
    known = [wish._replace(id=todo.id) for wish, todo in zip(draft.wishes, found, strict=True) if todo is not None]
    new = [wish for wish, todo in zip(draft.wishes, found, strict=True) if todo is None]
    kept = draft._replace(wishes=[*known, *(Wish(todo.id) for todo in lost), *new])
    return kept, (f"Kept what is still open: {_ids(lost)}. Cancel by id what is not needed.",)


def _with_work(plan: Plan, after: Plan, work: Work) -> Plan:
    """The plan with what was done since the last write, put to the todo that it was done for.

    That is the todo that was current, or the one that the write completes instead.
    """
    if after.revision == plan.revision or after.number != plan.number:
        return after
    completed = [new.id for old, new in _pairs(plan, after) if new is not None and not new.is_open and old is not None]
    id = work.todo if work.todo in completed or not completed else completed[0]
    todos = [todo._replace(work=_kept(todo, work.uses)) if todo.id == id else todo for todo in after.todos]
    return after._replace(todos=tuple(todos))


def _kept(todo: Todo, uses: tuple[ToolUse, ...]) -> tuple[ToolUse, ...]:
    return (*todo.work, *uses)[-(MOST_USES if todo.is_open else MOST_WHEN_DONE) :]


def _with_own_checks(plan: Plan, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """A write that leaves the checks alone which are there already, and a note if it would have changed some.

    Whoever could change a check could make it pass. A model sets one where there is none; people and hosts change it.
    """
    wishes, kept = list(draft.wishes), []
    for place, (wish, todo) in enumerate(zip(wishes, match(plan.todos, wishes), strict=True)):
        if todo is None or not todo.check or wish.details is None or wish.details.check in (None, todo.check):
            continue
        wishes[place] = wish._replace(details=wish.details._replace(check=None))
        kept.append(todo)
    if not kept:
        return draft, ()
    return draft._replace(wishes=wishes), (f"The check of {_ids(kept)} stays: only the user changes it.",)


def _was_done_before(plan: Plan, work: Work) -> bool:
    """Whether the last call failed because it had succeeded before, for another todo."""
    last = work.last
    return last is not None and last.key in succeeded_keys(plan.todos, work.todo)


def _pairs(plan: Plan, after: Plan) -> tuple[Difference, ...]:
    return differences(plan.todos if plan.number == after.number else (), after.todos)


def _proof_faults(plan: Plan, after: Plan, terms: Terms) -> list[Fault]:
    """The faults of completions without proof: no work before them, or no evidence with them."""
    rules, list_field, work, runs_checks = terms
    all_completed = [
        new for old, new in _pairs(plan, after) if new is not None and _is_completed(new) and not _is_completed(old)
    ]
    completed = [todo for todo in all_completed if not (runs_checks and todo.check)]
    has_checked = len(completed) < len(all_completed)
    has_worked = (
        work.calls > 0 or any(Work(todo.id, todo.work).calls > 0 for todo in completed) or _was_done_before(plan, work)
    )
    has_tried = work.failures > 0 or (plan.next is not None and Work(plan.next.id, plan.next.work).failures > 0)
    gives_up = plan.next is not None and after.next is None and not has_tried and not has_checked
    if rules.work_before_done and not has_worked and (completed or gives_up):
        todo = plan.next or after.next
        first = f"First do item {todo.id}: {one_line(todo.content)}" if todo is not None else "First do some of it"
        message = f"nothing was done since the last plan write. {first}. Then mark it completed"
        return [Fault(list_field, message, "no_work", field=list_field, received=_ids(completed) or "no open todo")]
    if rules.evidence != "required":
        return []
    return [
        Fault(
            f"{list_field} (id {todo.id}).evidence",
            "required: what shows that it is done",
            "evidence",
            field="evidence",
        )
        for todo in completed
        if not todo.evidence.strip()
    ]


def _may_have_gaps(plan: Plan, after: Plan, completed: Sequence[Todo] | None) -> bool:
    """Whether it is worth looking: a todo may be gone, or several may have jumped to completed."""
    if completed is not None:
        return len(completed) > 1
    before, todos = plan.todos, after.todos
    if len(todos) != len(before):
        return True
    jumps = 0
    for old, new in zip(before, todos, strict=True):
        if old[0] != new[0]:  # another order, or another todo in its place
            return True
        if new[2] is COMPLETED and old[2] is PENDING:
            jumps += 1
    return jumps > 1


def _gaps(plan: Plan, after: Plan) -> tuple[str, ...]:
    """What a list does not mention: todos completed that were never started, several at once; open todos left out."""
    if plan.number != after.number:
        return ()
    notes, jumped = [], []
    left_out = {todo[0]: todo for todo in plan.todos}
    for new in after.todos:
        old = left_out.pop(new[0], None)
        if old is not None and new[2] is COMPLETED and old[2] is PENDING:
            jumped.append(new)
    if len(jumped) > 1:
        notes.append(f"{_ids(jumped)} went from pending to completed at once: make sure that each is done.")
    if lost := [todo for todo in left_out.values() if todo.is_open]:
        notes.append(
            f"Left out while still open: {', '.join(f'{todo.id} ({brief(todo.content, 40)})' for todo in lost[:5])}."
        )
    return tuple(notes)


def _is_completed(todo: Todo | None) -> bool:
    return todo is not None and todo.status is COMPLETED


def _ids(todos: list[Todo]) -> str:
    return ", ".join(todo.id for todo in todos)
