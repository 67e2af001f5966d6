"""What the laws are proven on: Hypothesis strategies for plans, writes, JSON values, and payloads from a schema."""

import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from holdfast import Plan, Status, dialects
from holdfast.dialects import Dialect
from holdfast.plan import PRIORITIES, DetailsWish, Draft, Wish
from holdfast.plan.transitions import merge, replace

statuses = st.sampled_from(Status)

few_texts = st.sampled_from(["A", "B", "C", " A", "a\nb", "字", "\x1b[31mred"])
"""So few that lists repeat each other, and themselves."""

hostile_texts = st.text(
    st.sampled_from("\n\r\t\v\f\0\x1b\x7f\x85\u2028\u2029\u202e\u200d\ufeff<>&*`|-[]x字é👩")
    | st.characters(codec="utf-8"),
    min_size=1,
    max_size=12,
)
"""Line breaks, control characters, marks that turn text around, wide and joined characters, and anything else."""


def obeyed(text: str) -> set[str]:
    """What a terminal or a reader of lines would obey in a text: controls, breaks, turned directions, halves."""
    turns = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return {char for char in text if char in turns or unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs")}


_maybe_text = st.none() | few_texts
_maybe_status = st.none() | statuses
_maybe_details = st.none() | st.builds(
    DetailsWish,
    description=_maybe_text,
    priority=st.none() | st.sampled_from(["", *PRIORITIES]),
    blocked_by=st.none() | st.lists(st.sampled_from("123"), unique=True, max_size=2).map(tuple),
    owner=_maybe_text,
    metadata=st.none() | st.sampled_from(["", '{"k":1}']),
)
_finals = st.sampled_from([Status.COMPLETED, Status.CANCELLED])
_whole = st.lists(st.tuples(few_texts, statuses, _maybe_text).map(lambda drawn: Wish(None, *drawn)), max_size=6)
_news = st.lists(st.tuples(few_texts, _maybe_status).map(lambda drawn: Wish(None, *drawn)), max_size=3)
_changes = st.tuples(_maybe_text, _maybe_status, _maybe_text, _maybe_text, _maybe_details)

whole_lists = st.tuples(_whole, _maybe_text).map(lambda drawn: Draft(*drawn))
"""Writes of the whole list, with no ids."""


@st.composite
def updates(draw: st.DrawFn, plan: Plan, news: bool = True) -> Draft:
    """A write by id of some of a plan's todos, with new ones between them if there may be news."""
    known = draw(st.lists(st.sampled_from(plan.todos), unique_by=lambda todo: todo.id)) if plan.todos else []
    wishes = [Wish(todo.id, *draw(_changes)) for todo in known]
    return Draft(draw(st.permutations(wishes + draw(_news) if news else wishes)), None, merge=True)


@st.composite
def plans(draw: st.DrawFn, most_writes: int = 3) -> Plan:
    """A plan as it can come to be: some writes, of whole lists and by id, one after the other."""
    plan = Plan()
    for now in range(draw(st.integers(0, most_writes))):
        by_id = bool(plan.todos) and draw(st.booleans())
        plan = merge(plan, draw(updates(plan)), now) if by_id else replace(plan, draw(whole_lists), now)
    return plan


@st.composite
def finished_plans(draw: st.DrawFn) -> Plan:
    """A plan with todos, every one of them done."""
    plan = replace(draw(plans(2)), Draft([*draw(_news), Wish(content="last")]), 10)
    return merge(plan, Draft([Wish(todo.id, status=draw(_finals)) for todo in plan.open], merge=True), 11)


json_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["pending", "in_progress", "completed", "", " ", "\ud800", "\n"])
)

json_keys = st.sampled_from(["todos", "items", "summary", "content", "status", "activeForm", "id", "x"]) | st.text(
    max_size=4
)

json_values: st.SearchStrategy[Any] = st.recursive(
    json_leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(json_keys, inner, max_size=4),
    max_leaves=12,
)
"""Anything that JSON can hold, with the words of the tool in it more often than chance would have them."""


LISTS = tuple(
    name
    for name in dialects.names()
    if dialects.get(name).schema["properties"].get(dialects.get(name).form.list_field, {}).get("type") == "array"
)
"""The dialects whose call is a list of items: all but one that takes a text, and one that takes a task a call."""


def call(dialect: Dialect, *todos: tuple[str, str]) -> dict[str, Any]:
    """A write of these contents and statuses, with all that the dialect's schema asks for beside them."""
    form, contents = dialect.form, [content for content, _ in todos]
    listed = [
        _item(dialect, content, status, contents[:place].count(content))
        for place, (content, status) in enumerate(todos)
    ]
    around = {"summary": "The goal"} if "summary" in dialect.schema.get("required", ()) else {}
    return {**around, form.list_field: listed}


def _item(dialect: Dialect, content: str, word: str, times: int) -> dict[str, str]:
    form = dialect.form
    status = form.words[Status(word)] if word in dialect.rules.statuses else word
    fields = {"content": content, "status": status, "activeForm": f"{content} now", "priority": "medium"}
    asked = dialect.schema["properties"][form.list_field]["items"]
    item = {form.key(field): value for field, value in fields.items() if form.key(field) in asked["properties"]}
    id = {"id": f"{zlib.crc32(content.encode(errors='replace'))}-{times}"} if "id" in asked.get("required", ()) else {}
    return {**id, **item}


def from_schema(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a JSON Schema allows, for the words that the tools' schemas are made of."""
    match schema:
        case {"enum": words}:
            return st.sampled_from(words)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "string"}:
            least, most = schema.get("minLength", 0), schema.get("maxLength", 500)
            return few_texts | st.text(min_size=least, max_size=min(most, 12)) | st.just("x" * most)
        case {"type": "array", "items": items}:
            each, most = from_schema(items), schema.get("maxItems", 60)
            return st.lists(each, max_size=min(most, 4)) | each.map(lambda item: [item] * most)
        case {"type": "object", "properties": properties}:
            return _objects(properties, schema.get("required", ()), schema.get("additionalProperties") is False)
    raise NotImplementedError(f"no strategy for {schema}")


def _objects(
    properties: Mapping[str, Mapping[str, Any]], required: Sequence[str], closed: bool
) -> st.SearchStrategy[dict[str, Any]]:
    parts = {key: from_schema(schema) for key, schema in properties.items()}
    asked = {key: part for key, part in parts.items() if key in required}
    given = st.fixed_dictionaries(asked, optional={key: part for key, part in parts.items() if key not in required})
    others = st.just({}) if closed else st.dictionaries(st.just("unheard of"), json_leaves)
    return st.builds(lambda other, own: other | own, others, given)
