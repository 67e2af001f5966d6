"""What people do to a plan, and how it holds against the model's next write: pure functions.

A person's edit is remembered in the plan until the model has been told of it. Until then it wins: `uphold` takes what
the model asks for, as it saw the plan, and leaves in it only what does not undo the edit. Field by field:

    the person…                    the model's next list…        what holds
    -----------------------------  ----------------------------  --------------------------------------------------
    reworded a todo                says another text             the person's text and active form
    changed its active form        says another active form      the person's
    changed its status             says another status           the person's
    changed its details            says other details            the person's, all of them
    changed something else of it   changes a field left alone    the model's, for that field
    added a todo                   leaves it out                 it stays, where the person put it
    removed a todo                 restates it                   it stays removed
    moved a todo                   has it elsewhere              the person's place
    reworked an open todo          leaves it out                 it stays; one that was only moved goes
    started a todo                 starts others                 the person's first; the model's wait if it is too many
    added a todo under an id       uses that id for its own      both; the model's gets a new id
"""

from collections.abc import Iterable, Sequence

from ..text import brief
from .change import differences
from .plan import Edit, Plan
from .step import Written
from .todo import Draft, Status, Todo, Wish
from .transitions import changed, match

LONGEST_QUOTE = 60


def edit(plan: Plan, id: str, wish: Wish, now: float, most_running: int) -> Plan:
    """The plan with one todo changed. Starting a todo makes others wait, if it must: see `displaced`.

    New words make the old active form stale: it goes, unless there is a new one too.
    """
    old = plan.get(id)
    if old is not None and wish.content not in (None, old.content) and wish.active_form is None:
        wish = wish._replace(active_form="")
    waiting = displaced(plan, id, wish, most_running)
    wishes = {**{other.id: Wish(status=Status.PENDING) for other in waiting}, id: wish}
    todos = [changed(todo, wishes[todo.id], now) if todo.id in wishes else todo for todo in plan.todos]
    # where one todo has the focus, starting another says that the first one waits
    return edited(plan, todos, now, implied=[other.id for other in waiting] if most_running == 1 else ())


def displaced(plan: Plan, id: str, wish: Wish, most_running: int) -> list[Todo]:
    """The todos in progress that must wait so that a todo can start. A claimed todo is never one of them."""
    if wish.status is not Status.IN_PROGRESS:
        return []
    running = [todo for todo in plan.todos if todo.status is Status.IN_PROGRESS and todo.id != id]
    too_many = max(len(running) + 1 - most_running, 0)
    return [todo for todo in running if not todo.details.owner][:too_many]


def add(plan: Plan, content: str, position: int | None, now: float) -> Plan:
    """The plan with a new pending todo, at the end or at a position counted from 0."""
    todo = Todo(str(plan.next_id), content, created_at=now)
    todos = list(plan.todos)
    todos.insert(len(todos) if position is None else position, todo)
    return edited(plan._replace(next_id=plan.next_id + 1), todos, now)


def remove(plan: Plan, id: str, now: float) -> Plan:
    """The plan without one todo."""
    return edited(plan, [todo for todo in plan.todos if todo.id != id], now)


def move(plan: Plan, id: str, position: int, now: float) -> Plan:
    """The plan with one todo at another position, counted from 0."""
    moved = [todo for todo in plan.todos if todo.id == id]
    rest = [todo for todo in plan.todos if todo.id != id]
    return edited(plan, [*rest[:position], *moved, *rest[position:]], now, moved_id=id)


def restore(plan: Plan, old: Plan, now: float) -> Plan:
    """The plan as it once was, as a new revision. The model will be told of what it did not undo itself."""
    if old.number != plan.number:
        return old._replace(revision=plan.revision + 1, updated_at=now, edits=(), seen=(), settings=plan.settings)
    back = edited(plan, old.todos, now)
    revision = plan.revision + 1
    return back._replace(summary=old.summary, revision=revision, updated_at=now)


def edited(
    plan: Plan, todos: Sequence[Todo], now: float, moved_id: str | None = None, implied: Sequence[str] = ()
) -> Plan:
    """The plan with these todos, and with what a person changed in it remembered, except what another edit implies."""
    if tuple(todos) == plan.todos:
        return plan
    edits = _untold_edits(plan, todos, moved_id, implied)
    seen = plan.seen if plan.edits else tuple(todo.id for todo in plan.todos)
    return plan._replace(
        todos=tuple(todos), revision=plan.revision + 1, updated_at=now, edits=edits, seen=seen if edits else ()
    )


def uphold(plan: Plan, draft: Draft, most_running: int) -> Draft:
    """What the model asks for, without what would undo a person's edit that it has not been told of."""
    if not plan.edits:
        return draft
    edits = {known.id: known for known in plan.edits}
    wishes = []
    for wish, meant in zip(draft.wishes, match(model_todos(plan), draft.wishes), strict=True):
        known = edits.get(meant.id) if meant is not None else None
        if meant is None:
            wishes.append(_with_own_id(wish, plan))
        elif known is None:
            wishes.append(wish._replace(id=meant.id))
        elif known.after is not None:
            wishes.append(_without_edited(wish, known))
    if not draft.merge:
        wishes = _with_persons_todos(wishes, plan)
    removed = tuple(id for id in draft.removed if id not in edits)
    return draft._replace(wishes=_with_room_for_started(wishes, edits.values(), most_running), removed=removed)


def model_todos(plan: Plan) -> tuple[Todo, ...]:
    """The todos before the edits that the model has not been told of, in the order that it knows."""
    todos = {todo.id: todo for todo in plan.todos}
    todos |= {known.id: known.before for known in plan.edits if known.before is not None}
    return tuple([todos[id] for id in plan.seen if id in todos])


def model_view(plan: Plan) -> Plan:
    """The plan as the model last saw it."""
    return plan._replace(todos=model_todos(plan), edits=()) if plan.edits else plan


def describe(plan: Plan) -> str:
    """What people changed, in one short line for the model; empty if it knows everything."""
    parts = [part for known in plan.edits for part in _describe_edit(known)]
    return f"The user changed the plan: {'; '.join(parts)}." if parts else ""


def mark_told(plan: Plan, now: float) -> Written:
    """The plan with every edit told to the model."""
    if not plan.edits:
        return Written(plan)
    return Written(plan._replace(edits=(), seen=(), revision=plan.revision + 1, updated_at=now))


def _untold_edits(plan: Plan, todos: Sequence[Todo], moved_id: str | None, implied: Sequence[str]) -> tuple[Edit, ...]:
    """Every edit that the model has not been told of, and those that lead to these todos. Empty edits are left out."""
    positions = {todo.id: position for position, todo in enumerate(todos)}
    edits = {known.id: known for known in plan.edits}
    for before, after in differences(plan.todos, todos):
        if after is not None and after.id in implied:
            continue
        new = Edit(before, after, positions[after.id] if before is None and after is not None else None)
        edits[new.id] = _combine_edits(edits.get(new.id), new)
    if moved_id is not None:
        todo = todos[positions[moved_id]]
        edits[moved_id] = _combine_edits(edits.get(moved_id), Edit(todo, todo, positions[moved_id]))
    with_positions = [
        known if known.position is None else known._replace(position=positions.get(id)) for id, known in edits.items()
    ]
    return tuple(known for known in with_positions if _describe_edit(known))


def _combine_edits(first: Edit | None, second: Edit) -> Edit:
    """Two edits of one todo as one. A todo that was removed and comes back was not moved."""
    if first is None:
        return second
    keeps_position = second.position is None or first.after is None
    return Edit(first.before, second.after, first.position if keeps_position else second.position)


def _with_own_id(wish: Wish, plan: Plan) -> Wish:
    """A wish for a new todo, without its id if a person has added another todo under that id meanwhile."""
    theirs = plan.get(wish.id or "")
    is_another = theirs is not None and wish.content not in (None, theirs.content)
    return wish._replace(id=None) if is_another else wish


def _without_edited(wish: Wish, known: Edit) -> Wish:
    """A wish for an edited todo, with the edited fields left as the person wants them."""
    before, after = known.before, known.after
    assert before is not None and after is not None, "the model can only mean a todo that it saw"
    content = None if before.content != after.content else wish.content
    status = None if before.status is not after.status else wish.status
    reworded = before.content != after.content or before.active_form != after.active_form
    details = None if before.details != after.details else wish.details
    return Wish(after.id, content, status, None if reworded else wish.active_form, wish.evidence, details)


def _with_persons_todos(wishes: list[Wish], plan: Plan) -> list[Wish]:
    """A whole list with the todos that a person added, moved or changed, where they stand now.

    What the model leaves out stays if a person has changed it and it is still open; what was only moved goes.
    """
    edits = {known.id: known for known in plan.edits}
    theirs = {wish.id: wish for wish in wishes}
    wishes = [wish for wish in wishes if wish.id not in edits or edits[wish.id].position is None]
    for position, todo in enumerate(plan.todos):
        known = edits.get(todo.id)
        if known is None or (todo.id in theirs and known.position is None):
            continue
        if todo.id in theirs or known.before is None or (todo.is_open and _is_reworked(known.before, todo)):
            wishes.insert(position, theirs.get(todo.id, Wish(todo.id)))
    return wishes


def _is_reworked(before: Todo, after: Todo) -> bool:
    return (before.content, before.status, before.active_form) != (after.content, after.status, after.active_form)


def _with_room_for_started(wishes: list[Wish], edits: Iterable[Edit], most_running: int) -> list[Wish]:
    """The wishes with no more todos in progress than there may be beside those that a person started."""
    started = {
        known.id
        for known in edits
        if known.after is not None
        and known.after.status is Status.IN_PROGRESS
        and (known.before is None or known.before.status is not Status.IN_PROGRESS)
    }
    if not started:
        return wishes
    theirs = [
        place for place, wish in enumerate(wishes) if wish.status is Status.IN_PROGRESS and wish.id not in started
    ]
    for place in theirs[max(most_running - len(started), 0) :]:
        wishes[place] = wishes[place]._replace(status=Status.PENDING)
    return wishes


def _describe_edit(known: Edit) -> list[str]:
    before, after = known.before, known.after
    if before is None or after is None:
        todo = after or before
        return [f"{'added' if before is None else 'removed'} {_label(todo)}"] if todo is not None else []
    words = []
    if before.content != after.content:
        words.append(f"now reads {_quote(after.content)}")
    elif before.active_form != after.active_form:
        words.append(f"is shown as {_quote(after.label)}")
    if before.status is not after.status:
        words.append(f"is {after.status}")
    if known.position is not None:
        words.append(f"moved to place {known.position + 1}")
    return [f"{_label(before)} {', '.join(words)}"] if words else []


def _label(todo: Todo) -> str:
    """A todo as any model knows it: by its id, or by its text where a dialect has no ids."""
    return f"{todo.id} ({_quote(todo.content)})"


def _quote(text: str) -> str:
    return f'"{brief(text, LONGEST_QUOTE)}"'
