"""From a call of a harness's own plan tool to the board of its conversation."""

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ... import dialects
from ...board import Board
from ...dialects import Dialect
from ...dialects.reading.faults import describe_faults
from ...dialects.reading.tasks import CREATE, LIST, UPDATE
from ...plan import Plan
from ...plan.fault import Fault, Refusal
from ...plan.model_write import Terms, accept
from ...plan.rules import PLAIN, Rules
from ...plan.step import Written
from ...plan.work import counted_work
from ...text import brief
from .event import HookEvent, is_locked
from .harnesses import MAIN, Harness
from .tasks import NotATask, with_created_task, with_listed_tasks


class Recording(NamedTuple):
    """The result of a call: the plan before and after it, and why it was not recorded, if so.

    `refusal` and `news` are for the model; `trouble` is for the log.
    """

    before: Plan
    after: Plan
    refusal: str = ""
    trouble: str = ""
    news: str = ""
    is_locked: bool = False


def record(board: Board, event: HookEvent, harness: Harness, rules: Rules, work: int) -> Recording:
    """Record the call of a plan tool on the board. `work` counts other tools used since the last one."""
    # the harness has accepted it by its own rules: a policy may refuse it, but it is recorded as it is
    rules = rules.over(PLAIN).replace(repair=False)
    dialect = dialects.get(harness.dialect(event.tool)).with_rules(rules)
    arguments = keep_known(event.arguments, _schema(dialect, event.tool))
    if event.tool == CREATE:
        result = event.result
        keeps_edits = event.agent != board.key.agent
        return _record_tasks(
            board, rules, work, lambda plan, now: with_created_task(plan, arguments, result, now), keeps_edits
        )
    if event.tool == LIST:
        return _record_listed(board, rules, work, event)
    before = board.plan
    board.resume_work(counted_work(work, 0))
    if event.tool == UPDATE:
        arguments = _with_owner(arguments, before, event)
    reply = board.write_in(dialect, arguments, event.tool)
    if reply.ok and before.edits and event.agent != board.key.agent:
        _keep_edits(board, before)
    news = _lost_todos(board, before, reply.plan) if reply.ok and event.tool in harness.lists else ""
    return _recording(before, reply.plan, reply.faults)._replace(news=news)


def _with_owner(arguments: object, plan: Plan, event: HookEvent) -> object:
    """A subagent's change of a task on its main agent's list: it owns what it starts or completes."""
    if event.agent == MAIN or not isinstance(arguments, dict) or "owner" in arguments:
        return arguments
    todo = plan.get(str(arguments.get("taskId", "")))
    is_work = arguments.get("status") in ("in_progress", "completed")
    return {**arguments, "owner": event.agent} if is_work and todo and not todo.details.owner else arguments


def _keep_edits(board: Board, before: Plan) -> None:
    """What a subagent writes on the list does not mean that the main agent knows what people changed in it."""

    def step(plan: Plan, now: float) -> Written:
        edits = tuple(known for known in before.edits if known.after is None or plan.get(known.id) is not None)
        return Written(plan._replace(edits=edits, seen=before.seen if edits else (), revision=plan.revision + 1))

    board.apply(step, "untold")


def _lost_todos(board: Board, before: Plan, after: Plan) -> str:
    """What to tell a model whose list leaves out open todos that a person added; mostly nothing."""
    lost = {todo.id: todo for todo in before.open if after.get(todo.id) is None} if after.todos else {}
    if not lost or before.number != after.number:
        return ""
    oldest = min(todo.created_at for todo in lost.values())
    since = takewhile(lambda record: record.change.after.updated_at >= oldest, board.history())
    added = {
        pair.after.id
        for record in since
        if record.change.by == "person" and record.change.after.number == after.number
        for pair in record.change.differences
        if pair.before is None and pair.after is not None
    }
    theirs = [f"{id} ({brief(todo.content, 40)})" for id, todo in lost.items() if id in added]
    return f"Left out of the list while still open, and added by the user: {', '.join(theirs[:5])}." if theirs else ""


def _record_listed(board: Board, rules: Rules, work: int, event: HookEvent) -> Recording:
    """A list of all tasks is only read: the model has learned nothing of people's edits by it, and changes nothing."""

    def was_known(id: str) -> bool:
        return any(record.change.after.get(id) is not None for record in board.history())

    def fold(plan: Plan, now: float) -> Plan:
        return with_listed_tasks(plan, event.result, was_known, now)

    return _record_tasks(board, rules, work, fold, keeps_edits=True)


def keep_known(value: object, schema: Mapping[str, Any]) -> object:
    """A value without the keys that its schema does not have: a newer harness may send more than we know."""
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        return {key: keep_known(part, fields[key]) for key, part in value.items() if key in fields}
    if isinstance(value, list) and "items" in schema:
        return [keep_known(part, schema["items"]) for part in value]
    return value


def _schema(dialect: Dialect, tool: str) -> Mapping[str, Any]:
    return next((each.schema for each in dialect.tools if each.name == tool), dialect.schema)


def _record_tasks(
    board: Board, rules: Rules, work: int, fold: Callable[[Plan, float], Plan], keeps_edits: bool = False
) -> Recording:
    """Record tasks on the board by their own ids, again if another hook came first."""

    def step(plan: Plan, now: float) -> Written | Refusal:
        try:
            after = fold(plan, now)
        except NotATask as reason:
            return Refusal((Fault("", str(reason), "not_a_task"),))
        result = accept(plan, after, Terms(rules, "tasks", counted_work(work, 0)))
        if isinstance(result, Refusal):
            return result
        same = result.plan.todos == plan.todos and result.plan.about == plan.about
        if same and (keeps_edits or not plan.edits):
            return Written(plan)
        new = result.plan._replace(edits=after.edits, seen=after.seen) if keeps_edits else result.plan
        return Written(new._replace(revision=plan.revision + 1))  # one change, however many tasks are in it

    reply = board.apply(step, "write", by="model")
    if reply.change is None:
        return _recording(reply.plan, reply.plan, reply.faults)
    return Recording(reply.change.before, reply.change.after)


def _recording(before: Plan, after: Plan, faults: Sequence[Fault]) -> Recording:
    if not faults:
        return Recording(before, after)
    if faults[0].code == "no_work":
        return Recording(before, after, refusal=f"Not recorded as done: {faults[0].message}.")
    waits = faults[0].code == "store" and is_locked(faults[0].message)
    return Recording(before, after, trouble=describe_faults(faults), is_locked=waits)
