"""Plans put from one dialect into another."""

import json

import pytest

from holdfast import Plan, Status, Todo, dialects
from holdfast.errors import UsageError
from holdfast.plan import Details
from holdfast.transfer.conversion import convert, formats, read_plan, write_plan

PLAN = Plan(
    (
        Todo("1", "Read", Status.COMPLETED, "Reading"),
        Todo("2", "Fix", Status.IN_PROGRESS, details=Details(priority="high", owner="agent-2")),
        Todo("3", "Test", details=Details(description="Every test", blocked_by=("2",))),
    ),
    "Mend it",
)


@pytest.mark.parametrize("source", formats())
@pytest.mark.parametrize("target", formats())
def test_contents_and_statuses_go_from_each_to_each(source: str, target: str) -> None:
    """Whatever a plan was written in, it can be written in anything else; two-state alone knows nothing between."""
    first = convert(write_plan(PLAN, "holdfast"), "holdfast", source)
    plan = read_plan(convert(first, source, target), target)
    running = "pending" if "two-state" in (source, target) else "in_progress"
    assert [(todo.content, str(todo.status)) for todo in plan.todos] == [
        ("Read", "completed"),
        ("Fix", running),
        ("Test", "pending"),
    ]


def test_what_two_dialects_share_goes_between_them() -> None:
    """Dependencies go from tasks to qwen and back."""
    tasks = write_plan(PLAN, "claude-tasks")
    qwen = convert(tasks, "claude-tasks", "qwen")
    assert json.loads(qwen)["todos"][2]["blockedBy"] == ["2"]
    assert read_plan(convert(qwen, "qwen", "claude-tasks"), "claude-tasks").todos[2].details.blocked_by == ("2",)


def test_several_tools_are_written_as_their_calls() -> None:
    """Every task is made before one is said to wait for another."""
    calls = json.loads(write_plan(PLAN, "claude-tasks"))
    assert [call["name"] for call in calls] == ["TaskCreate"] * 3 + ["TaskUpdate"] * 3
    assert calls[2]["input"] == {"subject": "Test", "description": "Every test"}
    assert calls[5]["input"] == {"taskId": "3", "addBlockedBy": ["2"]}


def test_a_checklist_is_taken_as_people_write_it() -> None:
    """For roo the list itself will do, without an object around it."""
    plan = read_plan("- [x] Read\n- [~] Fix\n\n[ ] Test\n", "roo")
    assert [str(todo.status) for todo in plan.todos] == ["completed", "in_progress", "pending"]


@pytest.mark.parametrize(
    ("text", "source", "message"),
    [
        ("nonsense", "codex", "not codex: not valid JSON"),
        ("[]", "codex", "not codex: expected an object, received a list"),
        ('{"plan": [{"step": 1}]}', "codex", "not codex: plan[0].step: expected text, received the number 1"),
        ("[x] A\nB", "roo", "not roo: todos, line 2: expected '[ ] text'"),
        ('[{"name": "TaskCreate"}]', "claude-tasks", 'call 0: expected {"name": "TaskCreate", "input": {…}}'),
        (
            '[{"name": "TaskUpdate", "input": {"taskId": "1"}}]',
            "claude-tasks",
            "not claude-tasks: call 0 (TaskUpdate), taskId: no task #1",
        ),
        ('[{"name": "Fly", "input": {}}]', "claude-tasks", "no tool 'Fly'; claude-tasks has TaskCreate,"),
    ],
)
def test_what_is_wrong_is_told(text: str, source: str, message: str) -> None:
    """A text that the dialect would refuse is refused, with the place."""
    with pytest.raises(UsageError) as caught:
        read_plan(text, source)
    assert message in str(caught.value)


def test_a_plan_that_does_not_fit_is_told() -> None:
    """A plan beyond a dialect's limits is refused, not cut."""
    plan = Plan(tuple(Todo(str(number), f"Step {number}") for number in range(1, 12)))
    with pytest.raises(UsageError, match="envelope cannot say it: todos: todos: at most 10 todos, received 11"):
        write_plan(plan, "envelope")


def test_the_forms_are_the_dialects_and_markdown() -> None:
    """Every dialect can be converted from and to."""
    assert formats() == (*dialects.names(), "markdown")
