"""What every dialect is: a tool as one family of models knows it, on the one engine."""

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from ..plan import Change, Draft, Plan, Status
from ..rules import CEILING_ITEMS, CEILING_TEXT, NO_LIMIT, PLAIN, Fault, Rules
from .reading import Form, Use, read

JSON = dict[str, Any]

STATUS_WORDS: Mapping[str, Status] = {str(status): status for status in Status}


MARKS = {
    Status.PENDING: "[ ]",
    Status.IN_PROGRESS: "[>]",
    Status.COMPLETED: "[x]",
    Status.CANCELLED: "[-]",
    Status.BLOCKED: "[!]",
}


class Notice(NamedTuple):
    """What a listener wants said in the reply: a line for the user, and fields for the structured form."""

    text: str
    data: Mapping[str, object] = {}


class Reply(NamedTuple):
    """The answer to a write: what the model reads, the structured form where there is one, and what was wrong."""

    ok: bool
    text: str
    data: JSON | None
    faults: tuple[Fault, ...]
    plan: Plan


class Outcome(NamedTuple):
    """What became of a write, for a dialect to put into words.

    `notes` are short lines that the model must read, `notices` what listeners want said.
    """

    plan: Plan
    faults: tuple[Fault, ...] = ()
    change: Change | None = None
    payload: object = None
    notes: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    seconds: float = 0.0


class Traits(NamedTuple):
    """What a host reads off the tool before it runs it."""

    read_only: bool = False
    needs_permission: bool = False
    in_plan_mode: bool = False


class Dialect:
    """A tool's name, words and form, and the rules that it is read under.

    `mark` are the arguments that give the todo `{id}` a `{status}`, where a dialect has such a call (braces doubled).

    A dialect is a value: `under(rules)` gives another one. What a model sees of it never changes.
    """

    name: ClassVar[str]
    tool_name: ClassVar[str] = "TodoWrite"
    description: str
    prompt: str
    form: Form
    own_rules: ClassVar[Rules]
    mark: ClassVar[str] = ""
    tells_all: ClassVar[bool] = False
    traits: ClassVar[Traits] = Traits()

    def __init__(self, rules: Rules | None = None) -> None:
        own = self.own_rules.over(PLAIN)
        self.rules = own if rules is None else rules.over(own)
        if self.rules.evidence != "none":
            self.form = self.form._replace(evidence=Use.OPTIONAL)

    def under(self, rules: Rules) -> Self:
        """This dialect with other rules where `rules` says so."""
        return type(self)(rules.over(self.rules))

    @cached_property
    def schema(self) -> JSON:
        """The JSON Schema of the tool's input, under the dialect's rules."""
        schema = self.own_schema()
        if self.rules.evidence != "none":
            text = limited(
                {"type": "string", "description": "what shows that it is done"}, "maxLength", self.rules.max_content
            )
            schema["properties"][self.form.list_field]["items"]["properties"]["evidence"] = text
        return schema

    def own_schema(self) -> JSON:
        """The JSON Schema of the tool's input as the dialect itself has it."""
        raise NotImplementedError

    def read(self, payload: object) -> tuple[Draft, list[Fault]]:
        """What a payload asks for, and the faults of its shape."""
        return read(payload, self.form, self.rules)

    def told(self, faults: Sequence[Fault]) -> tuple[Fault, ...]:
        """The faults that the model hears of, in this dialect's order and words."""
        ordered = sorted(faults, key=self.order)
        return tuple(self.worded(fault) for fault in (ordered if self.tells_all else ordered[:1]))

    def order(self, fault: Fault) -> tuple[int, ...]:
        """Where a fault stands among the others: the list, its length, its items one by one, the focus."""
        stage = _STAGES.get(fault.code, 3 if fault.item is not None else 1)
        return (stage, -1 if fault.item is None else fault.item, _FIELDS.get(fault.field, len(_FIELDS)))

    def worded(self, fault: Fault) -> Fault:
        """The fault with this dialect's message and code."""
        return fault

    def reply(self, outcome: Outcome) -> Reply:
        """The answer to a write."""
        text, data = self.refused(outcome) if outcome.faults else self.accepted(outcome)
        return Reply(not outcome.faults, text, data, outcome.faults, outcome.plan)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The text and data of a write that was taken."""
        raise NotImplementedError

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The text and data of a write that was not taken."""
        raise NotImplementedError

    def render(self, plan: Plan) -> str:
        """The plan as this dialect shows it."""
        raise NotImplementedError


def with_notes(text: str, outcome: Outcome) -> str:
    """A reply's text with what listeners want said and what else the model must read, a line each."""
    if not outcome.notes and not outcome.notices:
        return text
    return "\n".join((text, *(notice.text for notice in outcome.notices), *outcome.notes))


def limited(schema: JSON, keyword: str, limit: int) -> JSON:
    """A schema with a limit, unless there is none to state."""
    ceiling = CEILING_ITEMS if keyword == "maxItems" else CEILING_TEXT
    return schema if limit == NO_LIMIT else {**schema, keyword: min(limit, ceiling)}


def definition(dialect: Dialect, form: str) -> JSON:
    """The tool's definition in a provider's wire form. The caller may do with it what it likes: it is a copy."""
    name, description, schema = dialect.tool_name, dialect.description, copy.deepcopy(dialect.schema)
    match form:
        case "anthropic":
            return {"name": name, "description": description, "input_schema": schema}
        case "openai":
            function = {"name": name, "description": description, "parameters": schema}
            return {"type": "function", "function": function}
        case "openai-responses":
            flat = {"name": name, "description": description, "parameters": schema}
            return {"type": "function", **flat, "strict": False}
        case "mcp":
            return {
                "name": name,
                "description": description,
                "inputSchema": schema,
                "annotations": ANNOTATIONS.copy(),
            }
        case "json":
            return {"name": name, "description": description, "parameters": schema}
    raise KeyError(form)


WIRE_FORMS = ("anthropic", "openai", "openai-responses", "mcp", "json")

ANNOTATIONS: JSON = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}

_STAGES: Mapping[object, int] = {"too_many": 2, "focus": 4}

_FIELDS = {"summary": -2, "": -1, "content": 0, "status": 1, "activeForm": 2, "evidence": 3, "id": 4}
