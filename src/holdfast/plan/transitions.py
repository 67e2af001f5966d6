"""From an old plan and a draft to a new plan: pure functions. Time is passed in, in seconds since the epoch."""

from collections.abc import Sequence

from .about import About
from .plan import Plan
from .todo import DONE, IN_PROGRESS, NO_DETAILS, PENDING, Draft, Status, Todo, Wish

_new = tuple.__new__
"""Makes a named tuple at half the cost of calling its class."""


def replace(plan: Plan, draft: Draft, now: float) -> Plan:
    """The plan after a write of the whole list: a todo keeps its id by the id given, else by its exact text in order.

    A finished or cleared plan is closed: a list that restates none of its finished work begins the next one.
    """
    wishes, summary, _, _ = draft
    if not wishes:
        return _next(plan, (), "", now, plan.next_id)
    if _begins_anew(plan, wishes):
        plan = next_plan(plan)
    todos = _restated(plan.todos, wishes, now)
    restated = len(todos)
    if restated == len(wishes):
        return _next(plan, tuple(todos), summary, now, plan.next_id)
    fresh = _Ids(plan.next_id, wishes)
    rest = wishes[restated:]
    for wish, todo in zip(rest, match(plan.todos[restated:], rest), strict=True):
        todos.append(_created(wish, fresh.take(wish.id), now) if todo is None else changed(todo, wish, now))
    return _next(plan, tuple(todos), summary, now, fresh.next_id)


def merge(plan: Plan, draft: Draft, now: float) -> Plan:
    """The plan after an update: known todos change, by id or exact text; others are added at the end.

    An id that the plan does not hold makes a new todo; a caller that wants it refused checks `unknown_ids` first.
    """
    wishes, summary, _, removed = draft
    todos = {todo.id: todo for todo in plan.todos}
    fresh = _Ids(plan.next_id, wishes)
    for wish, todo in zip(wishes, match(plan.todos, wishes), strict=True):
        after = _created(wish, fresh.take(wish.id), now) if todo is None else changed(todo, wish, now)
        todos[after.id] = after
    kept = tuple([todo for id, todo in todos.items() if id not in removed])
    return _next(plan, kept, summary, now, fresh.next_id)


def advance(plan: Plan, now: float) -> Plan:
    """The plan with its first pending todo started, if none is in progress."""
    todos = [*plan.todos]
    place = place_to_start(todos)
    if place is None:
        return plan
    todos[place] = with_status(todos[place], IN_PROGRESS, now)
    return _new(Plan, (tuple(todos), *plan[1:]))


def place_to_start(todos: Sequence[Todo]) -> int | None:
    """The place of the first pending todo that waits for no other; None if one is in progress, or none can start."""
    first = None
    for place, todo in enumerate(todos):
        status = todo[2]
        if status is IN_PROGRESS:
            return None
        if status is PENDING and first is None and (todo[8] is NO_DETAILS or Plan(tuple(todos)).is_free(todo)):
            first = place
    return first


def clear(plan: Plan, now: float) -> Plan:
    """The plan with no todos left: closed, and ready for the next."""
    return replace(plan, Draft(), now)


def next_plan(plan: Plan) -> Plan:
    """An empty plan that follows this one on its board."""
    return Plan(revision=plan.revision, number=plan.number + 1, settings=plan.settings, about=plan.about)


def delete(plan: Plan, now: float) -> Plan:
    """What is left of a deleted plan: numbers, so that none is given twice, and how its board is set up."""
    about = About(archived_at=now, deleted_at=now)
    return next_plan(plan)._replace(revision=plan.revision + 1, updated_at=now, about=about)


def unknown_ids(plan: Plan, draft: Draft) -> tuple[str, ...]:
    """The ids in a draft that the plan does not hold."""
    known = {todo.id for todo in plan.todos}
    return tuple(wish.id for wish in draft.wishes if wish.id is not None and wish.id not in known)


def match(todos: Sequence[Todo], wishes: Sequence[Wish]) -> list[Todo | None]:
    """The todo that each wish means: by its id, else by exact text in order, else None. No todo is matched twice."""
    by_id: dict[str, Todo] = {}
    free: Sequence[Todo] = todos
    if any([wish[0] is not None for wish in wishes]):  # noqa: C419 a list is twice as fast
        known = {todo.id: todo for todo in todos}
        by_id = {wish.id: known[wish.id] for wish in wishes if wish.id is not None and wish.id in known}
        free = [todo for todo in todos if todo.id not in by_id]
    pool: dict[str | None, list[Todo]] | None = None
    found: list[Todo | None] = []
    for wish in wishes:
        if wish.id is not None and wish.id in by_id:
            found.append(by_id.pop(wish.id))
        else:
            pool = _by_content(free) if pool is None else pool
            same = pool.get(wish.content)
            found.append(same.pop(0) if same else None)
    return found


def _by_content(todos: Sequence[Todo]) -> dict[str | None, list[Todo]]:
    pool: dict[str | None, list[Todo]] = {}
    for todo in todos:
        pool.setdefault(todo.content, []).append(todo)
    return pool


def _restated(todos: Sequence[Todo], wishes: Sequence[Wish], now: float) -> list[Todo]:
    """The todos, as far as a list restates them in their order, by id or by text. Most lists restate all of them."""
    after: list[Todo] = []
    is_by_text = False
    for todo, wish in zip(todos, wishes, strict=False):
        id = wish[0]
        if id is None:
            if wish[1] != todo[1]:
                break
            is_by_text = True
        elif id != todo[0]:
            break
        after.append(changed(todo, wish, now))
    if is_by_text and any([wish.id is not None for wish in wishes[len(after) :]]):  # noqa: C419 a list is twice as fast
        return []  # a later id may name an earlier todo
    return after


def changed(todo: Todo, wish: Wish, now: float) -> Todo:
    """The todo with what a wish asks for, the same object if that changes nothing."""
    _, content, status, active_form, evidence, wanted = wish
    if status is not None and status is not todo[2]:
        todo = with_status(todo, status, now)
    if (
        (content is None or content == todo[1])
        and (active_form is None or active_form == todo[3])
        and wanted is None
        and (evidence is None or evidence == todo[7])
    ):
        return todo
    details = todo.details if wanted is None else wanted.over(todo.details)
    after = todo._replace(
        content=todo.content if content is None else content,
        active_form=todo.active_form if active_form is None else active_form,
        evidence=todo.evidence if evidence is None else evidence,
        details=details,
    )
    return todo if after == todo else after


def with_status(todo: Todo, status: Status, now: float) -> Todo:
    """The todo with another status, and when it was first started and finished by it.

    A proof is of one completion: it goes when the status changes.
    """
    id, content, _, active_form, created_at, started_at, finished_at, evidence, details, work, _ = todo
    if status is IN_PROGRESS and started_at is None:
        started_at = now
    if status not in DONE:
        finished_at = None
    elif finished_at is None:
        finished_at = now
    return _new(
        Todo, (id, content, status, active_form, created_at, started_at, finished_at, evidence, details, work, None)
    )


def _begins_anew(plan: Plan, wishes: Sequence[Wish]) -> bool:
    """Whether a list written now is a new plan: the old one was used, nothing in it is open, none of it is restated."""
    if plan.next_id == 1 or plan.has_open:
        return False
    for wish, meant in zip(wishes, match(plan.todos, wishes), strict=True):
        if meant is not None and (wish.content is None or (wish.status or meant.status) in DONE):
            return False
    return True


def _created(wish: Wish, id: str, now: float) -> Todo:
    _, content, status, active_form, evidence, wanted = wish
    details = NO_DETAILS if wanted is None else wanted.over(NO_DETAILS)
    status = PENDING if status is None else status
    started_at = now if status is IN_PROGRESS else None
    finished_at = now if status in DONE else None
    content, active_form, evidence = content or "", active_form or "", evidence or ""
    return _new(Todo, (id, content, status, active_form, now, started_at, finished_at, evidence, details, (), None))


def _next(plan: Plan, todos: tuple[Todo, ...], summary: str | None, now: float, next_id: int) -> Plan:
    """The revision after this one; the same plan if nothing in it changed. Without a summary it keeps its own."""
    old_todos, old_summary, revision, _, number, _, edits, seen, settings, about = plan
    if summary is None:
        summary = old_summary
    if todos == old_todos and summary == old_summary:
        return plan
    return _new(Plan, (todos, summary, revision + 1, now, number, next_id, edits, seen, settings, about))


_LARGEST_NUMBER = 10**6
"""From here on, a writer's own id is a name, and the plan's numbers do not continue from it."""


class _Ids:
    """Hands out ids that were never used in a plan. A writer's own id is taken if it is new, too."""

    def __init__(self, next_id: int, wishes: Sequence[Wish]) -> None:
        self.next_id = next_id
        self._used_below = next_id
        self._reserved = {wish.id for wish in wishes if wish.id is not None} if wishes else ()

    def take(self, wanted: str | None) -> str:
        """The id for a new todo."""
        if wanted is not None and not self._was_used(wanted):
            if wanted.isdecimal() and int(wanted) < _LARGEST_NUMBER:
                self.next_id = max(self.next_id, int(wanted) + 1)
            return wanted
        while (id := str(self.next_id)) in self._reserved:
            self.next_id += 1
        self.next_id += 1
        return id

    def _was_used(self, id: str) -> bool:
        return id.isdecimal() and int(id) < self._used_below
