"""The rules a plan obeys, and the faults of a write that breaks them.

A dialect has rules of its own; a host changes single ones: `Board(dialect="envelope", rules=Rules(max_items=5))`.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from ..errors import UsageError
from ..text import describe, is_whole_number
from .checks import parse_check
from .fault import Fault
from .plan import Plan
from .todo import IN_PROGRESS, PRIORITIES, Details, DetailsWish, Draft, Status, Wish
from .transitions import unknown_ids

NO_LIMIT = sys.maxsize
"""A limit that nothing reaches."""

CEILING_ITEMS = 10_000
"""The most todos that any board takes, whatever its rules: more is an accident, not a plan."""

CEILING_TEXT = 100_000
"""The longest text that any board takes, whatever its rules."""

Evidence = Literal["none", "optional", "required"]
EVIDENCE: tuple[Evidence, ...] = ("none", "optional", "required")
ProofNeed = Literal["optional", "required"]
PROOF: tuple[ProofNeed, ...] = ("optional", "required")

DETAIL_TEXTS = ("description", "owner", "metadata", "reason", "section")
LIMITS = ("max_items", "max_content", "max_in_progress")

MOST_IDS = 50
"""How many ids a fault lists."""

_AS_THE_DIALECT_SAYS: Any = None
"""A rule that is not given. It is hidden from the types: rules that are in use, over a dialect's own, have them all."""

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class RuleChanges(TypedDict, total=False):
        """Rules by name, for type checkers."""

        max_items: int
        max_content: int
        max_in_progress: int
        statuses: tuple[Status, ...]
        advance: bool
        work_before_done: bool
        keep_open: bool
        evidence: Evidence
        point_out: bool
        repair: bool
        checks: bool
        proof: ProofNeed


class _RuleFields(NamedTuple):
    max_items: int = _AS_THE_DIALECT_SAYS
    max_content: int = _AS_THE_DIALECT_SAYS
    max_in_progress: int = _AS_THE_DIALECT_SAYS
    statuses: tuple[Status, ...] = _AS_THE_DIALECT_SAYS
    advance: bool = _AS_THE_DIALECT_SAYS
    work_before_done: bool = _AS_THE_DIALECT_SAYS
    keep_open: bool = _AS_THE_DIALECT_SAYS
    evidence: Evidence = _AS_THE_DIALECT_SAYS
    point_out: bool = _AS_THE_DIALECT_SAYS
    repair: bool = _AS_THE_DIALECT_SAYS
    checks: bool = _AS_THE_DIALECT_SAYS
    proof: ProofNeed = _AS_THE_DIALECT_SAYS


class Rules(_RuleFields):
    """Limits and habits of a board. What is not given is as the dialect says.

    `max_items`, `max_content`, `max_in_progress`: how many todos, how many characters in each, how many at once.
    `statuses`: those that the model may use.
    `advance`: an update that finishes a todo and names no other starts the first pending one.
    `work_before_done`: a todo is completed, and a plan left with nothing to do, only after other work.
    `keep_open`: a whole list that leaves out open todos does not lose them.
    `evidence`: "none", "optional" or "required": a short text with each completion, of what shows that it is done.
    `point_out`: todos that jump to completed several at once, and open todos left out, are named in the reply.
    `repair`: what has one sensible reading is read that way, and said in a few words, instead of being refused.
    `checks`: the model may say what shows that a todo is done: its tool has a field `check`.
    `proof`: with "required", a todo with a check is completed only by passing it. With "optional", it counts as
    claimed where nobody can run the check.

    Raises UsageError for a limit that is not a positive whole number, for an unknown status or kind of evidence or
    proof.
    """

    __slots__ = ()

    def __new__(cls, **fields: "Unpack[RuleChanges]") -> Self:
        """Rules with these fields set."""
        given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        for name, limit in given.items():
            if name in LIMITS and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
                raise UsageError(f"Rules({name}=…) takes a positive whole number or NO_LIMIT, received {limit!r}")
        statuses, evidence = given.get("statuses", tuple(Status)), given.get("evidence", "none")
        if Status.PENDING not in statuses or not set(statuses) <= set(Status):
            raise UsageError(f"Rules(statuses=…) takes pending and others of {', '.join(Status)}")
        if evidence not in EVIDENCE:
            raise UsageError(f"Rules(evidence=…) is one of {', '.join(EVIDENCE)}, received {evidence!r}")
        if (proof := given.get("proof", "optional")) not in PROOF:
            raise UsageError(f"Rules(proof=…) is one of {', '.join(PROOF)}, received {proof!r}")
        return super().__new__(cls, **fields)

    @property
    def needs_proof(self) -> bool:
        """Whether a completion needs proof: work before it, or evidence with it."""
        return self.work_before_done or self.evidence == "required"

    def replace(self, **changes: "Unpack[RuleChanges]") -> "Rules":
        """A copy with some fields changed. Raises UsageError as the constructor does."""
        return Rules(**changes).over(self)

    def over(self, base: "Rules") -> "Rules":
        """These rules; where one of them is not given, the one of `base`."""
        return base._replace(**{name: value for name, value in self._asdict().items() if value is not None})


PLAIN = Rules(
    max_items=NO_LIMIT,
    max_content=NO_LIMIT,
    max_in_progress=NO_LIMIT,
    statuses=tuple(Status),
    advance=False,
    work_before_done=False,
    keep_open=False,
    evidence="none",
    point_out=False,
    repair=False,
    checks=False,
    proof="optional",
)
"""No limits and no habits: what a dialect's own rules stand on."""


def check(draft: Draft, rules: Rules, list_field: str = "todos") -> list[Fault]:
    """Every fault of a draft that shows without the plan: number, length, status, focus, ids given twice."""
    wishes, summary, merge, _ = draft
    most, longest, most_running, statuses = rules[:4]
    if longest > CEILING_TEXT:
        longest = CEILING_TEXT
    running, has_bad_item = 0, False
    for _, content, status, active_form, evidence, details in wishes:
        if status is IN_PROGRESS:
            running += 1
        if (
            (content is not None and len(content) > longest)
            or (status is not None and status not in statuses)
            or (active_form is not None and len(active_form) > longest)
            or (evidence is not None and len(evidence) > longest)
            or details is not None
        ):
            has_bad_item = True
    faults = []
    if len(wishes) > most or len(wishes) > CEILING_ITEMS:
        faults.append(too_many(list_field, len(wishes), min(most, CEILING_ITEMS)))
    if has_bad_item:
        faults += _item_faults(wishes, longest, statuses, list_field)
    if summary is not None and len(summary) > CEILING_TEXT:
        faults.append(too_long("summary", None, "summary", CEILING_TEXT, len(summary)))
    if running > most_running:
        faults.append(too_much_at_once(list_field, running, most_running))
    return faults + _ids_given_twice(wishes, list_field) if merge and len(wishes) > 1 else faults


def check_against(plan: Plan, draft: Draft, list_field: str = "todos") -> list[Fault]:
    """The faults of an update that show only against the plan: ids that it does not hold, new todos without a text."""
    unknown = set(unknown_ids(plan, draft))
    if not unknown:
        return []
    faults = []
    known = {todo.id for todo in plan.todos}
    for index, wish in enumerate(draft.wishes):
        if wish.id in unknown and not _is_next_number(plan, wish):
            faults.append(_unknown_id(list_field, index, str(wish.id), sorted(known, key=_numeric_order)))
    return faults


def check_result(plan: Plan, rules: Rules, former: int, list_field: str = "todos") -> list[Fault]:
    """The faults of the list that an update would leave: too many todos, too much in progress.

    `former` is how many todos there were: if there were too many already, an update that adds nothing is no fault.
    """
    faults, todos = [], plan.todos
    if len(todos) > former and len(todos) > min(rules.max_items, CEILING_ITEMS):
        faults.append(too_many(list_field, len(todos), min(rules.max_items, CEILING_ITEMS)))
    running = [todo[0] for todo in todos if todo[2] is IN_PROGRESS]
    if len(running) > rules.max_in_progress:
        faults.append(too_much_at_once(list_field, len(running), rules.max_in_progress, running))
    return faults


def too_many(list_field: str, count: int, limit: int) -> Fault:
    """The list has more todos than the rules allow."""
    message = f"at most {limit} todos, received {count}"
    return Fault(list_field, message, "too_many", field=list_field, limit=limit, received=str(count))


def too_long(path: str, index: int | None, field: str, limit: int, length: int) -> Fault:
    """A text is longer than the rules allow."""
    message = f"at most {limit} characters, received {length}"
    return Fault(path, message, "too_long", index, field, limit, str(length))


def bad_status(list_field: str, index: int, received: str, allowed: Sequence[str]) -> Fault:
    """A status is not one of those that the rules allow."""
    message = f"expected one of {', '.join(allowed)}, received {received}"
    return Fault(f"{list_field}[{index}].status", message, "status", index, "status", tuple(allowed), received)


def too_much_at_once(list_field: str, count: int, limit: int, ids: Sequence[str] = ()) -> Fault:
    """More todos are in progress than the rules allow."""
    message = f"at most {limit} in_progress, received {count}" + (f": ids {', '.join(ids)}" if ids else "")
    return Fault(list_field, message, "focus", field=list_field, limit=limit, received=str(count))


def given_twice(path: str, index: int, field: str, id: str) -> Fault:
    """Two items have one id."""
    return Fault(path, f"id {id} is given twice", "duplicate_id", index, field, received=id)


def _item_faults(wishes: Sequence[Wish], longest: int, statuses: tuple[Status, ...], list_field: str) -> list[Fault]:
    """The faults that `check` has noticed, item by item."""
    faults = []
    for index, wish in enumerate(wishes):
        faults += _too_long(wish, longest, list_field, index)
        if wish.status is not None and wish.status not in statuses:
            faults.append(bad_status(list_field, index, str(wish.status), statuses))
        if wish.details is not None:
            faults += detail_faults(wish.details, f"{list_field}[{index}]", index)
    return faults


def detail_faults(details: Details | DetailsWish, place: str, index: int) -> list[Fault]:
    """What is wrong with the details of the todo at a place."""
    texts = ((name, getattr(details, name)) for name in DETAIL_TEXTS)
    faults = [
        too_long(f"{place}.{field}", index, field, CEILING_TEXT, len(text))
        for field, text in texts
        if text is not None and len(text) > CEILING_TEXT
    ]
    if details.check:
        try:
            parse_check(details.check)
        except UsageError as error:
            message = str(error)
            faults.append(Fault(f"{place}.check", message, "check", index, "check", received=describe(details.check)))
    if details.priority is not None and details.priority not in ("", *PRIORITIES):
        received = describe(details.priority)
        message = f"expected one of {', '.join(PRIORITIES)}, received {received}"
        faults.append(Fault(f"{place}.priority", message, "priority", index, "priority", PRIORITIES, received))
    if details.blocked_by is not None and len(details.blocked_by) > CEILING_ITEMS:
        message = f"at most {CEILING_ITEMS} ids, received {len(details.blocked_by)}"
        received = str(len(details.blocked_by))
        faults.append(Fault(f"{place}.blockedBy", message, "too_many_ids", index, "blockedBy", CEILING_ITEMS, received))
    return faults


def _too_long(wish: Wish, limit: int, list_field: str, index: int) -> list[Fault]:
    texts = (("content", wish.content), ("activeForm", wish.active_form), ("evidence", wish.evidence))
    return [
        too_long(f"{list_field}[{index}].{field}", index, field, limit, len(text))
        for field, text in texts
        if text is not None and len(text) > limit
    ]


def _unknown_id(list_field: str, index: int, id: str, known: Sequence[str]) -> Fault:
    shown = ", ".join(known[:MOST_IDS]) + (", …" if len(known) > MOST_IDS else "")
    has = f"the plan has {shown}" if known else "there is no plan yet: send todos with content and no id"
    return Fault(f"{list_field}[{index}].id", f"no todo {id}; {has}", "unknown_id", index, "id", received=id)


def _ids_given_twice(wishes: Sequence[Wish], list_field: str) -> list[Fault]:
    seen: set[str] = set()
    faults = []
    for index, wish in enumerate(wishes):
        if wish.id is None:
            continue
        if wish.id in seen:
            faults.append(given_twice(f"{list_field}[{index}].id", index, "id", wish.id))
        seen.add(wish.id)
    return faults


def _is_next_number(plan: Plan, wish: Wish) -> bool:
    """Whether a wish is for a new todo that the model has numbered itself, above the plan's own numbers."""
    id = str(wish.id)
    return wish.content is not None and is_whole_number(id, 5) and int(id) >= plan.next_id


def _numeric_order(id: str) -> tuple[int, str]:
    return (len(id), id)
