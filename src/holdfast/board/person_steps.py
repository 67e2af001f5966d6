"""What people and hosts ask of a plan, as steps: from the plan as it is now to a new one, or to a refusal.

The model's own step is in `model_write`; what an edit does to a plan is in `plan.edits`. Here their input is checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..dialects.dialect import STATUS_WORDS, Dialect
from ..dialects.reading.faults import missing
from ..dialects.reading.form import Form, Use
from ..dialects.reading.payload import read
from ..plan import About, Change, DetailsWish, Draft, Plan, Status, Wish, edits, model_write, transitions
from ..plan.dependencies import check_dependencies
from ..plan.fault import Fault, Refusal
from ..plan.model_write import Terms
from ..plan.rules import CEILING_ITEMS, Rules, check, check_against, check_result, too_long, too_many
from ..plan.step import Step, Written
from ..stores import Record
from ..text import describe

LONGEST_NAME = 200
"""The longest name that a person may give a session."""

BESIDE_THE_TODOS = ("told", "rename", "archive", "review", "approve", "delete")
"""Actions that change no todo: an undo passes them over."""

FORM = Form(
    STATUS_WORDS,
    id=Use.OPTIONAL,
    active_form=Use.OPTIONAL,
    check=Use.OPTIONAL,
    aliases={"active_form": "activeForm"},
    default_status=Status.PENDING,
    partial=True,
)
"""What people and hosts may say of a todo: every field, whatever the model's own schema has."""


def update(items: Sequence[Mapping[str, object]], summary: str | None, dialect: Dialect) -> Step:
    """A host's list: if every todo carries an id that the plan holds, only those change; otherwise it replaces all."""
    draft, faults = read({"todos": items}, _form_of(dialect), dialect.rules)
    return from_draft(draft._replace(summary=summary), dialect, faults)


def from_draft(draft: Draft, dialect: Dialect, faults: Sequence[Fault] = ()) -> Step:
    """A host's list that was read already, with the faults that were found in it."""
    rules, form = dialect.rules, _form_of(dialect)
    faults = [*faults, *check(draft, rules)]

    def step(plan: Plan, now: float) -> Written | Refusal:
        if faults:
            return Refusal(tuple(faults))
        whole = not draft.wishes or any(wish.id is None or plan.get(wish.id) is None for wish in draft.wishes)
        after = (transitions.replace if whole else transitions.merge)(plan, draft, now)
        # the model need not hear of edits to todos that the host removes, nor of any edit in a plan that it closes
        kept = tuple(e for e in after.edits if e.after is None or after.get(e.id)) if after.todos else ()
        if kept != after.edits:
            seen = after.seen if kept else ()
            after = after._replace(edits=kept, seen=seen, revision=plan.revision + 1, updated_at=now)
        result_faults = check_result(after, rules, len(plan.todos)) + check_dependencies(plan, draft, after)
        if refused := _missing_texts(draft, plan, form) or result_faults:
            return Refusal(tuple(refused))
        return Written(after)

    return step


def edit(item: Mapping[str, object], details: DetailsWish | None, rules: Rules) -> Step:
    """A person's change of one todo: to any status there is, also one that the model's dialect has no word for."""
    rules = rules.replace(statuses=tuple(Status))
    draft, faults = _read_one(item, details, rules)
    if "id" not in item:
        faults = [missing("id", None, "id", "required: which todo it is")]

    def step(plan: Plan, now: float) -> Written | Refusal:
        if faults:
            return Refusal(tuple(faults))
        id, wish = str(item["id"]), draft.wishes[0]
        if refused := _unknown(plan, id) or _no_room(plan, id, wish, rules.max_in_progress):
            return refused
        after = edits.edit(plan, id, wish, now, rules.max_in_progress)
        waits = check_dependencies(plan, draft, after)
        return Refusal(tuple(waits)) if waits else Written(after)

    return step


def _read_one(item: Mapping[str, object], details: DetailsWish | None, rules: Rules) -> tuple[Draft, list[Fault]]:
    """One todo as a person describes it, and what is wrong with it."""
    draft, faults = read({"todos": [item]}, FORM, rules)
    draft = draft._replace(wishes=[wish._replace(details=_with_check(details, wish.details)) for wish in draft.wishes])
    return draft, faults + check(draft, rules)


def _with_check(details: DetailsWish | None, said: DetailsWish | None) -> DetailsWish | None:
    """Details as they were given, and the check that was said beside them."""
    if details is None or said is None:
        return details or said
    return details._replace(check=said.check)


def _no_room(plan: Plan, id: str, wish: Wish, most_running: int) -> Refusal | None:
    """Why a todo cannot be started: what is in progress belongs to agents that have claimed it."""
    todo = plan.get(id)
    if wish.status is not Status.IN_PROGRESS or todo is None or todo.status is Status.IN_PROGRESS:
        return None
    claimed = [other for other in plan.todos if other.status is Status.IN_PROGRESS and other.details.owner]
    if len(claimed) < most_running:
        return None
    holders = ", ".join(f"{other.id} by {describe(other.details.owner)}" for other in claimed)
    message = f"at most {most_running} in progress, and agents have claimed {holders}: one of them must finish first"
    return Refusal((Fault("status", message, "focus", field="status", limit=most_running, received=str(len(claimed))),))


def add(item: Mapping[str, object], position: int | None, details: DetailsWish | None, rules: Rules) -> Step:
    """A person's new todo. On a cleared plan it begins the next one.

    A person may add to any plan, however many todos its model may write. The text must be short enough for the model
    to restate it.
    """
    draft, faults = _read_one(item, details, rules)

    def step(plan: Plan, now: float) -> Written | Refusal:
        if faults:
            return Refusal(tuple(faults))
        if len(plan.todos) >= CEILING_ITEMS:
            return Refusal((too_many("todos", len(plan.todos) + 1, CEILING_ITEMS),))
        if not plan.todos and not plan.edits and plan.next_id > 1:
            plan = transitions.next_plan(plan)
        wish = draft.wishes[0]
        after = edits.add(plan, wish.content or "", position, now, wish.details)
        waits = check_dependencies(plan, draft, after)
        return Refusal(tuple(waits)) if waits else Written(after)

    return step


def prove(id: str) -> Step:
    """A person has the check of a completed todo run. The step itself changes nothing but the revision."""

    def step(plan: Plan, now: float) -> Written | Refusal:
        if refused := _unknown(plan, id):
            return refused
        todo = plan.get(id)
        assert todo is not None, "its id is known"
        if todo.is_claimed:
            return Written(plan._replace(revision=plan.revision + 1, updated_at=now))
        why = "it is not completed" if todo.proof is None else "it is proved already"
        return Refusal((Fault("", why if todo.check else "it has no check", "nothing_to_prove"),))

    return step


def remove(id: str) -> Step:
    """A person removes a todo from the plan."""
    return lambda plan, now: _unknown(plan, id) or Written(edits.remove(plan, str(id), now))


def move(id: str, position: int) -> Step:
    """A person puts a todo at another position."""
    return lambda plan, now: _unknown(plan, id) or Written(edits.move(plan, str(id), max(position, 0), now))


def undo(history: Callable[[], Iterable[Record]]) -> Step:
    """A person takes back the newest change that is not taken back yet. The commit proves that it is the newest."""
    return _take_back(lambda: undoable(history()), "there is nothing to undo", "nothing_to_undo")


def redo(history: Callable[[], Iterable[Record]]) -> Step:
    """A person takes back the newest undo, if nothing was changed since."""
    return _take_back(lambda: redoable(history()), "there is nothing to redo", "nothing_to_redo")


def _take_back(find: Callable[[], Change | None], message: str, code: str) -> Step:
    def step(plan: Plan, now: float) -> Written | Refusal:
        change = find()
        if change is None:
            return Refusal((Fault("", message, code),))
        return Written(edits.restore(plan, change.before, now), undoes=change.after.revision)

    return step


def undoable(history: Iterable[Record]) -> Change | None:
    """The newest change of a history (newest first) that is not taken back yet; None if all are."""
    return next((change for change in _changes_in_force(history) if not change.undoes), None)


def redoable(history: Iterable[Record]) -> Change | None:
    """The newest change of a history that stands, if it is an undo."""
    change = next(_changes_in_force(history), None)
    return change if change is not None and change.action == "undo" else None


def _changes_in_force(history: Iterable[Record]) -> Iterator[Change]:
    """The changes that were not taken back, the newest first. A redo is left out: it only takes back an undo."""
    taken_back: set[int] = set()
    for record in history:
        change = record.change
        if change.after.revision in taken_back or change.action in BESIDE_THE_TODOS:
            continue
        if change.undoes:
            taken_back.add(change.undoes)
        if change.action != "redo":
            yield change


def restore(old: Plan) -> Step:
    """A person brings back an earlier plan."""
    return lambda plan, now: Written(edits.restore(plan, old, now))


def clear(plan: Plan, now: float) -> Written:
    """A person takes every todo off the plan. The model will be told."""
    return Written(edits.clear(plan, now))


def rename(name: str) -> Step:
    """A person gives the session another name; an empty one takes the name away."""
    faults = (too_long("name", None, "name", LONGEST_NAME, len(name)),) if len(name) > LONGEST_NAME else ()

    def step(plan: Plan, now: float) -> Written | Refusal:
        return Refusal(faults) if faults else Written(_with_about(plan, plan.about._replace(name=name.strip()), now))

    return step


def archive(plan: Plan, now: float) -> Written:
    """A person puts the plan away."""
    return Written(plan if plan.is_archived else _with_about(plan, plan.about._replace(archived_at=now), now))


def delete(plan: Plan, now: float) -> Written:
    """A person deletes the plan. One of which nothing is left stays as it is."""
    return Written(plan if plan.is_deleted or not plan.revision else transitions.delete(plan, now))


def request_review(plan: Plan, now: float) -> Written:
    """A host makes an open plan wait for a person, unless one has approved a plan of this session already."""
    waits = bool(plan.open) and plan.about.review == ""
    return Written(_with_about(plan, plan.about._replace(review="waiting"), now) if waits else plan)


def approve(plan: Plan, now: float) -> Written:
    """A person lets the work begin. A plan that does not wait for approval stays as it is."""
    return Written(_with_about(plan, plan.about._replace(review="approved"), now) if plan.awaits_approval else plan)


def _with_about(plan: Plan, about: About, now: float) -> Plan:
    return plan if about == plan.about else plan._replace(about=about, revision=plan.revision + 1, updated_at=now)


def complete(id: str, evidence: str, terms: Terms) -> Step:
    """A host has seen that a todo is done: it is completed under the rules that the model has, with the work for it."""
    draft = Draft([Wish(id=id, status=Status.COMPLETED, evidence=evidence or None)], merge=True)
    return lambda plan, now: model_write.write(plan, draft, terms, now)


def block(id: str, reason: str, terms: Terms) -> Step:
    """A host has seen that nothing helps: a todo is blocked, with the work for it."""
    draft = Draft([Wish(id=id, status=Status.BLOCKED, details=DetailsWish(reason=reason))], merge=True)
    return lambda plan, now: model_write.write(plan, draft, terms, now)


def mark_told(seen: Plan | None) -> Step:
    """A host has told the model of every edit, unless there are other edits than in the plan `seen`."""

    def step(plan: Plan, now: float) -> Written:
        is_outdated = seen is not None and plan.edits != seen.edits
        return Written(plan) if is_outdated else edits.mark_told(plan, now)

    return step


def _form_of(dialect: Dialect) -> Form:
    """What `update` takes: every field of a todo, and texts as the dialect wants them."""
    form = dialect.form
    active_form = Use.REQUIRED if form.active_form is Use.REQUIRED else Use.OPTIONAL
    return FORM._replace(active_form=active_form, blank_allowed=form.blank_allowed, trims=form.trims)


def _unknown(plan: Plan, id: str) -> Refusal | None:
    faults = check_against(plan, Draft([Wish(id=str(id))]))
    return Refusal(tuple(faults)) if faults else None


def _missing_texts(draft: Draft, plan: Plan, form: Form) -> list[Fault]:
    """The faults of new todos in a host's list that lack a required text."""
    required = {"content": "content", "activeForm": "active_form"}
    if form.active_form is not Use.REQUIRED:
        del required["activeForm"]
    return [
        missing(f"todos[{index}].{field}", index, field)
        for index, wish in enumerate(draft.wishes)
        for field, name in required.items()
        if getattr(wish, name) is None and plan.get(wish.id or "") is None
    ]
