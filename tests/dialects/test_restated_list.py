"""Items that restate todos lead where reading, checking and applying them leads, whatever fields they have."""

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Board, Change, Plan, Rules, Status, Todo, dialects
from holdfast.dialects import DialectName
from holdfast.dialects.dialect import Dialect
from holdfast.dialects.names import NAMES
from holdfast.dialects.reading import tasks
from holdfast.dialects.reading.form import Use
from holdfast.dialects.reading.shape import shape_of
from holdfast.plan import Details, Edit, Proof
from holdfast.plan.rules import CEILING_TEXT
from holdfast.plan.step import Written

LISTS: tuple[DialectName, ...] = tuple(name for name in NAMES if name != "claude-tasks")
"""The dialects that send a whole list; `claude-tasks` sends one task a call."""


@pytest.fixture(autouse=True)
def forget_shapes() -> None:
    """Which keys go together is worked out anew: a form remembers what it has met in other tests."""
    for name in NAMES:
        dialects.get(name).form.shapes.clear()
    tasks.UPDATED.shapes.clear()


TEXTS = st.sampled_from(["A", "B", "B", "C é", " ", " D", "x" * 30])
WORDS = st.sampled_from(
    [*(str(status) for status in Status), "in_progress", "completed", "pending", "done", "DONE", "?"]
)
WORDS_OF_TASKS = ("pending", "in_progress", "in_progress", "completed", "completed")
ITEMS = st.fixed_dictionaries(
    {"content": TEXTS, "status": WORDS},
    optional={
        "activeForm": st.sampled_from(["Doing it", "Doing B", "", " "]),
        "evidence": st.sampled_from(["", "seen"]),
        "priority": st.sampled_from(["high", "low", "urgent"]),
        "blockedBy": st.sampled_from([[], ["1"], ["9"]]),
        "id": st.sampled_from(["1", "2", "t3", 4, ""]),
        "more": st.just("of it"),
    },
)
WRITES = st.lists(st.tuples(st.lists(ITEMS, max_size=4), WORDS, st.booleans()), min_size=2, max_size=5)
"""Lists, each followed by the plan restated with one status changed, in the shape that the dialect has for it."""

RULES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "max_items": st.sampled_from([2, 50]),
        "max_content": st.sampled_from([20, 200]),
        "max_in_progress": st.sampled_from([1, 2]),
        "evidence": st.sampled_from(["none", "optional", "required"]),
        "work_before_done": st.booleans(),
        "keep_open": st.booleans(),
        "repair": st.booleans(),
        "checks": st.booleans(),
        "point_out": st.booleans(),
    },
)
"""The rules of a board, by name."""


def spoken(items: list[dict[str, Any]], dialect: Dialect) -> dict[str, Any]:
    """A call with these items, under the keys of a dialect. Most have the fields that it needs; some have others."""
    form = dialect.form
    if form.parse is not None:
        boxes = {"completed": "[x]", "in_progress": "[-]", "pending": "[ ]"}
        return {"todos": "\n".join(f"{boxes.get(item['status'], '[?]')} {item['content']}" for item in items)}
    known = {"content", "status", "more", *form.uses}
    keyed = [{form.key(key): value for key, value in item.items() if key in known} for item in items]
    return {**({"summary": "Why"} if dialect.name == "envelope" else {}), form.list_field: keyed}


def restating(board: Board, word: str, reworded: bool) -> dict[str, Any]:
    """The plan as the dialect itself would send it, with another status for its first open todo."""
    payload: dict[str, Any] = json.loads(json.dumps(board.dialect.payload(board.plan)))
    items = payload[board.dialect.form.list_field]
    if isinstance(items, list) and items:
        place = next((place for place, todo in enumerate(board.plan.todos) if todo.is_open), 0)
        items[place]["status"] = word
        if reworded:
            items[place][board.dialect.form.key("content")] = "Reworded"
    return payload


class Pair(NamedTuple):
    """Two boards that get the same calls: as mappings, which may be compared, and as texts, which never are."""

    compared: Board
    read: Board

    def write(self, payload: dict[str, Any], tool: str | None = None) -> None:
        """Both answer alike, and have the same plan after it. The same call again is the same text again."""
        text = json.dumps(payload, sort_keys=True)
        assert self.compared.write(json.loads(text), tool) == self.read.write(text, tool)
        assert self.compared.plan == self.read.plan


@settings(max_examples=600, deadline=None)
@given(WRITES, RULES, st.sampled_from(LISTS), st.booleans(), st.booleans())
def test_both_ways_give_the_same_reply_and_the_same_plan(
    writes: list[tuple[list[dict[str, Any]], str, bool]],
    rules: dict[str, Any],
    name: DialectName,
    edits: bool,
    works: bool,
) -> None:
    """A list may be compared with the plan; as a text it is read item by item; replies, plans and history are equal."""
    pair = Pair(*(Board(dialect=name, rules=Rules(**rules), clock=lambda: 1.0) for _ in range(2)))
    for items, word, is_reworded in writes:
        pair.write(spoken(items, pair.read.dialect))
        for board in pair:
            if works:
                board.record_tool_use("bash", {"command": word})
            if edits and board.plan.todos:
                board.edit(board.plan.todos[-1].id, status="cancelled")
        pair.write(restating(pair.read, word, is_reworded))
        pair.write(restating(pair.read, "completed", reworded=False))
        for board in pair:
            board.store.commit(board.key, Change(board.plan, grown(board.plan), "host", "update"))
        pair.write(restating(pair.read, word, is_reworded))
    assert [record.change for record in pair.compared.history()] == [record.change for record in pair.read.history()]


FIRST = {"todos": [{"content": text, "status": "pending", "activeForm": "Doing it"} for text in ("A", "B", "C", "D")]}
NAMED = st.fixed_dictionaries(
    {"id": st.sampled_from([*"1122334455", "x", " 1", "0"]), "status": WORDS},
    optional={
        "content": st.sampled_from("ABCD"),
        "activeForm": st.sampled_from(["Doing it", "Doing B"]),
        "evidence": st.sampled_from(["", "seen"]),
    },
)
HAPPENINGS = st.sampled_from(["", "", "", "works", "removes", "moves", "adds", "cancels"])
UPDATES = st.lists(st.tuples(HAPPENINGS, st.lists(NAMED, min_size=1, max_size=3)), min_size=1, max_size=6)
"""Updates by id, each after something that may have happened to the plan meanwhile."""


def happen(board: Board, what: str) -> None:
    """Something happens to a board's plan, and the model is told, so that its next call may be compared again."""
    last = board.plan.todos[-1].id if board.plan.todos else "1"
    if what == "works":
        board.record_tool_use("bash", {"command": "make"})
    elif what == "removes":
        board.remove(last)
    elif what == "moves":
        board.move(last, 0)
    elif what == "adds":
        board.add("E", position=1)
    elif what == "cancels":
        board.edit(last, status="cancelled")
    board.mark_edits_told()


@settings(max_examples=500, deadline=None)
@given(UPDATES, RULES)
def test_an_update_by_id_is_the_same_both_ways(
    updates: list[tuple[str, list[dict[str, Any]]]], rules: dict[str, Any]
) -> None:
    """Compared or read, it gives the same reply, the same plan and the same history, whatever the rules are."""
    pair = Pair(*(Board(rules=Rules(**rules), clock=lambda: 1.0) for _ in range(2)))
    pair.write(FIRST)
    for what, items in updates:
        for board in pair:
            happen(board, what)
        pair.write({"todos": items})
    assert [record.change for record in pair.compared.history()] == [record.change for record in pair.read.history()]


TASK_UPDATES = st.lists(
    st.tuples(
        HAPPENINGS,
        st.fixed_dictionaries(
            {
                "taskId": st.sampled_from([*"112233", "9", 1]),
                "status": st.sampled_from([*WORDS_OF_TASKS, "deleted", "?"]),
            },
            optional={
                "subject": st.sampled_from("AB"),
                "description": st.sampled_from(["Do A", "Do B"]),
                "owner": st.sampled_from(["", "me"]),
                "addBlocks": st.sampled_from([[], ["2"]]),
            },
        ),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=300, deadline=None)
@given(TASK_UPDATES, RULES)
def test_an_update_of_a_task_is_the_same_both_ways(
    updates: list[tuple[str, dict[str, Any]]], rules: dict[str, Any]
) -> None:
    """Compared or read, it gives the same reply and the same plan, whatever else is in the call."""
    pair = Pair(*(Board(dialect="claude-tasks", rules=Rules(**rules), clock=lambda: 1.0) for _ in range(2)))
    for subject in "ABC":
        pair.write({"subject": subject, "description": f"Do {subject}"}, "TaskCreate")
    for what, payload in updates:
        for board in pair:
            happen(board, what)
        pair.write(payload, "TaskUpdate")
    assert [record.change for record in pair.compared.history()] == [record.change for record in pair.read.history()]


def grown(plan: Plan) -> Plan:
    """The plan with a todo more, longer than some rules allow, as another board may have written it."""
    todo = Todo(str(plan.next_id), "y" * 30, created_at=1.0, details=Details(priority="urgent"))
    return plan._replace(todos=(*plan.todos, todo), next_id=plan.next_id + 1, revision=plan.revision + 1)


class Listed(NamedTuple):
    """A todo as anybody would note it down."""

    id: int
    content: str
    status: str
    active_form: str


def obvious(before: list[Listed], items: list[dict[str, str]], next_id: int) -> tuple[list[Listed], int]:
    """What a list makes of another one, in the most obvious way: each item takes the first free todo of its text."""
    free, after = list(before), []
    for item in items:
        same = next((todo for todo in free if todo.content == item["content"]), None)
        if same is None:
            after.append(Listed(next_id, item["content"], item["status"], item.get("activeForm", "")))
            next_id += 1
        else:
            free.remove(same)
            after.append(Listed(same.id, same.content, item["status"], item.get("activeForm", same.active_form)))
    return after, next_id


PLAIN_ITEMS = st.lists(
    st.fixed_dictionaries(
        {"content": st.sampled_from("ABCD"), "status": st.sampled_from(["pending", "in_progress", "completed"])},
        optional={"activeForm": st.sampled_from(["Doing", "Working"])},
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PLAIN_ITEMS, min_size=1, max_size=6))
def test_any_lists_lead_where_the_obvious_way_leads(lists: list[list[dict[str, str]]]) -> None:
    """Ids, texts, statuses and active forms are as noted. One todo stays open, so that no list begins another plan."""
    board = Board(rules=Rules(max_in_progress=9))
    noted: list[Listed] = []
    next_id = 1
    for items in lists:
        whole = [{"content": "Z", "status": "pending"}, *items]
        noted, next_id = obvious(noted, whole, next_id)
        reply = board.write({"todos": whole})
        assert reply.ok
        assert [
            Listed(int(todo.id), todo.content, str(todo.status), todo.active_form) for todo in reply.plan.todos
        ] == (noted)


DONE = Todo("2", "B", Status.COMPLETED, created_at=1.0, finished_at=1.0)
DONE_TWICE_BY_ID = Plan((DONE, DONE._replace(id="1")), "why", 4, 1.0, 2, 3)
PLAN = Plan(
    (
        Todo("1", "AA", active_form="Do", created_at=1.0),
        DONE,
    ),
    *("why", 4, 1.0, 2, 3),
)
TIGHT = Rules(max_items=2, max_content=2, max_in_progress=1)
STARTED = {"todos": [{"content": "AA", "status": "in_progress"}, {"content": "B", "status": "completed"}]}
STEPS = {"plan": [{"step": item["content"], "status": item["status"]} for item in STARTED["todos"]]}


def holdfast(rules: Rules = TIGHT) -> Dialect:
    """The default dialect under these rules."""
    return dialects.get("holdfast").with_rules(rules)


def after(dialect: Dialect, payload: object, plan: Plan, tool: str = "") -> Plan | None:
    """The plan after a call that is compared; None if it must be read."""
    found = dialect.restated(payload, plan, 2.0, tool)
    return None if found is None else found.plan


def test_a_list_that_restates_the_plan_is_compared() -> None:
    """Exactly up to the limits; what did not change is the same object, and so is a plan in which nothing changed."""
    dialect = holdfast()
    found = dialect.restated(STARTED, PLAN, 2.0)
    started = PLAN.todos[0]._replace(status=Status.IN_PROGRESS, started_at=2.0)
    plan = Plan((started, PLAN.todos[1]), "why", 5, 2.0, 2, 3)
    assert found == Written(plan, is_update=False, completed=[])
    assert found is not None and found.plan.todos[1] is PLAN.todos[1]
    assert after(dialect, STARTED, found.plan) is found.plan
    assert after(holdfast(), {**STARTED, "summary": "why"}, found.plan) is found.plan


def by_id(*items: Mapping[str, object]) -> dict[str, object]:
    """A call with these items, which have ids."""
    return {"todos": list(items)}


THREE = Plan(
    (*PLAN.todos, Todo("3", "CC", created_at=1.0), Todo("x", "DD", Status.BLOCKED, created_at=1.0)),
    *("why", 4, 1.0, 2, 4),
)
WIDE = TIGHT.replace(max_items=4)


def test_items_that_name_todos_by_their_ids_are_compared() -> None:
    """In any order, with any fields that are as they were; what is not named stays the same object."""
    found = holdfast(WIDE).restated(by_id({"id": "3", "status": "in_progress"}), THREE, 2.0)
    started = THREE.todos[2]._replace(status=Status.IN_PROGRESS, started_at=2.0)
    plan = THREE._replace(todos=(*THREE.todos[:2], started, THREE.todos[3]), revision=5, updated_at=2.0)
    assert found == Written(plan, is_update=True, completed=[])
    assert found is not None and [new is old for new, old in zip(found.plan.todos, THREE.todos, strict=True)] == [
        *(True, True, False, True)
    ]
    several = by_id(
        {"id": "x", "status": "pending"},
        {"id": "3", "content": "CC", "status": "blocked"},
        {"id": "1", "status": "pending"},
    )
    changed = after(holdfast(WIDE), several, THREE)
    assert changed is not None and [str(todo.status) for todo in changed.todos] == [
        *("pending", "completed", "blocked", "pending")
    ]
    assert after(holdfast(WIDE), by_id({"id": "1", "status": "pending"}), THREE) is THREE


def test_a_todo_that_is_moved_is_found_by_its_id() -> None:
    """Ids are mostly the numbers of their places; where they are not, they are looked up."""
    turned = THREE._replace(todos=THREE.todos[::-1])
    for id in ("1", "3", "x"):
        found = after(holdfast(WIDE), by_id({"id": id, "status": "in_progress"}), turned)
        assert found is not None
        assert [todo.id for todo in found.todos if todo.status is Status.IN_PROGRESS] == [id]


def test_an_update_that_finishes_a_todo_starts_the_next_one() -> None:
    """As the rules say; one that only restates a finished todo, or makes one wait again, starts nothing."""
    running = THREE._replace(
        todos=(THREE.todos[0]._replace(status=Status.IN_PROGRESS, started_at=1.0), *THREE.todos[1:])
    )
    completes = by_id({"id": "1", "status": "completed"})
    found = holdfast(WIDE).restated(completes, running, 2.0)
    assert found is not None
    assert [str(todo.status) for todo in found.plan.todos] == ["completed", "completed", "in_progress", "blocked"]
    assert found.completed == [found.plan.todos[0]] and found.is_update
    unasked = after(holdfast(WIDE.replace(advance=False)), completes, running)
    assert unasked is not None and unasked.current is None
    for payload in (
        by_id({"id": "1", "status": "pending"}),
        by_id({"id": "1", "status": "completed"}, {"id": "2", "status": "pending"}),
    ):
        other = after(holdfast(WIDE), payload, running)
        assert other is not None and other.current is None


@pytest.mark.parametrize(
    ("payload", "plan"),
    [
        pytest.param(by_id({"id": "9", "status": "pending"}), THREE, id="an unknown id"),
        pytest.param(by_id({"id": "0", "status": "pending"}), THREE, id="no number of a place"),
        pytest.param(by_id({"id": 1, "status": "pending"}), THREE, id="an id that is no text"),
        pytest.param(by_id({"id": " 1", "status": "pending"}), THREE, id="an id with a space"),
        pytest.param(by_id(*[{"id": "1", "status": "pending"}] * 2), THREE, id="one id twice"),
        pytest.param(
            by_id({"id": "1", "status": "pending"}, {"content": "CC", "status": "pending"}), THREE, id="no id"
        ),
        pytest.param(by_id({"id": "1", "status": "pending"}, {"id": "3", "content": "C"}), THREE, id="less of an item"),
        pytest.param(by_id({"id": "1", "content": "A", "status": "pending"}), THREE, id="other words"),
        pytest.param(by_id({"id": "1", "status": "almost"}), THREE, id="no status"),
        pytest.param(by_id({"id": "1"}), THREE, id="no status at all"),
        pytest.param(by_id({"id": "1", "status": "pending", "more": 1}), THREE, id="an unknown key"),
        pytest.param(by_id({"id": "2", "status": "pending"}), DONE_TWICE_BY_ID, id="nothing open"),
    ],
)
def test_whatever_else_an_update_is_is_read(payload: object, plan: Plan) -> None:
    """An update is compared only if each of its items names a todo, and says nothing new of it but a status."""
    assert after(holdfast(WIDE), payload, plan) is None


def test_an_update_that_starts_too_much_is_read() -> None:
    """With one todo in progress more than there may be, it has a fault, or something to repair."""
    running = THREE._replace(todos=(THREE.todos[0]._replace(status=Status.IN_PROGRESS), *THREE.todos[1:]))
    assert after(holdfast(WIDE), by_id({"id": "3", "status": "in_progress"}), running) is None
    assert after(holdfast(WIDE.replace(max_in_progress=2)), by_id({"id": "3", "status": "in_progress"}), running)


def test_a_done_todo_that_is_not_done_any_more_is_read_where_that_is_repaired() -> None:
    """Other statuses of a board that repairs are compared as ever."""
    reopened, started = by_id({"id": "2", "status": "pending"}), by_id({"id": "3", "status": "in_progress"})
    repairing = holdfast(WIDE.replace(repair=True))
    assert after(repairing, reopened, THREE) is None and after(repairing, started, THREE) is not None
    assert after(holdfast(WIDE), reopened, THREE) is not None


def test_an_update_of_a_task_is_compared() -> None:
    """Its status alone, or with texts as they were. Another call of the dialect, or with more in it, is read."""
    board = Board(dialect="claude-tasks")
    for subject in ("A", "B"):
        board.write({"subject": subject, "description": f"Do {subject}"}, "TaskCreate")
    call = {"taskId": "2", "subject": "B", "status": "in_progress"}
    found = after(board.dialect, call, board.plan, "TaskUpdate")
    assert found is not None and [str(todo.status) for todo in found.todos] == ["pending", "in_progress"]
    for tool in ("TaskCreate", "TaskGet", ""):
        assert after(board.dialect, call, board.plan, tool) is None
    for more in ({"status": "deleted"}, {"addBlocks": ["1"]}, {"subject": "C"}, {"taskId": 2}):
        assert after(board.dialect, {**call, **more}, board.plan, "TaskUpdate") is None
    assert after(board.dialect, json.dumps(call), board.plan, "TaskUpdate") is None


def test_another_word_for_the_same_status_changes_nothing() -> None:
    """A completed todo that is restated as done is the same object, and keeps its proof."""
    proved = PLAN._replace(todos=(PLAN.todos[0], DONE._replace(proof=Proof("make", "B"))))
    restating = by_id({"content": "AA", "status": "todo"}, {"content": "B", "status": "done"})
    assert after(holdfast(), restating, proved) is proved


def test_each_field_that_is_restated_is_compared() -> None:
    """An item may have any fields of its dialect: they are equal, or the list is read."""
    with_form = {"todos": [{**STARTED["todos"][0], "activeForm": "Do"}, {**STARTED["todos"][1], "activeForm": ""}]}
    assert after(holdfast(), with_form, PLAN) == after(holdfast(), STARTED, PLAN) is not None
    board = Board(dialect="opencode")
    calls = [
        {"todos": [{"content": "A", "priority": "high", "status": status}]} for status in ("pending", "in_progress")
    ]
    board.write(calls[0])
    assert board.dialect.restated(calls[1], board.plan, 2.0) is not None
    other = {"todos": [{**calls[1]["todos"][0], "priority": "low"}]}
    assert board.dialect.restated(other, board.plan, 2.0) is None


def test_every_status_is_reached() -> None:
    """From any open todo to any status, in a list whose other todos are done."""
    for status in Status:
        payload = {"todos": [{"content": "AA", "status": str(status)}, {"content": "B", "status": "completed"}]}
        found = holdfast().restated(payload, PLAN, 2.0)
        assert found is not None and found.plan.todos[0].status is status
        assert [todo.id for todo in found.completed or ()] == (["1"] if status is Status.COMPLETED else [])


@pytest.mark.parametrize("name", LISTS)
def test_every_dialect_with_a_list_compares_it(name: DialectName) -> None:
    """The plan as the dialect sends it changes nothing, and is known to change nothing without being read."""
    board = Board(dialect=name)
    plan = Plan((Todo("1", "A", active_form="Doing A", details=Details(priority="low")), Todo("2", "B")), "S")
    board.write(board.dialect.payload(plan))
    payload = board.dialect.payload(board.plan)
    assert after(board.dialect, payload, board.plan) is board.plan
    assert board.write(payload).plan.revision == 1


def test_remarks_beside_a_list_are_passed_over() -> None:
    """They are not kept: a list with one is compared like any other."""
    dialect = dialects.get("codex")
    found = after(dialect, {**STEPS, "explanation": "Now the first"}, PLAN)
    assert found is not None and found == after(dialect, STEPS, PLAN)


def _item(**fields: object) -> dict[str, object]:
    return {"content": "AA", "status": "in_progress", **fields}


def _listed(first: object, second: object = STARTED["todos"][1]) -> dict[str, object]:
    return {"todos": [first, second]}


DONE_TWICE = PLAN._replace(todos=(PLAN.todos[1], PLAN.todos[1]._replace(id="3")))
RUNNING = PLAN._replace(todos=(PLAN.todos[0]._replace(status=Status.IN_PROGRESS), PLAN.todos[0]._replace(id="3")))
BLOCKED = PLAN._replace(todos=(PLAN.todos[0]._replace(status=Status.BLOCKED), PLAN.todos[1]))


@pytest.mark.parametrize(
    ("payload", "plan", "dialect"),
    [
        pytest.param(json.dumps(STARTED), PLAN, holdfast(), id="a text"),
        pytest.param("7", PLAN, holdfast(), id="a text of one character"),
        pytest.param([STARTED], PLAN, holdfast(), id="a list"),
        pytest.param({**STARTED, "summary": "S"}, PLAN, holdfast(), id="another summary"),
        pytest.param({**STARTED, "merge": True}, PLAN, holdfast(), id="something else beside the list"),
        pytest.param({"plan": STARTED["todos"]}, PLAN, holdfast(), id="another field"),
        pytest.param({"todos": tuple(STARTED["todos"])}, PLAN, holdfast(), id="no list"),
        pytest.param({"todos": json.dumps(STARTED["todos"])}, PLAN, holdfast(), id="a list as a text"),
        pytest.param(STARTED, PLAN, dialects.get("roo"), id="a list where a text is asked for"),
        pytest.param({"todos": STARTED["todos"][:1]}, PLAN, holdfast(), id="a todo left out"),
        pytest.param({"todos": []}, Plan(), holdfast(), id="an empty list upon an empty plan"),
        pytest.param(STARTED, PLAN._replace(edits=(Edit(None, PLAN.todos[0]),)), holdfast(), id="an edit to tell of"),
        pytest.param(STARTED, PLAN, dialects.get("envelope"), id="no summary, where there must be one"),
        pytest.param({**STARTED, "summary": ""}, PLAN._replace(summary=""), dialects.get("envelope"), id="a blank one"),
        pytest.param({**STARTED, "merge": "yes"}, PLAN, holdfast(), id="a text beside the list"),
        pytest.param({**STEPS, "explanation": 7}, PLAN, dialects.get("codex"), id="a remark that is no text"),
        pytest.param({**STEPS, "explanation": "\ud800"}, PLAN, dialects.get("codex"), id="a remark of half a letter"),
        pytest.param(STARTED, PLAN, holdfast(TIGHT.replace(max_items=1)), id="too many"),
        pytest.param(STARTED, PLAN, holdfast(TIGHT.replace(max_content=1)), id="too long"),
        pytest.param(
            STARTED,
            PLAN._replace(todos=(PLAN.todos[0]._replace(active_form="Doing"), PLAN.todos[1])),
            holdfast(),
            id="an active form that is too long",
        ),
        pytest.param(
            _listed(_item(content="x" * (CEILING_TEXT + 1))),
            PLAN._replace(todos=(PLAN.todos[0]._replace(content="x" * (CEILING_TEXT + 1)), PLAN.todos[1])),
            dialects.get("langchain"),
            id="too long for any board",
        ),
        pytest.param(_listed(_item(), _item()), RUNNING, holdfast(), id="too much at once"),
        pytest.param(
            _listed(_item(), _item(status="pending")),
            RUNNING._replace(todos=(RUNNING.todos[0],) * 2),
            holdfast(),
            id="too much at once before",
        ),
        pytest.param(
            STARTED, PLAN, holdfast(TIGHT.replace(statuses=(Status.PENDING,))), id="a status that is not allowed"
        ),
        pytest.param(
            _listed(_item(status="completed")),
            BLOCKED,
            holdfast(TIGHT.replace(statuses=(Status.PENDING, Status.COMPLETED))),
            id="from a status that is not allowed",
        ),
        pytest.param(
            by_id({"content": "AA", "status": "in_progress"}),
            PLAN._replace(todos=PLAN.todos[:1]),
            holdfast(TIGHT.replace(statuses=(Status.PENDING, Status.COMPLETED))),
            id="to a status that is not allowed",
        ),
        pytest.param(
            by_id({"content": "1", "status": "in_progress"}),
            PLAN._replace(todos=(PLAN.todos[0]._replace(content="1"), PLAN.todos[1])),
            holdfast(),
            id="a todo left out, and a text that is an id",
        ),
        pytest.param(STARTED, DONE_TWICE, holdfast(), id="other words"),
        pytest.param(_listed({"content": "B", "status": "pending"}), DONE_TWICE, holdfast(), id="nothing open"),
        pytest.param(
            _listed({"content": "B", "status": "completed"}), DONE_TWICE, holdfast(), id="nothing open, nothing new"
        ),
        pytest.param(_listed(_item(activeForm="Doing")), PLAN, holdfast(), id="more of an item"),
        pytest.param(_listed(_item(), _item(activeForm="Do")), RUNNING, holdfast(), id="more of a later item"),
        pytest.param(_listed({"content": "AA"}), PLAN, holdfast(), id="less of an item"),
        pytest.param(_listed(_item(priority="low")), PLAN, holdfast(), id="an unknown key"),
        pytest.param(_listed(_item(id="1")), PLAN, holdfast(), id="an id for one of the items"),
        pytest.param(_listed(_item(status="almost")), PLAN, holdfast(), id="no status"),
        pytest.param(_listed(_item(status=["pending"])), PLAN, holdfast(), id="a status that is no text"),
        pytest.param(_listed("AA"), PLAN, holdfast(), id="no item"),
        pytest.param(_listed(_item(), "B"), PLAN, holdfast(), id="no later item"),
        pytest.param(
            _listed(_item(content=" "), {"content": "B", "status": "completed"}),
            PLAN._replace(todos=(PLAN.todos[0]._replace(content=" "), PLAN.todos[1])),
            holdfast(),
            id="a blank content",
        ),
    ],
)
def test_whatever_else_it_is_is_read(payload: object, plan: Plan, dialect: Dialect) -> None:
    """Anything that is not plainly such a list, or may have a fault, is left alone."""
    assert dialect.restated(payload, plan, 2.0) is None


@pytest.mark.parametrize(
    ("dialect", "path"),
    [
        ("envelope", "summary"),
        ("opencode", "todos[0].priority"),
        ("claude-code", "todos[0].activeForm"),
        ("qwen", "todos[0].id"),
    ],
)
def test_what_a_dialect_asks_for_is_asked_for_here_too(dialect: DialectName, path: str) -> None:
    """A list of contents and statuses is refused where an item, or the call, needs more than that."""
    board = Board(dialect=dialect)
    board.write(board.dialect.payload(Plan((Todo("1", "A"),), "S")))
    reply = board.write({"todos": [{"content": "A", "status": "in_progress"}]})
    assert path in [fault.path for fault in reply.faults]


def test_what_a_dialect_has_no_word_for_is_read() -> None:
    """A cancelled todo restated as completed stays cancelled, however the list comes."""
    for form in (dict, json.dumps):
        board = Board(dialect="langchain")
        todos = [{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]
        board.write({"todos": todos})
        board.edit("1", status="cancelled")
        board.mark_edits_told()
        todos[0]["status"] = "completed"
        board.write({"todos": todos} if form is dict else json.dumps({"todos": todos}))
        assert board.plan.todos[0].status is Status.CANCELLED


def test_a_payload_that_its_host_changes_and_sends_again_is_compared_afresh() -> None:
    """Nothing of a payload is kept between writes."""
    board = Board()
    payload = {"todos": [{"content": "A", "status": "pending"}, {"content": "B", "status": "pending"}]}
    board.write(payload)
    payload["todos"][0]["status"] = "in_progress"
    assert board.write(payload).plan.todos[0].status is Status.IN_PROGRESS


def test_a_dialect_that_serves_two_boards_finds_the_todos_of_each() -> None:
    """What it remembers of one plan is not taken for the other, wherever their todos are."""
    dialect = holdfast(Rules(max_items=50, max_content=200, max_in_progress=9))
    first, second = Board(), Board()
    for board in (first, second):
        board.write_in(dialect, {"todos": [{"content": text, "status": "pending"} for text in "ABC"]})
    second.move("3", 0)
    second.mark_edits_told()
    for status in ("in_progress", "completed", "pending"):
        for board in (first, second):
            board.write_in(dialect, by_id({"id": "3", "status": status}))
            todo = board.plan.get("3")
            assert todo is not None and (todo.content, str(todo.status)) == ("C", status)
    assert [todo.id for todo in second.plan.todos] == ["3", "1", "2"]


def test_after_the_last_open_todo_a_call_is_read_again() -> None:
    """A plan that was finished by a call that was compared is closed: what follows may begin the next one."""
    dialect = holdfast(TIGHT.replace(max_in_progress=2))
    both = PLAN._replace(todos=(PLAN.todos[0], DONE._replace(status=Status.IN_PROGRESS, finished_at=None)))
    half = after(dialect, by_id({"id": "1", "status": "completed"}), both)
    assert half is not None and half.has_open
    finished = after(dialect, by_id({"id": "2", "status": "completed"}), half)
    assert finished is not None and not finished.has_open
    assert after(dialect, by_id({"id": "1", "status": "pending"}), finished) is None


def test_several_completions_are_all_told() -> None:
    """Whoever points out gaps, or runs checks, gets each of them, as it is after the call."""
    found = holdfast(WIDE).restated(
        by_id({"id": "3", "status": "completed"}, {"id": "1", "status": "done"}, {"id": "2", "status": "completed"}),
        THREE,
        2.0,
    )
    assert found is not None
    assert found.completed == [found.plan.todos[2], found.plan.todos[0]]


def test_as_much_may_be_started_as_was_ended() -> None:
    """A call that ends one todo and starts another is compared; one that only starts another is not."""
    running = THREE._replace(todos=(THREE.todos[0]._replace(status=Status.IN_PROGRESS), *THREE.todos[1:]))
    ended, started = {"id": "1", "status": "pending"}, {"id": "3", "status": "in_progress"}
    for payload in (by_id(ended, started), by_id(started, ended)):
        found = after(holdfast(WIDE), payload, running)
        assert found is not None and found.current is not None and found.current.id == "3"
    assert after(holdfast(WIDE), by_id(started), running) is None


def test_a_form_remembers_a_hundred_shapes_of_items() -> None:
    """Those that it met first; others are worked out each time, and what has no shape takes no room."""
    form = dialects.get("holdfast").form
    assert shape_of({"nonsense": 1, "content": "A"}, form) is None
    assert form.shapes == {}
    orders = list(permutations(("id", "content", "status", "activeForm", "evidence")))[:120]
    form = form._replace(evidence=Use.OPTIONAL)
    shapes = [shape_of(dict.fromkeys(order, ""), form) for order in orders]
    assert all(shape is not None and shape.has_id and shape.has_status and shape.is_partial for shape in shapes)
    assert list(form.shapes) == orders[:100]
    assert [shape_of(dict.fromkeys(order, ""), form) is shape for order, shape in zip(orders, shapes, strict=True)] == [
        place < 100 for place in range(120)
    ]


def test_an_item_may_have_every_text_that_a_form_has() -> None:
    """One with all of them is read in one go as well, its details with it."""
    form = dialects.get("holdfast").form._replace(
        evidence=Use.OPTIONAL,
        description=Use.OPTIONAL,
        priority=Use.OPTIONAL,
        owner=Use.OPTIONAL,
        check=Use.OPTIONAL,
    )
    keys = ("id", "content", "status", "activeForm", "evidence", "description", "priority", "owner", "check")
    shape = shape_of(dict.fromkeys(keys, ""), form)
    assert shape is not None
    assert [key for _, key, _ in (*shape.texts, *shape.detail_texts)] == [key for key in keys if key != "status"]


def test_all_todos_may_be_named_by_their_ids_alone() -> None:
    """An id and a status for each of them, in their order, are compared as well."""
    found = after(holdfast(), by_id({"id": "1", "status": "in_progress"}, {"id": "2", "status": "completed"}), PLAN)
    assert found is not None
    assert [todo.status for todo in found.todos] == [Status.IN_PROGRESS, Status.COMPLETED]
