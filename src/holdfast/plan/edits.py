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
    removed a todo                 creates it under a new id     a new todo
    moved a todo                   has it elsewhere              the person's place
    reworked an open todo          leaves it out                 it stays; one that was only moved goes
    started a todo                 starts others                 the person's first; the model's wait if it is too many
    started a todo                 completes the one before      both
    added a todo under an id       uses that id for its own      both; the model's gets a new id
    reworded a todo                has a new one of that text    the person's todo, with what the person changed
    added a todo                   has a new one of that text    the person's todo, with what the person gave it
    cleared the plan               restates its todos            they stay removed; what is new begins a plan
    took a change back             restates what it was          as if the person had made each difference
"""

from collections.abc import Iterable, Sequence, Set

from ..text import brief
from .change import differences
from .change_words import details_changed
from .plan import Edit, Plan
from .step import Written
from .todo import DONE, NO_DETAILS, DetailsWish, Draft, Status, Todo, Wish
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
    return edited(plan, todos, now)


def displaced(plan: Plan, id: str, wish: Wish, most_running: int) -> list[Todo]:
    """The todos in progress that must wait so that a todo can start. A claimed todo is never one of them."""
    if wish.status is not Status.IN_PROGRESS:
        return []
    running = [todo for todo in plan.todos if todo.status is Status.IN_PROGRESS and todo.id != id]
    too_many = max(len(running) + 1 - most_running, 0)
    return [todo for todo in running if not todo.details.owner][:too_many]


def add(plan: Plan, content: str, position: int | None, now: float, wanted: DetailsWish | None = None) -> Plan:
    """The plan with a new pending todo, at the end or at a position counted from 0."""
    details = NO_DETAILS if wanted is None else wanted.over(NO_DETAILS)
    todo = Todo(str(plan.next_id), content, created_at=now, details=details)
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
    """The plan as it once was, as a new revision. The model will be told of what it did not undo itself.

    Todos of an earlier plan come back under new ids: the model, and whoever has claimed one, knows others by the old.
    """
    todos = old.todos
    if old.number != plan.number:
        todos = _renumbered(todos, plan.next_id)
        plan = plan._replace(next_id=plan.next_id + len(todos))
    back = edited(plan, todos, now)
    return back._replace(summary=old.summary, revision=plan.revision + 1, updated_at=now)


def clear(plan: Plan, now: float) -> Plan:
    """The plan with no todos left, and no summary."""
    after = edited(plan, (), now)
    if after.summary:
        after = after._replace(summary="", revision=plan.revision + 1, updated_at=now)
    return after


def edited(plan: Plan, todos: Sequence[Todo], now: float, moved_id: str | None = None) -> Plan:
    """The plan with these todos, and with what a person changed in it remembered."""
    if tuple(todos) == plan.todos:
        return plan
    edits = _untold_edits(plan, todos, moved_id)
    seen = plan.seen if plan.edits else tuple(todo.id for todo in plan.todos)
    return plan._replace(
        todos=tuple(todos), revision=plan.revision + 1, updated_at=now, edits=edits, seen=seen if edits else ()
    )


def uphold(plan: Plan, draft: Draft, most_running: int) -> Draft:
    """What the model asks for, without what would undo a person's edit that it has not been told of."""
    if not plan.edits:
        return draft
    edits = {known.id: _as_it_is_now(known, plan) for known in plan.edits}
    numbered = str(plan.next_id)  # who gives the next number means a new todo, whatever its text
    all_meant = match(model_todos(plan), draft.wishes)
    all_meant = [None if wish.id == numbered else meant for wish, meant in zip(draft.wishes, all_meant, strict=True)]
    by_text = _by_text(edits.values(), {meant.id for meant in all_meant if meant is not None})
    has_started = bool(_started(edits.values()))
    wishes = []
    for wish, meant in zip(draft.wishes, all_meant, strict=True):
        known = edits.get(meant.id) if meant is not None else by_text.pop(wish.content, None)
        if known is None:
            wishes.append(_with_own_id(wish, plan) if meant is None else wish._replace(id=meant.id))
        elif known.after is not None:
            wishes.append(_without_edited(wish, known, keeps_done=has_started))
    if not draft.merge:
        wishes = _with_persons_todos(wishes, plan)
    removed = tuple(id for id in draft.removed if id not in edits)
    return draft._replace(wishes=_with_room_for_started(wishes, edits.values(), plan, most_running), removed=removed)


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
    if len(plan.edits) > 1 and not plan.todos:
        return "The user cleared the plan."
    parts = [part for known in plan.edits for part in _describe_edit(_as_it_is_now(known, plan))]
    return f"The user changed the plan: {'; '.join(parts)}." if parts else ""


def _as_it_is_now(known: Edit, plan: Plan) -> Edit:
    """An edit that leads to the todo as it is: an agent may have claimed it since."""
    return known if known.after is None else known._replace(after=plan.get(known.id) or known.after)


def mark_told(plan: Plan, now: float) -> Written:
    """The plan with every edit told to the model."""
    if not plan.edits:
        return Written(plan)
    return Written(plan._replace(edits=(), seen=(), revision=plan.revision + 1, updated_at=now))


def _untold_edits(plan: Plan, todos: Sequence[Todo], moved_id: str | None) -> tuple[Edit, ...]:
    """Every edit that the model has not been told of, and those that lead to these todos. Empty edits are left out."""
    positions = {todo.id: position for position, todo in enumerate(todos)}
    edits = {known.id: known for known in plan.edits}
    for before, after in differences(plan.todos, todos):
        new = Edit(before, after, positions[after.id] if before is None and after is not None else None)
        edits[new.id] = _combine_edits(edits.get(new.id), new)
    for todo in _put_elsewhere(plan, todos) if moved_id is None else ():
        edits[todo.id] = edits.get(todo.id, Edit(todo, todo))._replace(position=positions[todo.id])
    if moved_id is not None:
        todo = todos[positions[moved_id]]
        edits[moved_id] = _combine_edits(edits.get(moved_id), Edit(todo, todo, positions[moved_id]))
    with_positions = [
        known if known.position is None else known._replace(position=positions.get(id)) for id, known in edits.items()
    ]
    return tuple(known for known in with_positions if _describe_edit(known))


def _put_elsewhere(plan: Plan, todos: Sequence[Todo]) -> list[Todo]:
    """The todos that a step back puts at another place than the model knows: a move comes back, or is taken back."""
    here = {todo.id: todo for todo in todos}
    before, now = [todo.id for todo in plan.todos if todo.id in here], [todo.id for todo in todos]
    is_reordered = before != [id for id in now if plan.get(id) is not None]
    removed = {known.id for known in plan.edits if known.after is None}
    if not (is_reordered or removed):
        return []
    seen = plan.seen if plan.edits else tuple(todo.id for todo in plan.todos)
    pairs = zip([id for id in seen if id in here], [id for id in now if id in seen], strict=True)
    return [here[new] for old, new in pairs if old != new and (is_reordered or new in removed)]


def _combine_edits(first: Edit | None, second: Edit) -> Edit:
    """Two edits of one todo as one. A todo that was removed and comes back was not moved."""
    if first is None:
        return second
    keeps_position = second.position is None or first.after is None
    return Edit(first.before, second.after, first.position if keeps_position else second.position)


def _renumbered(todos: Sequence[Todo], first_id: int) -> tuple[Todo, ...]:
    """The todos under ids from this one on; what they wait for follows."""
    ids = {todo.id: str(id) for id, todo in enumerate(todos, first_id)}

    def renumbered(todo: Todo) -> Todo:
        waits_for = tuple(ids.get(other, other) for other in todo.details.blocked_by)
        return todo._replace(id=ids[todo.id], details=todo.details._replace(blocked_by=waits_for))

    return tuple(map(renumbered, todos))


def _by_text(edits: Iterable[Edit], meant_ids: Set[str]) -> dict[str | None, Edit]:
    """The edits of todos that the model does not mean by what it saw, by the text that a todo has now.

    A model that comes to the same words means the person's todo. One that was added was nothing but its text before.
    """
    return {
        known.after.content: known._replace(before=known.before or Todo(known.id, known.after.content))
        for known in edits
        if known.after is not None and known.id not in meant_ids
    }


def _with_own_id(wish: Wish, plan: Plan) -> Wish:
    """A wish for a new todo, without its id if a person has added another todo under that id meanwhile."""
    theirs = plan.get(wish.id or "")
    is_another = theirs is not None and wish.content not in (None, theirs.content)
    return wish._replace(id=None) if is_another else wish


def _without_edited(wish: Wish, known: Edit, keeps_done: bool) -> Wish:
    """A wish for an edited todo, with the edited fields left as the person wants them.

    With `keeps_done`, a todo that only waits because the person started another may be done by now.
    """
    before, after = known.before, known.after
    assert before is not None and after is not None, "the model can only mean a todo that is there"
    content = None if before.content != after.content else wish.content
    lost_focus = (before.status, after.status) == (Status.IN_PROGRESS, Status.PENDING)
    is_theirs = before.status is after.status or (keeps_done and lost_focus and wish.status in DONE)
    status = wish.status if is_theirs else None
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
    fields = ("content", "status", "active_form", "check")
    return any(getattr(before, field) != getattr(after, field) for field in fields)


def _started(edits: Iterable[Edit]) -> set[str]:
    """The todos that a person started, and no agent has claimed."""
    return {
        known.id
        for known in edits
        if known.after is not None
        and known.after.status is Status.IN_PROGRESS
        and not known.after.details.owner
        and (known.before is None or known.before.status is not Status.IN_PROGRESS)
    }


def _with_room_for_started(wishes: list[Wish], edits: Iterable[Edit], plan: Plan, most_running: int) -> list[Wish]:
    """The wishes with no more todos in progress than there may be beside those that a person started.

    What agents have claimed does not count, and does not wait.
    """
    started = _started(edits)
    if not started:
        return wishes
    others = started | {todo.id for todo in plan.todos if todo.details.owner}
    theirs = [place for place, wish in enumerate(wishes) if wish.status is Status.IN_PROGRESS and wish.id not in others]
    for place in theirs[max(most_running - len(started), 0) :]:
        wishes[place] = wishes[place]._replace(status=Status.PENDING)
    return wishes


def _describe_edit(known: Edit) -> list[str]:
    before, after = known.before, known.after
    if before is None or after is None:
        todo = after or before
        if todo is None:
            return []
        if before is not None:
            return [f"removed {_label(todo)}"]
        status = "" if todo.status is Status.PENDING else f", {todo.status}{',' if todo.check else ''}"
        return [f"added {_label(todo)}{status}{_check(todo)}"]
    words = []
    if before.content != after.content:
        words.append(f"now reads {_quote(after.content)}")
    elif before.active_form != after.active_form:
        words.append(f"is shown as {_quote(after.label)}")
    if before.status is not after.status:
        words.append(f"is {after.status}")
    if before.check != after.check:
        words.append(f"is{_check(after)}" if after.check else "has no check")
    words += details_changed(before, after)
    if known.position is not None:
        words.append(f"moved to place {known.position + 1}")
    return [f"{_label(before)} {', '.join(words)}"] if words else []


def _label(todo: Todo) -> str:
    """A todo as any model knows it: by its id, or by its text where a dialect has no ids."""
    return f"{todo.id} ({_quote(todo.content)})"


def _check(todo: Todo) -> str:
    return f" done when this passes: {brief(todo.check, LONGEST_QUOTE)}" if todo.check else ""


def _quote(text: str) -> str:
    return f'"{brief(text, LONGEST_QUOTE)}"'
