"""What people and hosts ask of a plan, as steps: from the plan as it is now to a new one, or to what is wrong.

The model's own step is in `by_model`; what an edit does to a plan is in `edits`. Here their input is checked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from . import edits, planning
from .dependencies import check_dependencies
from .dialects.dialect import STATUS_WORDS, Dialect
from .dialects.faults import missing
from .dialects.form import Form, Use
from .dialects.reading import read
from .plan import Change, Draft, Plan, Status, Wish
from .rules import NO_LIMIT, Fault, Rules, check, check_against, check_result
from .stores import Record
from .writing import Written

Step = Callable[[Plan, float], Written | list[Fault]]

PERSON_RULES = Rules(max_items=NO_LIMIT)
"""A person may add to any plan, whatever its own limits were; a text stays short enough for a model to restate."""

FORM = Form(
    STATUS_WORDS,
    id=Use.OPTIONAL,
    active_form=Use.OPTIONAL,
    aliases={"active_form": "activeForm"},
    default_status=Status.PENDING,
    partial=True,
)
"""What people and hosts may say of a todo: every field, whatever the model's own schema has."""


def update(items: Sequence[Mapping[str, object]], summary: str | None, dialect: Dialect) -> Step:
    """A host's list: if every todo carries an id that the plan holds, only those change; otherwise it replaces all."""
    rules, form = dialect.rules, _form_of(dialect)
    draft, faults = read({"todos": items}, form, rules)
    draft = draft._replace(summary=summary)
    faults += check(draft, rules)

    def step(plan: Plan, now: float) -> Written | list[Fault]:
        if faults:
            return faults
        whole = not draft.wishes or any(wish.id is None or plan.get(wish.id) is None for wish in draft.wishes)
        after = (planning.replace if whole else planning.merge)(plan, draft, now)
        # what a host takes out, nobody edited; of a plan that it closes there is nothing to tell
        kept = tuple(e for e in after.edits if e.after is None or after.get(e.id)) if after.todos else ()
        if kept != after.edits:
            seen = after.seen if kept else ()
            after = after._replace(edits=kept, seen=seen, revision=plan.revision + 1, updated_at=now)
        amiss = check_result(after, rules, len(plan.todos)) + check_dependencies(plan, draft, after)
        return _textless(draft, plan, form) or amiss or Written(after)

    return step


def edit(item: Mapping[str, object], rules: Rules) -> Step:
    """A person's change of one todo: to any status there is, also one that the model's dialect has no word for."""
    rules = rules._replace(statuses=tuple(Status))
    draft, faults = read({"todos": [item]}, FORM, rules)
    faults += check(draft, rules)
    if "id" not in item:
        faults = [missing("id", None, "id", "required: which todo it is")]

    def step(plan: Plan, now: float) -> Written | list[Fault]:
        amiss = faults or _unknown(plan, str(item["id"]))
        return amiss or Written(edits.edit(plan, str(item["id"]), draft.wishes[0], now, rules.max_in_progress))

    return step


def add(content: str, position: int | None, rules: Rules) -> Step:
    """A person's new todo. On a cleared plan it begins the next one."""
    draft, faults = read({"todos": [{"content": content}]}, FORM, rules)
    faults += check(draft, rules)

    def step(plan: Plan, now: float) -> Written | list[Fault]:
        if faults:
            return faults
        if not plan.todos and not plan.edits and plan.next_id > 1:
            plan = Plan(revision=plan.revision, number=plan.number + 1)
        after = edits.add(plan, content, position, now)
        too_many = [fault for fault in check_result(after, rules, len(plan.todos)) if fault.code == "too_many"]
        return too_many or Written(after)  # what runs already is not this person's doing

    return step


def remove(id: str) -> Step:
    """A person takes a todo off the plan."""
    return lambda plan, now: _unknown(plan, id) or Written(edits.remove(plan, str(id), now))


def move(id: str, position: int) -> Step:
    """A person puts a todo at another position."""
    return lambda plan, now: _unknown(plan, id) or Written(edits.move(plan, str(id), max(position, 0), now))


def undoable(history: Iterable[Record]) -> Change | None:
    """The newest change of a history, itself the newest first, that is not taken back yet; none if all are."""
    taken_back: set[int] = set()
    for record in history:
        change = record.change
        if change.undoes:
            taken_back.add(change.undoes)
        elif change.action != "told" and change.after.revision not in taken_back:
            return change
    return None


def restore(old: Plan) -> Step:
    """A person brings a plan back that once was."""
    return lambda plan, now: Written(edits.restored(plan, old, now))


def clear(plan: Plan, now: float) -> Written:
    """A person closes the plan."""
    after = planning.clear(plan, now)
    return Written(after._replace(edits=(), seen=(), revision=plan.revision + 1) if after.edits else after)


def tell(heard: Plan | None) -> Step:
    """A host has told the model of every edit, as long as there are no others than in the plan that it heard of."""

    def step(plan: Plan, now: float) -> Written:
        if not plan.edits or (heard is not None and plan.edits != heard.edits):
            return Written(plan)
        return Written(plan._replace(edits=(), seen=(), revision=plan.revision + 1, updated_at=now))

    return step


def _form_of(dialect: Dialect) -> Form:
    """What `update` takes: every field of a todo, and texts as the dialect wants them."""
    form = dialect.form
    active_form = Use.REQUIRED if form.active_form is Use.REQUIRED else Use.OPTIONAL
    return FORM._replace(active_form=active_form, blank_allowed=form.blank_allowed, trims=form.trims)


def _unknown(plan: Plan, id: str) -> list[Fault]:
    return check_against(plan, Draft([Wish(id=str(id))]))


def _textless(draft: Draft, plan: Plan, form: Form) -> list[Fault]:
    """The new todos of a host's list that do not say what they must."""
    asked = {"content": "content", "activeForm": "active_form"}
    if form.active_form is not Use.REQUIRED:
        del asked["activeForm"]
    return [
        missing(f"todos[{index}].{field}", index, field)
        for index, wish in enumerate(draft.wishes)
        for field, name in asked.items()
        if getattr(wish, name) is None and plan.get(wish.id or "") is None
    ]
