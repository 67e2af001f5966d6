"""What every dialect is: a tool as one family of models knows it, on the one engine."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from ..plan import Change, Draft, Plan, Status, Todo, Wish
from ..plan.checks import LONGEST_CHECK
from ..plan.fault import IN_DOUBT, Fault
from ..plan.rules import PLAIN, Rules
from ..plan.step import Written
from ..text import one_line
from .reading import restatement, schemas
from .reading.faults import describe_faults, rank
from .reading.form import REQUIRED, Form
from .reading.payload import body_of, read
from .reading.restated_list import NOTHING_COMPARED, restated_items, says_nothing_else
from .reading.schemas import JSON

_new = tuple.__new__

NO_PLAN = Plan()
NO_CHANGE = Draft(merge=True)

CHECK = "what must pass for it to be done: a command, file:PATH, or file:PATH contains TEXT"

STATUS_WORDS: Mapping[str, Status] = {str(status): status for status in Status}

MARKS = {
    Status.PENDING: "[ ]",
    Status.IN_PROGRESS: "[>]",
    Status.COMPLETED: "[x]",
    Status.CANCELLED: "[-]",
    Status.BLOCKED: "[!]",
}


class Tool(NamedTuple):
    """One tool of a dialect, as a model is given it. A `repeatable` one does no more if it is called twice."""

    name: str
    description: str
    schema: JSON
    reads_only: bool = False
    repeatable: bool = True


class Call(NamedTuple):
    """One call of a dialect's tool, as a model makes it."""

    tool: str
    payload: JSON


class Notice(NamedTuple):
    """What a listener adds to the reply: a line for the user, and fields for the structured form."""

    text: str
    data: Mapping[str, object] = {}


class Reply(NamedTuple):
    """The answer to a write: what the model reads, the structured form where there is one, and what was wrong.

    `plan` is the plan as it is now. `change` is what the write changed; None if it was refused. `is_update` says
    that a write named only what changes.
    """

    ok: bool
    text: str
    data: JSON | None
    faults: tuple[Fault, ...]
    plan: Plan
    change: Change | None = None
    is_update: bool = False


class Outcome(NamedTuple):
    """The result of a write, for a dialect to put into words.

    `notes` are short lines that the model must read, `notices` what listeners add. `tool` is the tool that was
    called, where a dialect has several. With `is_look`, nothing was written: the model asked for the plan.
    """

    plan: Plan
    faults: tuple[Fault, ...] = ()
    change: Change | None = None
    payload: object = None
    notes: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0
    tool: str = ""
    is_look: bool = False
    is_update: bool = False


class Traits(NamedTuple):
    """What a host wants to know of a tool before it runs it."""

    read_only: bool = False
    needs_permission: bool = False
    in_plan_mode: bool = False


class Dialect:
    """A tool's name, words and form, and the rules that it is read under.

    `mark` are the arguments that give the todo `{id}` a `{status}`, where a dialect has such a call (braces doubled);
    `mark_tool` is the tool that takes them, if it is not the only one.
    With `states_whole_plan`, a call states the whole plan, and of several in one turn only one can be meant.
    With `tells_time`, a reply says how long the write took.

    A dialect is a value: `with_rules(rules)` gives another one. What a model sees of it never changes.
    """

    name: ClassVar[str]
    tool_name: ClassVar[str] = "TodoWrite"
    description: str
    prompt: str
    form: Form
    own_rules: ClassVar[Rules]
    mark: ClassVar[str] = ""
    mark_tool: ClassVar[str] = ""
    reports_all_faults: ClassVar[bool] = False
    states_whole_plan: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits()
    is_strict: ClassVar[bool] = False
    tells_time: ClassVar[bool] = False

    def __init__(self, rules: Rules | None = None) -> None:
        own = self.own_rules.over(PLAIN)
        self.rules = own if rules is None else rules.over(own)
        self.form = self.form.under(self.rules)
        self.compared = NOTHING_COMPARED

    def with_rules(self, rules: Rules) -> Self:
        """This dialect with these rules over its own."""
        return type(self)(rules.over(self.rules))

    @cached_property
    def schema(self) -> JSON:
        """The JSON Schema of the tool's input, under the dialect's rules."""
        schema = self.own_schema()
        items = schema["properties"].get(self.form.list_field, {}).get("items")
        if items is not None:
            items["properties"].update(self.asked_fields())
        return schema

    def asked_fields(self) -> JSON:
        """The properties that the rules add to an item, if they ask for evidence or allow checks."""
        fields: JSON = {}
        if self.rules.evidence != "none":
            fields["evidence"] = schemas.text(self.rules, description="what shows that it is done")
        if self.rules.checks:
            fields["check"] = {"type": "string", "maxLength": LONGEST_CHECK, "description": CHECK}
        return fields

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input as the dialect itself has it: for most dialects, a list of todos."""
        return schemas.payload(self.form, self.rules, self.own_fields())

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo as the dialect itself has it, by its own name."""
        raise NotImplementedError

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool of the dialect; most have one."""
        return (Tool(self.tool_name, self.description, self.schema),)

    @cached_property
    def tool_names(self) -> tuple[str, ...]:
        """The names of its tools."""
        return tuple(tool.name for tool in self.tools)

    def is_look(self, payload: object, tool: str = "") -> bool:
        """Whether a call only asks for the plan, and writes nothing."""
        form = self.form
        if not form.absent_reads:
            return False
        body = body_of(payload, form)
        return isinstance(body, Mapping) and body.keys() <= {form.list_field} and body.get(form.list_field) is None

    def read(self, payload: object, plan: Plan = NO_PLAN, tool: str = "") -> tuple[Draft, list[Fault]]:
        """What a payload asks for, and the faults of its shape. `plan` is the plan as the model last saw it."""
        if self.form.absent_reads and self.is_look(payload, tool):
            return NO_CHANGE, []
        draft, faults = read(payload, self.form, self.rules)
        if faults or self._expresses_all or not plan.todos:
            return draft, faults
        return self.without_restatements(draft, plan), faults

    def restated(self, payload: object, plan: Plan, now: float, tool: str = "") -> Written | None:
        """The plan after a call that restates its todos, all in order or some by id, and at most changes statuses.

        None if the call does more than that, or has a fault: then `read` says what it asks for.
        """
        form = self.form
        if type(payload) is not dict:
            return None
        items = payload.get(form.list_field)
        if form.parse is not None:
            items = form.parse(items) if type(items) is str else None
        if type(items) is not list:
            return None
        if (len(payload) > 1 or form.summary is REQUIRED) and not says_nothing_else(payload, plan, form):
            return None
        return restated_items(items, plan, self, form, now)

    def shows_exactly(self, todo: Todo, plan: Plan) -> bool:
        """Whether this dialect shows a todo as it is, in all fields that it has."""
        return restatement.shows_exactly(todo, plan, self.form, self.rules.statuses)

    def without_restatements(self, draft: Draft, plan: Plan) -> Draft:
        """The draft without what it only restates in the words of this dialect: that is no change."""
        shown = [self.express(todo, plan) for todo in plan.todos]
        return restatement.without_restatements(draft, plan, shown, restatement.express_summary(plan, self.form))

    def express(self, todo: Todo, plan: Plan) -> Wish:
        """What this dialect can say of a todo."""
        return restatement.express(todo, plan, self.form, self.rules.statuses)

    def items(self, plan: Plan) -> list[JSON]:
        """Every todo in the words of this dialect."""
        return [restatement.item(self.express(todo, plan), self.form) for todo in plan.todos]

    def payload(self, plan: Plan) -> JSON:
        """The call that writes this plan down, as far as this dialect can say it."""
        summary = restatement.express_summary(plan, self.form)
        return {**({"summary": summary} if summary else {}), self.form.list_field: self.items(plan)}

    def calls(self, plan: Plan) -> list[Call]:
        """The calls that write this plan down: one, for most dialects."""
        return [Call(self.tool_name, self.payload(plan))]

    @cached_property
    def writing_tools(self) -> frozenset[str]:
        """The names of the tools that never only ask for the plan; also no name, which stands for the only tool."""
        if self.form.absent_reads:
            return frozenset()
        return frozenset(("", *(tool.name for tool in self.tools if not tool.reads_only)))

    @cached_property
    def _expresses_all(self) -> bool:
        """Whether the dialect shows every field that it has exactly as the todo has it."""
        return restatement.expresses_all(self.form, self.rules.statuses)

    def reported(self, faults: Sequence[Fault]) -> tuple[Fault, ...]:
        """The faults that the model is told of, in this dialect's order and words."""
        ordered = sorted(faults, key=self.order)
        return tuple(self.phrase(fault) for fault in (ordered if self.reports_all_faults else ordered[:1]))

    def order(self, fault: Fault) -> tuple[int, ...]:
        """The rank of a fault among the others: the list, its length, its items one by one, the focus."""
        return rank(fault, self.form.own.get(fault.field, fault.field))

    def phrase(self, fault: Fault) -> Fault:
        """The fault with this dialect's words for its place, message and code."""
        key = self.form.key(fault.field)
        if key != fault.field:
            fault = fault._replace(path=fault.path.removesuffix(f".{fault.field}") + f".{key}", field=key)
        if fault.code == "status":
            words = ", ".join(self.form.words[status] for status in self.rules.statuses)
            fault = fault._replace(message=f"expected one of {words}, received {fault.received}")
        return fault

    def reply(self, outcome: Outcome) -> Reply:
        """The answer to a write."""
        plan, faults, change = outcome[:3]
        text, data = self.refused(outcome) if faults else self.accepted(outcome)
        return _new(Reply, (not faults, text, data, faults, plan, change, outcome.is_update))

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The text and data of a write that was accepted."""
        raise NotImplementedError

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The text and data of a write that was refused: every fault with its place, and that nothing changed.

        If the store's answer was lost, it is not known whether something changed.
        """
        head = "" if outcome.faults[0].code == IN_DOUBT else "Not saved, the plan is unchanged. "
        return head + describe_faults(outcome.faults), None

    def render(self, plan: Plan) -> str:
        """The plan as this dialect shows it: one line per todo."""
        if not plan.todos:
            return "No todos."
        return "\n".join(f"{MARKS[todo.status]} {one_line(todo.content)}" for todo in plan.todos)


def with_notes(text: str, outcome: Outcome) -> str:
    """A reply's text with the listeners' notices and the notes for the model, one line each."""
    if not outcome.notes and not outcome.notices:
        return text
    return "\n".join((text, *(notice.text for notice in outcome.notices), *outcome.notes))
