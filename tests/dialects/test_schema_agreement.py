"""The schema that a model sees and the check that runs never disagree, proven from the schema itself.

Payloads are made from the schema: what it allows is accepted, unless it breaks a rule that no schema can say; what
breaks one of its constraints is refused, unless it is one of the leniencies listed here.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import LISTS, call, from_schema

from holdfast import Board, Rules, Status, dialects
from holdfast.dialects import Dialect, DialectName
from holdfast.dialects.reading.form import Use

HOSTS = {
    "its own rules": Rules(),
    "tight rules": Rules(max_items=3, max_content=8, max_in_progress=2),
    "every status": Rules(statuses=tuple(Status)),
    "two statuses": Rules(statuses=(Status.PENDING, Status.COMPLETED)),
    "evidence": Rules(evidence="optional"),
}

every_schema = pytest.mark.parametrize(
    "dialect",
    [dialects.get(name).with_rules(rules) for name in LISTS for rules in HOSTS.values()],
    ids=[f"{name} under {host}" for name in LISTS for host in HOSTS],
)

payloads = cache(lambda dialect: from_schema(dialect.schema).map(lambda payload: tamed(dialect, payload)))
"""Payloads that a dialect's schema allows, as a strategy that is made once."""


def tamed(dialect: Dialect, payload: dict[str, Any]) -> dict[str, Any]:
    """A payload with ids of its own, and no todo that waits for another: which those may be, no schema can say."""
    form, drawn = dialect.form, payload
    if form.absent_reads:
        drawn = {key: value for key, value in payload.items() if key == form.list_field}
    if not form.keeps_ids or form.list_field not in payload:
        return drawn
    items = [{key: value for key, value in item.items() if key != "blockedBy"} for item in drawn[form.list_field]]
    named = [{**item, **({"id": f"id {index}"} if "id" in item else {})} for index, item in enumerate(items)]
    return {**drawn, form.list_field: named}


def is_valid(dialect: Dialect, payload: Any) -> bool:
    """Whether the schema allows a payload, in the words of somebody else's validator."""
    return bool(Draft202012Validator(dialect.schema).is_valid(payload))


def items_of(dialect: Dialect, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items of a payload that the schema allows."""
    items: list[dict[str, Any]] = payload.get(dialect.form.list_field, [])
    return items


def unsayable(dialect: Dialect, payload: Mapping[str, Any], known: int = 0) -> list[str]:
    """The rules that a payload breaks though its schema is kept, on a plan of so many pending todos."""
    items, form = items_of(dialect, payload), dialect.form
    broken = []
    if sum(item.get("status") == "in_progress" for item in items) > dialect.rules.max_in_progress:
        broken.append("only so many in progress")
    if form.summary is Use.REQUIRED and not payload["summary"].strip():
        broken.append("a summary says something")
    content = form.key("content")
    if not form.blank_allowed and any(not item.get(content, "x").strip() for item in items):
        broken.append("a content says something")
    if form.active_form is Use.REQUIRED and any(not item["activeForm"].strip() for item in items):
        broken.append("an active form says something")
    if any(content not in item and not (form.partial and "id" in item) for item in items):
        broken.append("without an id there must be a content")
    if known and known + sum("id" not in item for item in items) > dialect.rules.max_items:
        broken.append("the whole plan is within its limit")
    return broken


@every_schema
class TestWhatTheSchemaAllows:
    @settings(max_examples=30)
    @given(data=st.data())
    def test_is_accepted(self, dialect: Dialect, data: st.DataObject) -> None:
        """Every payload that the schema allows is accepted, unless it breaks a rule that no schema can say."""
        payload = data.draw(payloads(dialect))
        assert is_valid(dialect, payload)
        if dialect.form.partial:
            for item in items_of(dialect, payload):
                item.pop("id", None)
        reply = Board(dialect=dialect).write(payload)
        assert reply.ok == (not unsayable(dialect, payload)), reply.text

    def test_holds_every_status_and_every_length(self, dialect: Dialect) -> None:
        """Each status of the schema, and a text of exactly the longest length, is accepted one by one."""
        properties = dialect.schema["properties"][dialect.form.list_field]["items"]["properties"]
        for status in properties["status"]["enum"]:
            assert Board(dialect=dialect).write(call(dialect, ("A", status))).ok
        longest = properties[dialect.form.key("content")].get("maxLength", 10_000)
        payload = call(dialect, ("x" * longest, "pending"))
        for item in items_of(dialect, payload):
            item.update({"activeForm": "y" * longest} if "activeForm" in item else {})
        assert is_valid(dialect, payload) and Board(dialect=dialect).write(payload).ok


@settings(max_examples=30)
@given(data=st.data())
@pytest.mark.parametrize("host", HOSTS)
def test_what_the_schema_allows_is_accepted_by_id_too(host: str, data: st.DataObject) -> None:
    """In the default dialect the same holds for updates with ids of the plan; which those are, no schema can say."""
    dialect = dialects.get("holdfast").with_rules(HOSTS[host])
    board = Board(dialect=dialect)
    assert board.write(call(dialect, ("A todo", "pending"), ("Another", "pending"))).ok
    payload = data.draw(payloads(dialect))
    first, second, *rest = [*items_of(dialect, payload), {"id": "1"}, {"id": "2"}]
    new = [{key: item[key] for key in item if key != "id"} for item in rest[:1]]
    payload["todos"] = [{**first, "id": "1"}, {**second, "id": "2"}, *new]
    assert is_valid(dialect, payload)
    reply = board.write(payload)
    assert reply.ok == (not unsayable(dialect, payload, known=2)), reply.text


class Breach(NamedTuple):
    """One constraint of a schema, broken: which, where, and by what value at that place."""

    constraint: str
    path: tuple[Any, ...]
    value: Any


WRONG: dict[str, list[Any]] = {
    "object": [None, 7, True, "text", []],
    "array": [None, 7, True, "text", {}],
    "string": [None, 7, True, [], {}],
    "boolean": [None, 7, "true", [], {}],
}


def breaches(schema: Mapping[str, Any], value: Any, path: tuple[Any, ...] = ()) -> Iterator[Breach]:
    """Every way to break one constraint of a schema in a value that keeps them all."""
    kind = schema["type"]
    yield from (Breach("type", path, wrong) for wrong in WRONG[kind])
    if kind == "object":
        for key in schema.get("required", ()):
            yield Breach("required", path, {other: value[other] for other in value if other != key})
        if schema.get("additionalProperties") is False:
            yield Breach("additionalProperties", path, {**value, "surplus": "x"})
        for key in schema["properties"].keys() & value.keys():
            yield from breaches(schema["properties"][key], value[key], (*path, key))
    elif kind == "array":
        if "maxItems" in schema and value:
            yield Breach("maxItems", path, (value * (schema["maxItems"] + 1))[: schema["maxItems"] + 1])
        for index, item in enumerate(value[:3]):
            yield from breaches(schema["items"], item, (*path, index))
    elif kind == "string":
        yield from text_breaches(schema, path)


def text_breaches(schema: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[Breach]:
    """Every way to break a constraint of a text."""
    if "enum" in schema:
        yield from (Breach("enum", path, word) for word in ("", "nonsense", "pending!"))
    if "minLength" in schema:
        yield Breach("minLength", path, "x" * (schema["minLength"] - 1))
    if "maxLength" in schema:
        yield Breach("maxLength", path, "x" * (schema["maxLength"] + 1))


def broken(value: Any, breach: Breach, path: tuple[Any, ...] | None = None) -> Any:
    """A copy of a payload with one constraint broken."""
    path = breach.path if path is None else path
    if not path:
        return breach.value
    copied = value.copy()
    copied[path[0]] = broken(value[path[0]], breach, path[1:])
    return copied


def is_lenient(dialect: Dialect, breach: Breach) -> bool:
    """The breaches that are taken: a bare list by the default dialect, a number for an id, null for no list."""
    form = dialect.form
    if breach.constraint != "type":
        return False
    is_bare = breach.path == () and breach.value == [] and form.bare_list
    is_number = breach.path[-1:] == ("id",) and breach.value == 7 and (form.partial or form.keeps_ids)
    is_absent = breach.path == (form.list_field,) and breach.value is None and form.absent_reads
    return is_bare or is_number or is_absent


@every_schema
class TestWhatTheSchemaForbids:
    @settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
    @given(data=st.data())
    def test_is_refused(self, dialect: Dialect, data: st.DataObject) -> None:
        """A payload that breaks one constraint of its schema is refused, unless that is a leniency."""
        payload = data.draw(payloads(dialect))
        assume(Board(dialect=dialect).write(payload).ok)
        found = list(breaches(dialect.schema, payload))
        breach = found[data.draw(st.integers(0, len(found) - 1))]
        near_miss = broken(payload, breach)
        assert not is_valid(dialect, near_miss)
        assert Board(dialect=dialect).write(near_miss).ok == is_lenient(dialect, breach)

    def test_is_refused_wherever_it_stands(self, dialect: Dialect) -> None:
        """Every single constraint of the schema, broken in a plain call, is refused; not one is only decoration."""
        payload = call(dialect, ("A", "pending"), ("B", "completed"))
        found = list(breaches(dialect.schema, payload))
        for breach in found:
            near_miss = broken(payload, breach)
            assert not is_valid(dialect, near_miss), breach
            assert Board(dialect=dialect).write(near_miss).ok == is_lenient(dialect, breach), breach
        assert {breach.constraint for breach in found} == constraints(dialect.schema)


def constraints(schema: Mapping[str, Any]) -> set[str]:
    """The words of a schema that constrain."""
    own = {key for key in schema if key not in ("description", "properties", "items") and schema[key] != []}
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return own.union(*(constraints(part) for part in inner))


A = [("A", "pending")]


def with_list_as_text(dialect: Dialect) -> dict[str, Any]:
    """A call whose list is a JSON text."""
    payload = call(dialect, *A)
    return {**payload, dialect.form.list_field: json.dumps(items_of(dialect, payload))}


LENIENCIES: dict[str, tuple[str, Any, list[tuple[str, str]]]] = {
    "mini: a status in any letter case": (
        "mini",
        {"items": [{"content": "A", "activeForm": "A", "status": "PENDING"}]},
        A,
    ),
    "envelope: blanks around a text do not count": (
        "envelope",
        {"summary": "S", "todos": [{"content": " " * 60 + "A", "status": "pending"}]},
        A,
    ),
    "claude-code: active_form": (
        "claude-code",
        {"todos": [{"content": "A", "status": "pending", "active_form": "A-ing"}]},
        A,
    ),
    "kimi: completed for done": ("kimi", {"todos": [{"title": "A", "status": "completed"}]}, [("A", "completed")]),
    "qwen: a number for an id": ("qwen", {"todos": [{"id": 1, "content": "A", "status": "pending"}]}, A),
    "holdfast: a status in any letter case": ("holdfast", {"todos": [{"content": "A", "status": "Pending"}]}, A),
    "holdfast: a slip of a status": (
        "holdfast",
        {"todos": [{"content": "A", "status": "done"}]},
        [("A", "completed")],
    ),
    "holdfast: activeForm": ("holdfast", {"todos": [{"content": "A", "activeForm": "A-ing"}]}, A),
    "holdfast: active_form": ("holdfast", {"todos": [{"content": "A", "active_form": "A-ing"}]}, A),
    "holdfast: a number for an id": ("holdfast", {"todos": [{"id": 1, "content": "A"}]}, A),
    "holdfast: the bare list": ("holdfast", [{"content": "A"}], A),
    **{f"{name}: the payload as JSON text": (name, json.dumps(call(dialects.get(name), *A)), A) for name in LISTS},
    **{f"{name}: the list as JSON text": (name, with_list_as_text(dialects.get(name)), A) for name in LISTS},
}


@pytest.mark.parametrize(("name", "payload", "todos"), LENIENCIES.values(), ids=LENIENCIES)
def test_what_is_taken_beyond_the_schema(name: DialectName, payload: object, todos: list[tuple[str, str]]) -> None:
    """Where models slip and the meaning is plain, a payload is taken that its schema forbids: these, and no more."""
    board = Board(dialect=name)
    assert not is_valid(board.dialect, payload)
    assert board.write(payload).ok
    assert [(todo.content, str(todo.status)) for todo in board.plan.todos] == todos
