"""What a dialect's payload looks like, as a value. Both the reader and the writer follow it."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ...plan import Status
from ...plan.rules import Rules

if TYPE_CHECKING:
    from .shape import Shape

MAX_ID = 64


class Use(Enum):
    """Whether a field belongs to a form."""

    ABSENT = 0
    OPTIONAL = 1
    REQUIRED = 2


ABSENT, OPTIONAL, REQUIRED = Use.ABSENT, Use.OPTIONAL, Use.REQUIRED
"""For code that every write runs through: looking a member up in its class takes ten times as long."""


class _Fields(NamedTuple):
    """What a form is made of.

    `statuses` has every word for a status, except those that the rules add. `default_status` is the status of an item
    that has none; if it is None, the status is required. `names` are the dialect's own keys, by ours ("content", "id"
    and so on); `aliases` are other keys that it takes for them. With `keeps_ids`, an id names a todo; with `partial`,
    an item with one may also leave out everything else; without either, ids are taken and ignored. `parse` makes items
    out of a list that comes as a text which is not JSON. `bare_list` takes a list with no object around it.
    `remarks` are texts beside the list that are not kept. With `absent_reads`, a call without a list asks for the plan.
    """

    statuses: Mapping[str, Status]
    list_field: str = "todos"
    default_status: Status | None = None
    id: Use = Use.ABSENT
    active_form: Use = Use.ABSENT
    evidence: Use = Use.ABSENT
    summary: Use = Use.ABSENT
    description: Use = Use.ABSENT
    priority: Use = Use.ABSENT
    blocked_by: Use = Use.ABSENT
    owner: Use = Use.ABSENT
    metadata: Use = Use.ABSENT
    check: Use = Use.ABSENT
    names: Mapping[str, str] = {}
    aliases: Mapping[str, str] = {}
    remarks: tuple[str, ...] = ()
    parse: Callable[[str], list[object]] | None = None
    keeps_ids: bool = False
    longest_id: int = MAX_ID
    partial: bool = False
    any_case: bool = False
    blank_allowed: bool = False
    drops_unknown: bool = False
    trims: bool = False
    bare_list: bool = False
    absent_reads: bool = False


class Form(_Fields):
    """What a dialect's payload looks like."""

    def under(self, rules: Rules) -> "Form":
        """This form with the fields that the rules add to it."""
        if rules.evidence == "none" and not rules.checks:
            return self
        evidence = self.evidence if rules.evidence == "none" else Use.OPTIONAL
        return self._replace(evidence=evidence, check=Use.OPTIONAL if rules.checks else self.check)

    @cached_property
    def uses(self) -> Mapping[str, Use]:
        """How an item's fields are used, by our names. Content and status are left out: every item has them."""
        fields = {
            "id": self.id,
            "activeForm": self.active_form,
            "evidence": self.evidence,
            "description": self.description,
            "priority": self.priority,
            "blockedBy": self.blocked_by,
            "owner": self.owner,
            "metadata": self.metadata,
            "check": self.check,
        }
        return {field: use for field, use in fields.items() if use is not Use.ABSENT}

    @cached_property
    def own(self) -> Mapping[str, str]:
        """Our name for every key that an item may have."""
        return {self.key(field): field for field in ("content", "status", *self.uses)}

    @cached_property
    def has_details(self) -> bool:
        """Whether an item may have details: a description, a priority, blockers, an owner, metadata or a check."""
        return bool(self.uses.keys() & {"description", "priority", "blockedBy", "owner", "metadata", "check"})

    @cached_property
    def shapes(self) -> "dict[tuple[str, ...], Shape]":
        """The shapes of items that were met so far, by their keys: a cache of `shape.shape_of`."""
        return {}

    @cached_property
    def words(self) -> Mapping[Status, str]:
        """The word for each status, the first one if there are several."""
        first = {status: word for word, status in reversed(list(self.statuses.items()))}
        return {status: first.get(status, str(status)) for status in Status}

    def key(self, field: str) -> str:
        """What a field of ours is called in this form."""
        return self.names.get(field, field)
