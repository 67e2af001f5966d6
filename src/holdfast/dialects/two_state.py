"""The `two-state` dialect: todos are pending or completed, nothing else. A numbered list comes back."""

from ..plan import Plan, Status
from ..plan.fault import Fault
from ..plan.rules import Rules
from ..text import one_line
from .dialect import Dialect, Outcome, with_notes
from .reading.form import Form
from .reading.schemas import JSON, status, text

STATUSES = (Status.PENDING, Status.COMPLETED)
ICONS = {Status.PENDING: "⬜", Status.COMPLETED: "✅"}


class TwoState(Dialect):
    """No call is spent on saying what is being worked on: the conversation shows that."""

    name = "two-state"
    tool_name = "todo_write"
    description = "Write your todo list: all of it, each time. Call it again when a todo is done or the list changes."
    prompt = """For work of several steps, keep a todo list with todo_write.
- Write the whole list before you start; mark each todo completed when it is done.
- The list is dynamic: add, change, drop or reorder todos when you learn something new, and say why."""
    form = Form({str(status): status for status in STATUSES}, default_status=Status.PENDING, blank_allowed=True)
    is_strict = True
    own_rules = Rules(statuses=STATUSES)

    def own_fields(self) -> JSON:
        """The JSON Schema of each field of a todo."""
        return {"content": text(self.rules), "status": status(self.form, self.rules, description="任务状态")}

    def phrase(self, fault: Fault) -> Fault:
        """The fault in the dialect's own words."""
        if fault.code == "status":
            return fault._replace(message=f"无效的任务状态: {fault.received}，仅支持: {', '.join(self.rules.statuses)}")
        message = one_line(fault.message)
        return fault._replace(message=f"{fault.path}: {message}" if fault.path else message)

    def accepted(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """The list as it is now."""
        return with_notes(self.render(outcome.plan), outcome), None

    def refused(self, outcome: Outcome) -> tuple[str, JSON | None]:
        """What was wrong."""
        return f"❌ 任务更新失败: {outcome.faults[0].message}", None

    def render(self, plan: Plan) -> str:
        """One numbered line per todo, then the counts."""
        if not plan.todos:
            return "📋 任务列表为空"
        lines = [
            f"  {position}. {ICONS.get(todo.status, '⬜')} [{todo.status}] {one_line(todo.content)}"
            for position, todo in enumerate(plan.todos, 1)
        ]
        completed = plan.counts()[Status.COMPLETED]
        totals = f"总计: {len(plan.todos)} 项 | 待处理: {len(plan.todos) - completed} | 已完成: {completed}"
        return "\n".join(["📋 当前任务列表：", *lines, "", totals])
