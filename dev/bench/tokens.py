"""The tokens of one plan of ten steps, worked to the end in eleven updates, in every dialect (o200k)."""

import json

from dev.bench.measurement import Measurement
from holdfast import Plan, Session, Status, Todo, dialects
from holdfast.board.tokens import Tokens, exact
from holdfast.dialects import Dialect, DialectName
from holdfast.dialects.dialect import Call
from holdfast.dialects.reading.form import Use

WHOLE_LIST: DialectName = "claude-code"
"""The form that most coding agents use: the whole list at every update."""

STEPS = (
    ("Read the failing test and the module it covers", "Reading the failing test and the module it covers"),
    ("Reproduce the failure locally", "Reproducing the failure locally"),
    ("Find where the overlap check goes wrong", "Finding where the overlap check goes wrong"),
    ("Write a unit test for the edge case", "Writing a unit test for the edge case"),
    ("Fix the overlap check", "Fixing the overlap check"),
    ("Run the unit tests", "Running the unit tests"),
    ("Update the documentation", "Updating the documentation"),
    ("Add a changelog entry", "Adding a changelog entry"),
    ("Run the linter and the type checker", "Running the linter and the type checker"),
    ("Summarise the change for the user", "Summarising the change for the user"),
)


def tokens_by_update(name: DialectName) -> list[Tokens]:
    """What the plan has cost in one dialect after each update, with the reminders that the default policy gives."""
    session = Session(dialect=name, counter=exact())
    attention, board = session.attention, session.board
    spent = []
    for done in range(len(STEPS) + 1):
        attention.before_request()
        for call in _calls(board.dialect, done):
            reply = board.write(json.dumps(call.payload, ensure_ascii=False, separators=(",", ":")), tool=call.tool)
            assert reply.ok, reply.text
        attention.before_request()
        board.record_tool_use("bash")
        spent.append(session.tokens)
    assert board.plan.is_finished
    return spent


def total_tokens(name: DialectName) -> Tokens:
    """What the whole plan costs in one dialect."""
    return tokens_by_update(name)[-1]


def token_measurements() -> list[Measurement]:
    """The total of each dialect, as a ratio to the whole-list form of Claude Code."""
    totals = {name: total_tokens(name).total for name in dialects.names()}
    whole = totals[WHOLE_LIST]
    return [
        Measurement(
            f"tokens of a plan of ten steps: {name}",
            total,
            "tokens",
            total / whole,
            0.2 if name == "holdfast" else None,
        )
        for name, total in sorted(totals.items(), key=lambda pair: pair[1])
    ]


def _calls(dialect: Dialect, done: int) -> list[Call]:
    """The calls after `done` steps, as a model makes them: only what changed, where the dialect allows that."""
    if not done and dialect.name == "holdfast":  # the rest is the default, and models leave it out
        return [Call(dialect.tool_name, {"todos": [{"content": content} for content, _ in STEPS]})]
    if not done or not dialect.mark:
        return dialect.calls(_plan(done, dialect.form.active_form is Use.REQUIRED))
    changes = [(done, "completed")]
    if done < len(STEPS) and not dialect.rules.advance:
        changes.append((done + 1, "in_progress"))
    marks = [json.loads(dialect.mark.format(id=id, status=status)) for id, status in changes]
    if dialect.mark_tool:
        return [Call(dialect.mark_tool, mark) for mark in marks]
    field = dialect.form.list_field
    return [Call(dialect.tool_name, {**marks[0], field: [todo for mark in marks for todo in mark[field]]})]


def _plan(done: int, active_forms: bool) -> Plan:
    """The plan after so many steps, the next one in progress."""
    statuses = [Status.COMPLETED] * done + [Status.IN_PROGRESS] + [Status.PENDING] * len(STEPS)
    todos = [
        Todo(str(place), content, status, active_form if active_forms else "")
        for place, ((content, active_form), status) in enumerate(zip(STEPS, statuses, strict=False), 1)
    ]
    return Plan(tuple(todos), "Fix the overlap check")
