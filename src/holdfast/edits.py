"""What people do to a plan, and how it stands against the model's next write. Pure functions, like those of `plan`.

A person's edit is remembered in the plan until the model has been told. Until then it wins: `uphold` takes what the
model asks for, as it saw the plan, and leaves in it only what does not undo the edit.
"""

from collections.abc import Iterable, Sequence

from .plan import Draft, Edit, Plan, Status, Todo, Wish, differences
from .planning import changed, match
from .text import brief

LONGEST_QUOTE = 60


def edit(plan: Plan, id: str, wish: Wish, now: float, most_running: int) -> Plan:
    """The plan with one todo changed. Starting a todo takes the focus off the one that had it longest, if it must.

    New words make the old active form stale: it goes, unless there is a new one too.
    """
    old = plan.get(id)
    if old is not None and wish.content not in (None, old.content) and wish.active_form is None:
        wish = wish._replace(active_form="")
    running = [todo.id for todo in plan.todos if todo.status is Status.IN_PROGRESS and todo.id != id]
    too_many = max(len(running) + 1 - most_running, 0) if wish.status is Status.IN_PROGRESS else 0
    waiting = running[:too_many]
    wishes = {**{other: Wish(status=Status.PENDING) for other in waiting}, id: wish}
    todos = [changed(todo, wishes[todo.id], now) if todo.id in wishes else todo for todo in plan.todos]
    return edited(plan, todos, now, unsaid=waiting)


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


def restored(plan: Plan, old: Plan, now: float) -> Plan:
    """The plan as it once was, as a new revision. What the model did not undo itself it will be told of."""
    if old.number != plan.number:
        return old._replace(revision=plan.revision + 1, updated_at=now, edits=(), seen=())
    back = edited(plan, old.todos, now)
    revision = plan.revision + 1
    return back._replace(summary=old.summary, revision=revision, updated_at=now)


def edited(
    plan: Plan, todos: Sequence[Todo], now: float, moved_id: str | None = None, unsaid: Sequence[str] = ()
) -> Plan:
    """The plan with these todos, and with what a person changed in it remembered, but for what goes without saying."""
    if tuple(todos) == plan.todos:
        return plan
    edits = _remembered(plan, todos, moved_id, unsaid)
    seen = plan.seen if plan.edits else tuple(todo.id for todo in plan.todos)
    return plan._replace(
        todos=tuple(todos), revision=plan.revision + 1, updated_at=now, edits=edits, seen=seen if edits else ()
    )


def uphold(plan: Plan, draft: Draft, most_running: int) -> Draft:
    """What the model asks for, less what would undo a person's edit that it has not been told of."""
    if not plan.edits:
        return draft
    edits = {known.id: known for known in plan.edits}
    wishes = []
    for wish, meant in zip(draft.wishes, match(as_the_model_saw_it(plan), draft.wishes), strict=True):
        known = edits.get(meant.id) if meant is not None else None
        if meant is None:
            wishes.append(_apart(wish, plan))
        elif known is None:
            wishes.append(wish._replace(id=meant.id))
        elif known.after is not None:
            wishes.append(_within(wish, known))
    if not draft.merge:
        wishes = _in_place(wishes, plan)
    removed = tuple(id for id in draft.removed if id not in edits)
    return draft._replace(wishes=_in_focus(wishes, edits.values(), most_running), removed=removed)


def as_the_model_saw_it(plan: Plan) -> tuple[Todo, ...]:
    """The todos before the edits that the model has not been told of, in the order that it knows."""
    todos = {todo.id: todo for todo in plan.todos}
    todos |= {known.id: known.before for known in plan.edits if known.before is not None}
    return tuple([todos[id] for id in plan.seen if id in todos])


def seen(plan: Plan) -> Plan:
    """The plan as the model last saw it."""
    return plan._replace(todos=as_the_model_saw_it(plan), edits=())


def told(plan: Plan) -> str:
    """What people changed, in one short line for the model; empty if it knows everything."""
    parts = [part for known in plan.edits for part in _words(known)]
    return f"The user changed the plan: {'; '.join(parts)}." if parts else ""


def _remembered(plan: Plan, todos: Sequence[Todo], moved_id: str | None, unsaid: Sequence[str]) -> tuple[Edit, ...]:
    """Every edit that the model has not been told of, with those that lead to these todos; none that says nothing."""
    positions = {todo.id: position for position, todo in enumerate(todos)}
    edits = {known.id: known for known in plan.edits}
    for before, after in differences(plan.todos, todos):
        if after is not None and after.id in unsaid:
            continue
        new = Edit(before, after, positions[after.id] if before is None and after is not None else None)
        edits[new.id] = _folded(edits.get(new.id), new)
    if moved_id is not None:
        todo = todos[positions[moved_id]]
        edits[moved_id] = _folded(edits.get(moved_id), Edit(todo, todo, positions[moved_id]))
    placed = [
        known if known.position is None else known._replace(position=positions.get(id)) for id, known in edits.items()
    ]
    return tuple(known for known in placed if _words(known))


def _folded(first: Edit | None, second: Edit) -> Edit:
    """Two edits of one todo as one. A todo that was taken out and comes back was not moved."""
    if first is None:
        return second
    kept = second.position is None or first.after is None
    return Edit(first.before, second.after, first.position if kept else second.position)


def _apart(wish: Wish, plan: Plan) -> Wish:
    """A wish for a new todo, kept apart from one that a person added meanwhile under the number that it has."""
    theirs = plan.get(wish.id or "")
    is_another = theirs is not None and wish.content not in (None, theirs.content)
    return wish._replace(id=None) if is_another else wish


def _within(wish: Wish, known: Edit) -> Wish:
    """A wish for an edited todo, with the edited fields left as the person wants them."""
    before, after = known.before, known.after
    assert before is not None and after is not None, "the model can only mean a todo that it saw"
    content = None if before.content != after.content else wish.content
    status = None if before.status is not after.status else wish.status
    reworded = before.content != after.content or before.active_form != after.active_form
    details = None if before.details != after.details else wish.details
    return Wish(after.id, content, status, None if reworded else wish.active_form, wish.evidence, details)


def _in_place(wishes: list[Wish], plan: Plan) -> list[Wish]:
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
    return before[1:4] != after[1:4]  # its content, status or active form


def _in_focus(wishes: list[Wish], edits: Iterable[Edit], most_running: int) -> list[Wish]:
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


def _words(known: Edit) -> list[str]:
    before, after = known.before, known.after
    if before is None or after is None:
        todo = after or before
        return [f"{'added' if before is None else 'removed'} {_name(todo)}"] if todo is not None else []
    words = []
    if before.content != after.content:
        words.append(f"now reads {_quote(after.content)}")
    elif before.active_form != after.active_form:
        words.append(f"is shown as {_quote(after.label)}")
    if before.status is not after.status:
        words.append(f"is {after.status}")
    if known.position is not None:
        words.append(f"moved to place {known.position + 1}")
    return [f"{_name(before)} {', '.join(words)}"] if words else []


def _name(todo: Todo) -> str:
    """A todo as any model knows it: by its id, or by its text where a dialect has no ids."""
    return f"{todo.id} ({_quote(todo.content)})"


def _quote(text: str) -> str:
    return f'"{brief(text, LONGEST_QUOTE)}"'
