"""From any payload to a draft: the one reader of every dialect that sends a list of todos.

A dialect says in a `Form` what its payload looks like. The reader never raises: what does not fit becomes a fault
with its place, and all of them are told.
"""

import json
from collections import Counter
from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from ..plan import Draft, Status, Wish
from ..rules import CEILING_ITEMS, Fault, Rules, bad_status, too_many
from ..text import describe, one_line

MAX_FAULTS = 500
"""How many faults are collected from one payload: a list of 10,000 bad items is not worth 10,000 messages."""

MAX_ID = 64
MAX_DIGITS = 1000

_MISSING: Any = object()


class Use(Enum):
    """Whether a field belongs to a form."""

    ABSENT = 0
    OPTIONAL = 1
    REQUIRED = 2


class _Fields(NamedTuple):
    """What a form is made of.

    `statuses` holds every word for a status, beside those that the rules add; `default_status` stands where there is
    none, and if it is none too, the status is required. `aliases` are other names for an item's keys. With `partial`,
    an id names a todo, and an item with one may leave out everything else; without it, ids are taken and ignored.
    `bare_list` takes a list where the object around it is missing.
    """

    statuses: Mapping[str, Status]
    list_field: str = "todos"
    default_status: Status | None = None
    id: Use = Use.ABSENT
    active_form: Use = Use.ABSENT
    evidence: Use = Use.ABSENT
    summary: Use = Use.ABSENT
    aliases: Mapping[str, str] = {}
    partial: bool = False
    any_case: bool = False
    blank_allowed: bool = False
    drops_unknown: bool = False
    trims: bool = False
    bare_list: bool = False


class Form(_Fields):
    """What a dialect's payload looks like."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys that an item may have."""
        optional = {"id": self.id, "activeForm": self.active_form, "evidence": self.evidence}
        return frozenset({"content", "status"} | {key for key, use in optional.items() if use is not Use.ABSENT})


def read(payload: object, form: Form, rules: Rules) -> tuple[Draft, list[Fault]]:
    """The draft in a payload, and every fault of its shape. With a fault the draft is as far as it could be read."""
    body: Any = payload if type(payload) is dict else _body(payload, form)
    if isinstance(body, Fault):
        return Draft(), [body]
    reader = _Reader(form, rules)
    summary = None
    if form.summary is Use.REQUIRED or (form.summary is Use.OPTIONAL and "summary" in body):
        summary = reader.text(body, "summary", None, blank_ok=form.summary is Use.OPTIONAL)
    items = body.get(form.list_field, _MISSING)
    if type(items) is str:
        items = decode(items)
    if not isinstance(items, (list, tuple)) or isinstance(items, Fault):
        return Draft((), summary), [*reader.faults, _not_a_list(form.list_field, items)]
    if len(items) > CEILING_ITEMS:
        limit = min(rules.max_items, CEILING_ITEMS)
        return Draft((), summary), [*reader.faults, too_many(form.list_field, len(items), limit)]
    wishes = reader.wishes(items)
    if reader.by_id:
        for index in reader.defaulted:  # an update leaves alone what it does not name
            wishes[index] = wishes[index]._replace(status=None)
    return Draft(wishes, summary, reader.by_id), reader.faults


def _body(payload: object, form: Form) -> Any:
    """The object that a payload is, or holds as text; else the fault that it is none."""
    body = decode(payload) if isinstance(payload, (str, bytes, bytearray)) else payload
    if form.bare_list and isinstance(body, list):
        return {form.list_field: body}
    if isinstance(body, (Mapping, Fault)):
        return body
    return wrong_type("", None, "", "an object", body)


def decode(text: str | bytes | bytearray) -> Any:
    """The value in a JSON text, or the fault that it holds none."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_whole_number)
    except RecursionError:
        return Fault("", "the JSON is nested too deeply", "not_json", received="deep nesting")
    except _DuplicateKey as error:
        return Fault("", f"the key {error} is given twice", "duplicate_key", received=str(error))
    except ValueError as error:
        return Fault("", f"not valid JSON: {one_line(str(error))}", "not_json", received=describe(text[:40]))


def wrong_type(path: str, index: int | None, field: str, expected: str, value: object) -> Fault:
    """A value is not of the type that belongs there."""
    received = describe(value)
    return Fault(path, f"expected {expected}, received {received}", "type", index, field, expected, received)


class _Reader:
    """Reads the items of one payload and keeps their faults."""

    def __init__(self, form: Form, rules: Rules) -> None:
        self.form = form
        self.allowed = rules.statuses
        self.faults: list[Fault] = []
        self.defaulted: list[int] = []
        self.by_id = False

    def wishes(self, items: list[Any] | tuple[Any, ...]) -> list[Wish]:
        """One wish an item, an empty one where the item could not be read."""
        form = self.form
        statuses = form.statuses
        with_active_form = form.active_form is Use.REQUIRED
        plain_keys = 0 if form.trims else 3 if with_active_form else 2
        active_form: Any = None
        new = tuple.__new__
        wishes = []
        for index, item in enumerate(items):
            # Nine writes in ten hold nothing but plain items. They are told apart here, at a third of the cost;
            # `item()` reads them just the same.
            if type(item) is dict and len(item) == plain_keys:
                try:
                    content, status = item["content"], statuses[item["status"]]
                    plain = type(content) is str and content.isascii() and content.strip()
                    if with_active_form:
                        active_form = item["activeForm"]
                        plain = plain and type(active_form) is str and active_form.isascii() and active_form.strip()
                except (KeyError, TypeError):
                    plain = False
                if plain:
                    wishes.append(new(Wish, (None, content, status, active_form, None, None)))
                    continue
            wishes.append(self.item(index, item))
        return wishes

    def item(self, index: int, item: object) -> Wish:
        """What one item asks for."""
        if not isinstance(item, Mapping):
            self.add(wrong_type(self.path(index), index, "", "an object", item))
            return Wish()
        form = self.form
        known = self.known(index, item)
        id = self.id(index, known) if form.id is not Use.ABSENT else None
        partial = form.partial and "id" in known
        content = self.text(known, "content", index, blank_ok=form.blank_allowed, missing_ok=partial)
        status = self.status(index, known, partial)
        active_form = self.extra(known, "activeForm", index, form.active_form, partial)
        evidence = self.extra(known, "evidence", index, form.evidence, partial)
        return Wish(id, content, status, active_form, evidence)

    def known(self, index: int, item: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """The item under the form's own keys; a key that has no place in it is a fault, unless the form drops it."""
        keys, aliases = self.form.keys, self.form.aliases
        if item.keys() <= keys:
            return item
        known = {key: value for key, value in item.items() if key in keys}
        for key in item:
            if key in keys:
                continue
            if key in aliases:
                known.setdefault(aliases[key], item[key])
            elif not self.form.drops_unknown and not self.is_full:
                self.add(_unknown_key(self.path(index), index, key, sorted(keys)))
        return known

    def id(self, index: int, item: Mapping[Any, Any]) -> str | None:
        """The id that names a todo, as text; none where the form ignores ids."""
        if "id" not in item:
            return None
        value = item["id"]
        if not self.form.partial:
            if not isinstance(value, str):
                self.add(wrong_type(self.path(index, "id"), index, "id", "text", value))
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value) if abs(value) < 10**MAX_ID else "9" * (MAX_ID + 1)
        text = self.text({"id": value}, "id", index)
        if text is None:
            return None
        if len(text) > MAX_ID or not text.isprintable():
            path = self.path(index, "id")
            self.add(wrong_type(path, index, "id", f"an id of at most {MAX_ID} plain characters", text))
            return None
        self.by_id = True
        return text.strip()

    def extra(self, item: Mapping[Any, Any], field: str, index: int, use: Use, partial: bool) -> str | None:
        """The text in a field that not every form has. Where none is asked for, it may be blank too."""
        if use is Use.ABSENT:
            return None
        asked = use is Use.REQUIRED
        return self.text(item, field, index, blank_ok=not asked, missing_ok=partial or not asked)

    def text(
        self, item: Mapping[Any, Any], field: str, index: int | None, blank_ok: bool = False, missing_ok: bool = False
    ) -> str | None:
        """The text in a field, trimmed if the form says so; none if it is not there or not right."""
        value = item.get(field, _MISSING)
        path = field if index is None else self.path(index, field)
        if value is _MISSING:
            if not missing_ok:
                self.add(Fault(path, "required", "missing", index, field, received="nothing"))
            return None
        if not isinstance(value, str):
            self.add(wrong_type(path, index, field, "text", value))
            return None
        if not _is_encodable(value):
            message = "not valid text: half of a surrogate pair"
            self.add(Fault(path, message, "type", index, field, "text", "a lone surrogate"))
            return None
        if not blank_ok and (not value or value.isspace()):
            self.add(Fault(path, "must not be blank", "blank", index, field, received=describe(value)))
            return None
        return value.strip() if self.form.trims else value

    def status(self, index: int, item: Mapping[Any, Any], partial: bool) -> Status | None:
        """The status that an item asks for, the form's own where it has none."""
        path, default = self.path(index, "status"), self.form.default_status
        if "status" not in item:
            if partial:
                return None
            if default is None:
                self.add(Fault(path, "required", "missing", index, "status", self.allowed, "nothing"))
            self.defaulted.append(index)
            return default
        word = item["status"]
        if not isinstance(word, str):
            self.add(wrong_type(path, index, "status", "text", word))
            return None
        if self.form.any_case:
            word = word.lower()
        status = self.form.statuses.get(word)
        if status is None and word in self.allowed:
            return Status(word)
        if status is None:
            self.add(bad_status(self.form.list_field, index, describe(item["status"]), self.allowed))
        return status

    def path(self, index: int, field: str = "") -> str:
        """Where a thing stands: `todos[2].status`."""
        place = f"{self.form.list_field}[{index}]"
        return f"{place}.{field}" if field else place

    def add(self, fault: Fault) -> None:
        """Keep a fault, up to a number that anybody could read."""
        if not self.is_full:
            self.faults.append(fault)

    @property
    def is_full(self) -> bool:
        """Whether there are so many faults that more would help nobody."""
        return len(self.faults) >= MAX_FAULTS


class _DuplicateKey(Exception):
    """A JSON object names a key twice: which value counts is anybody's guess."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _DuplicateKey(describe(next(key for key in times if times[key] > 1)))
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _is_encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _not_a_list(list_field: str, value: object) -> Fault:
    if value is _MISSING:
        message = f"required: the list of todos ({list_field}: [] clears the plan)"
        return Fault(list_field, message, "missing", field=list_field, received="nothing")
    if isinstance(value, Fault):
        return value._replace(path=list_field, field=list_field)
    return wrong_type(list_field, None, list_field, "a list", value)


def _unknown_key(path: str, index: int, key: object, keys: list[str]) -> Fault:
    name = describe(key)
    return Fault(path, f"unknown key {name}; an item has {', '.join(keys)}", "unknown_key", index, name, keys, name)
