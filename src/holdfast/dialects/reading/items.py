"""Reads the items of a list one by one: from what a model sent for a todo to a wish."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...plan import DetailsWish, Status, Wish
from ...plan.fault import Fault
from ...plan.rules import CEILING_ITEMS, Rules, bad_status, given_twice
from ...text import describe, is_encodable, is_plain
from .faults import missing, unknown_key, wrong_type
from .form import ABSENT, MAX_ID, REQUIRED, Form, Use
from .json_text import decode
from .shape import shape_of

MAX_FAULTS = 500
"""How many faults are collected from one payload: nobody needs 10,000 messages on 10,000 bad items."""

_MISSING: Any = object()

_new = tuple.__new__


class Reader:
    """Reads the items of one payload and keeps their faults."""

    __slots__ = ("defaulted", "faults", "form", "rules", "seen_ids")

    def __init__(self, form: Form, rules: Rules) -> None:
        self.form = form
        self.rules = rules
        self.faults: list[Fault] = []
        self.defaulted: list[int] = []
        self.seen_ids: set[str] = set()

    def wishes(self, items: Sequence[Any]) -> list[Wish]:
        """One wish per item, an empty one for an item that could not be read."""
        wishes: list[Wish] = []
        for item in items:
            wishes.append(self.wish(len(wishes), item))
        return wishes

    def wish(self, index: int, item: Any) -> Wish:
        """What one item asks for. Plain items are read by their shape, others field by field, with their faults."""
        form = self.form
        shape = shape_of(item, form) if type(item) is dict else None
        if shape is None:
            return self.item(index, item)
        wish: list[Any] = [None, None, None, None, None, None]
        trims = form.trims
        for place, key, blank_ok in shape.texts:
            text = item[key]
            if type(text) is not str or not (text.isascii() or is_encodable(text)) or not (blank_ok or text.strip()):
                return self.item(index, item)
            wish[place] = text.strip() if trims else text
        if shape.has_status:
            word = item["status"]
            if type(word) is not str or (status := form.statuses.get(word)) is None:
                return self.item(index, item)
            wish[2] = status
        elif not shape.has_id:
            wish[2] = form.default_status
            self.defaulted.append(index)
        if shape.detail_texts:
            details: list[Any] = [None, None, None, None, None, None, None, None]
            for place, key, blank_ok in shape.detail_texts:
                text = item[key]
                if type(text) is not str or not is_encodable(text) or not (blank_ok or text.strip()):
                    return self.item(index, item)
                details[place] = text.strip() if trims else text
            wish[5] = DetailsWish._make(details)
        if shape.has_id:
            id = wish[0]
            if (
                len(id) > form.longest_id
                or not (id.isascii() and id.isprintable())
                or id != id.strip()
                or id in self.seen_ids
            ):
                return self.item(index, item)
            self.seen_ids.add(id)
        return _new(Wish, wish)

    def item(self, index: int, item: object) -> Wish:
        """What one item asks for."""
        if not isinstance(item, Mapping):
            self.add(item if isinstance(item, Fault) else wrong_type(self.path(index), index, "", "an object", item))
            return Wish()
        form = self.form
        known = self.known(index, item)
        id = self.id(index, known) if form.id is not ABSENT else None
        partial = form.partial and "id" in known
        content = self.text(known, "content", index, blank_ok=form.blank_allowed, missing_ok=partial)
        status = self.status(index, known, partial)
        active_form = self.extra(known, "activeForm", index, form.active_form, partial)
        evidence = self.extra(known, "evidence", index, form.evidence, partial)
        details = self.details(known, index, partial) if form.has_details else None
        return Wish(id, content, status, active_form, evidence, details)

    def known(self, index: int, item: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """The item under the form's own keys; an unknown key is a fault, unless the form drops it."""
        own, aliases = self.form.own, self.form.aliases
        if not self.form.names and item.keys() <= own.keys():
            return item
        known = {own[key]: value for key, value in item.items() if key in own}
        for key in item:
            if key in own:
                continue
            if key in aliases:
                known.setdefault(aliases[key], item[key])
            elif not self.form.drops_unknown and not self.is_full:
                self.add(unknown_key(self.path(index), index, key, sorted(own)))
        return known

    def id(self, index: int, item: Mapping[Any, Any]) -> str | None:
        """The id of a todo, as text; None where the form ignores ids."""
        form = self.form
        if "id" not in item and form.id is not REQUIRED:
            return None
        value = item.get("id", _MISSING)
        if not (form.partial or form.keeps_ids):
            if not isinstance(value, str):
                self.add(wrong_type(self.path(index, "id"), index, "id", "text", value))
            return None
        text = self.text({} if value is _MISSING else {"id": _id_text(value)}, "id", index)
        if text is None:
            return None
        if len(text) > form.longest_id or not is_plain(text):
            expected = f"an id of at most {form.longest_id} plain characters"
            self.add(wrong_type(self.path(index, "id"), index, form.key("id"), expected, text))
            return None
        id = text.strip()
        if id in self.seen_ids and not form.partial:
            self.add(given_twice(self.path(index, "id"), index, form.key("id"), id))
        self.seen_ids.add(id)
        return id

    def details(self, item: Mapping[Any, Any], index: int, partial: bool) -> DetailsWish | None:
        """The details of an item, which only some forms have; None if it has no details."""
        form = self.form
        wish = DetailsWish(
            self.text(item, "description", index, True, partial or form.description is not REQUIRED)
            if form.description is not ABSENT
            else None,
            self.extra(item, "priority", index, form.priority, partial),
            self.ids(item, "blockedBy", index) if form.blocked_by is not ABSENT else None,
            self.extra(item, "owner", index, form.owner, partial),
            self.object(item, "metadata", index) if form.metadata is not ABSENT else None,
            self.extra(item, "check", index, form.check, partial),
        )
        return None if wish == DetailsWish() else wish

    def ids(self, item: Mapping[Any, Any], field: str, index: int) -> tuple[str, ...] | None:
        """The ids in a field, each of them once; None if there is no such field."""
        value = item.get(field, _MISSING)
        if value is _MISSING:
            return None
        ids = ids_in(value, self.path(index, field), index, self.form)
        for fault in ids:
            if isinstance(fault, Fault):
                self.add(fault)
        return tuple(dict.fromkeys(id for id in ids if isinstance(id, str)))

    def object(self, item: Mapping[Any, Any], field: str, index: int) -> str | None:
        """The object in a field, as compact JSON; None if there is no such field, or it cannot be kept."""
        value = item.get(field, _MISSING)
        if value is _MISSING:
            return None
        path, key = self.path(index, field), self.form.key(field)
        if not isinstance(value, Mapping):
            self.add(wrong_type(path, index, key, "an object", value))
            return None
        import json

        try:
            return json.dumps(dict(value), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError):
            self.add(wrong_type(path, index, key, "an object that JSON can hold", value))
            return None

    def extra(self, item: Mapping[Any, Any], field: str, index: int, use: Use, partial: bool) -> str | None:
        """The text in a field that not every form has. If it is not required, it may be blank, too."""
        if use is ABSENT:
            return None
        required = use is REQUIRED
        return self.text(item, field, index, blank_ok=not required, missing_ok=partial or not required)

    def text(
        self, item: Mapping[Any, Any], field: str, index: int | None, blank_ok: bool = False, missing_ok: bool = False
    ) -> str | None:
        """The text in a field, trimmed if the form says so; None if it is missing or wrong."""
        value = item.get(field, _MISSING)
        path = field if index is None else self.path(index, field)
        field = self.form.key(field)
        if value is _MISSING:
            if not missing_ok:
                self.add(missing(path, index, field))
            return None
        if not isinstance(value, str):
            self.add(wrong_type(path, index, field, "text", value))
            return None
        if not is_encodable(value):
            message = "not valid text: half of a surrogate pair"
            self.add(Fault(path, message, "type", index, field, "text", "a lone surrogate"))
            return None
        if not blank_ok and (not value or value.isspace()):
            self.add(Fault(path, "must not be blank", "blank", index, field, received=describe(value)))
            return None
        return value.strip() if self.form.trims else value

    def status(self, index: int, item: Mapping[Any, Any], partial: bool) -> Status | None:
        """The status that an item asks for, the form's default if it has no status."""
        path, default = self.path(index, "status"), self.form.default_status
        if "status" not in item:
            if partial:
                return None
            if default is None:
                self.add(missing(path, index, "status", limit=self.rules.statuses))
            self.defaulted.append(index)
            return default
        word = item["status"]
        if not isinstance(word, str):
            self.add(wrong_type(path, index, "status", "text", word))
            return None
        if self.form.any_case:
            word = word.lower()
        status = self.form.statuses.get(word)
        if status is None and word in self.rules.statuses:
            return Status(word)
        if status is None:
            self.add(bad_status(self.form.list_field, index, describe(item["status"]), self.rules.statuses))
        return status

    def path(self, index: int, field: str = "") -> str:
        """The place of an item or of one of its fields: `todos[2].status`."""
        place = f"{self.form.list_field}[{index}]"
        return f"{place}.{self.form.key(field)}" if field else place

    def add(self, fault: Fault) -> None:
        """Keep a fault, unless there are too many already."""
        if not self.is_full:
            self.faults.append(fault)

    @property
    def is_full(self) -> bool:
        """Whether there are so many faults that more would not help."""
        return len(self.faults) >= MAX_FAULTS


def id_in(value: object, path: str, index: int | None, form: Form) -> str | Fault:
    """A value as an id, or the fault that it is not an id."""
    id = value if type(value) is str else _id_text(value)
    if isinstance(id, str) and id.strip() and len(id) <= form.longest_id and is_plain(id):
        return id.strip()
    return wrong_type(path, index, path.rpartition(".")[2], "an id", value)


def ids_in(value: object, path: str, index: int | None, form: Form) -> list[str | Fault]:
    """The ids in a list, with a fault in place of each value that is not an id."""
    values = decode(value) if isinstance(value, str) else value
    if not isinstance(values, (list, tuple)) or isinstance(values, Fault):
        return [wrong_type(path, index, path.rpartition(".")[2], "a list of ids", value)]
    return [id_in(each, f"{path}[{place}]", index, form) for place, each in enumerate(values[:CEILING_ITEMS])]


def _id_text(value: object) -> object:
    """An id as the text that it should be, where a number was sent; anything else as it came."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**MAX_ID else value
    return value
