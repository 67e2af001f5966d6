"""What to say to the model about its plan, and when: pure functions of the plan, the turn and a policy.

A reminder stands at the tail of one request and is not kept in the history, so nothing before it changes and prompt
caches hold. Only news is kept, where it stands: a plan that was out of sight, an edit by a person. `attention` drives
these functions for a host.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from ..plan import Plan, Status, Todo
from ..plan.commands import prints
from ..plan.edits import describe
from ..plan.goals import file_to_fill, files_to_read, goal_for, shared_files
from ..plan.work import ToolUse, Work
from ..text import one_line, shorten
from .piggyback import FIELD
from .policies import Policy
from .state import State, Turn, focus, looks_in_sight, source_files, state_of, to_read


class Kind(StrEnum):
    """Why a reminder is given, the most pressing first."""

    EDIT = "edit"
    RESUME = "resume"
    STOP = "stop"
    CURRENT = "current"
    LOOP = "loop"
    STALE = "stale"
    FIRST = "first"


class Reminder(NamedTuple):
    """One thing to say to the model."""

    kind: Kind
    text: str

    @property
    def keep(self) -> bool:
        """Whether it belongs in the history: the model must be able to see it later, too."""
        return self.kind in (Kind.EDIT, Kind.RESUME)


LONGEST_QUOTE = 800
"""How many characters of one todo are quoted: most dialects allow less anyway, some set no limit at all."""

LONGEST_GOAL = 400
"""How many characters of the goal stand before the current todo."""

SHELL_HINT = (
    "In a shell, echo TEXT > FILE writes a file, >> adds to it, sed -i changes it, mv renames it, cp copies it, "
    "rm deletes it."
)
"""What the smallest models do not know when they need it."""

BEFORE_A_MARK = (State.NEW, State.UNREAD, State.LOOKED, State.FAILED, State.UNMENTIONED)
"""Where work is asked for, not a mark."""

_ANEW = "The user has spoken. First write the plan anew with {}"


def next_reminder(plan: Plan, turn: Turn, policy: Policy) -> Reminder | None:
    """What the next request should end with; None most of the time."""
    unseen = policy.resumes and not turn.sees_plan and bool(plan.open)
    if policy.tells_edits and not unseen and (news := _harmless(describe(plan))):
        return _reminder(Kind.EDIT, shorten(f"{news} {recap(plan)}".rstrip(), policy.longest))
    if unseen:
        todo = focus(plan, turn) if policy.names_current else None
        now = "" if todo is None else _current(plan, todo, turn, policy)  # in the same words as at every request
        block = resume(plan, policy.longest - len(now), so_far(plan, turn.work))  # it tells of edits, too
        fits = len(block) + len(now) < policy.longest
        return Reminder(Kind.RESUME, f"{block}\n{now}".rstrip() if fits else resume(plan, policy.longest))
    if turn.stopping:
        return _reminder(Kind.STOP, _what_is_left(plan, policy)) if stop_verdict(plan, turn, policy) is None else None
    if policy.plan_first and turn.heard and plan.next is not None:
        return Reminder(Kind.FIRST, f"{_ANEW.format(policy.tool)}: one todo for each thing that is still to be done.")
    if turn.missing:
        return Reminder(Kind.FIRST, _what_is_missing(plan, turn, policy))
    if policy.names_current and (todo := focus(plan, turn)) is not None:
        return Reminder(Kind.CURRENT, f"{_goal(plan, todo)}{_current(plan, todo, turn, policy)}")
    if policy.names_current and plan.open:
        return Reminder(Kind.CURRENT, f"The rest is blocked. {end_now(policy, 'say what is missing')}")
    if policy.names_current and not turn.heard and (plan.is_finished or turn.cleared):
        return Reminder(Kind.CURRENT, f"All todos are done. {end_now(policy)}")
    if policy.breaks_loops and _is_loop(turn):
        return _reminder(Kind.LOOP, _loop(plan, turn))
    if plan.open and _is_stale(turn, policy):
        return Reminder(Kind.STALE, policy.stale_text) if policy.stale_text else _reminder(Kind.STALE, _stale(plan))
    if policy.plan_first and not plan.todos:
        return Reminder(Kind.FIRST, _first_plan(turn, policy))
    return Reminder(Kind.FIRST, policy.first_text) if turn.first and policy.first_text else None


def end_now(policy: Policy, saying: str = "") -> str:
    """What tells a model to end its turn. Small models end it only if they are shown the action."""
    if policy.end:
        return f"Your next action is {policy.end}: {saying or 'tell the user what you did'}."
    return f"End now with a short answer to the user{f': {saying}' if saying else ''}."


def stop_verdict(plan: Plan, turn: Turn, policy: Policy) -> str | None:
    """Why a model that wants to end its turn may do so; None if there is work left that it should go on with."""
    if not policy.holds:
        return "there is no stop gate"
    if not plan.open:
        return "nothing is open"
    if turn.interrupted:
        return "the user interrupted"
    if turn.asked_user:
        return "it waits for the user's answer"
    if turn.subagents:
        return "a subagent is at work"
    if plan.next is None:
        return "everything open is blocked"
    if turn.held >= policy.holds:
        return f"no progress after {turn.held} reminders"
    return None


def recap(plan: Plan, longest: int = 160) -> str:
    """The plan in one line: how far it is and what to do now; empty when nothing is open."""
    if not plan.open:
        return ""
    done = f"{len(plan.done)}/{len(plan.todos)} done."
    todo = plan.next
    if todo is None:
        return f"{done} The rest is blocked."
    return shorten(f"{done} {_now(todo)} {todo.id}: {quoted(todo)}", longest)


def resume(plan: Plan, longest: int = 2000, so_far: str = "") -> str:
    """The block that brings a plan back before a model that cannot see it; empty when nothing is open.

    Open todos are quoted word for word while there is room; later ones are cut short, and the last ones only counted.
    `so_far` says what was already done for the current todo, and what to do now.
    """
    if not plan.open:
        return ""
    head = [f"Goal: {_harmless(shorten(plan.summary, longest // 4))}"] if plan.summary else []
    head.append(f"{len(plan.done)} of {len(plan.todos)} todos are done. Still open:")
    tail = [line for line in (shorten(_harmless(describe(plan)), longest // 4), so_far or _go_on(plan)) if line]
    room = longest - sum(len(line) + 1 for line in (*head, *tail)) - len("<plan>\n</plan>")
    return "\n".join(["<plan>", *head, *_open_lines(plan, room), *tail, "</plan>"])


def quoted(todo: Todo) -> str:
    """A todo's text as a model may read it: on one line, with no tag in it, and not too long."""
    return _harmless(shorten(todo.content, LONGEST_QUOTE))


def so_far(plan: Plan, work: Work) -> str:
    """What was already done for the current todo, for a model that no longer sees it, and what to do now."""
    todo = plan.next
    if todo is None or work.last is None:
        return ""
    if work.done_by is not None:
        return f"Already run for {todo.id}, with success: {_call(work.done_by)}. {_go_on(plan)}"
    return f"Already tried for {todo.id}, and failed: {_call(work.last)}. {_go_on(plan)}" if work.last.failed else ""


def _first_plan(turn: Turn, policy: Policy) -> str:
    steps = f"each of the {turn.points} points" if turn.points else "every step of the task"
    if tool := _named_tool(turn):
        return f"First use {policy.tool}, not {tool}: write the plan, one todo for {steps}."
    return f"First write the plan with {policy.tool}: one todo for {steps}."


def _what_is_missing(plan: Plan, turn: Turn, policy: Policy) -> str:
    has = len(plan.todos)
    return (
        f"The user listed {has + turn.missing} points, and the plan has {has}. "
        f"Add the {turn.missing} that are missing with {policy.tool}."
    )


def _current(plan: Plan, todo: Todo, turn: Turn, policy: Policy) -> str:
    """What a model on the rails reads of its current todo, by the state of its work."""
    work, state = turn.work, state_of(plan, todo, turn, policy)
    if turn.vain_writes and not turn.constrained and state in BEFORE_A_MARK:
        return _now_do(todo, turn, policy)
    match state:
        case State.DONE_BEFORE if work.last is not None:
            done_by = _call(work.done_by or work.last)
            return f"Item {todo.id} was already done by: {done_by}. Now {_marking(todo, 'completed', policy)}."
        case State.REPEATED if work.last is not None:
            ran = f"You have run this {work.last.times} times, with success: {_call(work.last)}."
            return f"{ran} Now {_marking(todo, 'completed', policy)}."
        case State.GIVE_UP:
            failed = f"Item {todo.id} ({quoted(todo)}) failed {work.failures} times."
            return f"{failed} Now {_marking(todo, 'blocked', policy)}."
        case State.FAILED if work.last is not None:
            return f"That failed. {_another_way(turn, todo, work.last)}{_shell_hint(turn, policy)}"
        case State.UNMENTIONED:
            names = ", ".join(map(_harmless, turn.unmentioned))
            missing = f"Item {todo.id} is not done: {names} is missing."
            tool = _named_tool(turn)
            if tool and not turn.in_shell:
                return f"{missing} {_item(todo)}\n{_order(tool)}."
            call = f"one {tool} command" if tool else "a call"
            return f"{missing} Now do it with {call} that has {names} in it: {quoted(todo)}{_shell_hint(turn, policy)}"
        case State.WORKED:
            return _is_it_done(todo, policy)
        case State.LOOKED:
            return _after_a_look(plan, todo, turn, policy)
        case State.UNREAD:
            then = ", then change it" if source_files(todo) else ""
            files = ", ".join(map(_harmless, to_read(plan, todo)))
            return f"Read {files} first{then}. {_item(todo)}{_riding(todo, turn)}"
    again = "Try what is blocked once more. " if turn.retry else ""
    return f"{again}{_now_do(todo, turn, policy, _keeping(plan, todo), _riding(todo, turn))}"


def _goal(plan: Plan, todo: Todo) -> str:
    """What the user said of the whole plan, told for a todo: it must be in sight when the todo is done."""
    goal = goal_for(plan, todo)
    return f"Task: {_harmless(shorten(goal, LONGEST_GOAL))}\n" if goal else ""


def _another_way(turn: Turn, todo: Todo, last: ToolUse) -> str:
    if turn.can_look and not looks_in_sight(turn) and not last.read_only:
        return f"Look first at what is there. Then do item {todo.id} another way: {quoted(todo)}"
    if tool := _named_tool(turn):
        if not turn.in_shell:
            order = _order(tool) if last.times % 2 else f"Now run one {tool} command for it"
            return f"{_item(todo)}\n{order}."
        return f"Run another {tool} command for item {todo.id}: {quoted(todo)}"
    return f"Do item {todo.id} another way, with another tool or command: {quoted(todo)}"


def _after_a_look(plan: Plan, todo: Todo, turn: Turn, policy: Policy) -> str:
    """What to say when nothing was changed yet: what was seen belongs somewhere, or was only printed."""
    riding = _riding(todo, turn)
    if (file := _harmless(file_to_fill(plan, todo))) and files_to_read(plan, todo):
        by_tool = f" with one {turn.tool} command:" if turn.tool and not turn.constrained else ""
        how = " with" if turn.in_shell else by_tool
        echo = f"{how} echo >> {file}" if how and policy.shell_hints else ""
        return f"You have looked. Now add what you found to {file}{echo}. {_item(todo)}{riding}"
    if len(files := source_files(todo)) == 1:
        file = _harmless(files[0])
        change = f"Now change {file} as item {todo.id} says: {quoted(todo)}"
        if turn.only_shell and policy.shell_hints:
            return f"{change}. Write all of it, changed, with printf '...' > {file}{riding}"
        return f"So far you have only looked. {change}{riding}"
    if (hint := _shell_hint(turn, policy)) and turn.work.last is not None and prints(turn.work.last.label):
        then = f"{hint}{riding}"
        return f"That only printed something. {_now_do(todo, turn, policy, _keeping(plan, todo), then)}"
    return f"So far you have only looked. {_now_do(todo, turn, policy, _keeping(plan, todo), riding)}"


def _item(todo: Todo) -> str:
    return f"Item {todo.id}: {quoted(todo)}"


def _order(tool: str) -> str:
    return f"Your next action is {tool}, with one command that does it"


def _named_tool(turn: Turn) -> str:
    """The tool to name, if there is one that is better than others. A host that offers nothing else need not."""
    return "" if turn.constrained and turn.only_shell else turn.tool


def _now_do(todo: Todo, turn: Turn, policy: Policy, keeping: str = "", then: str = "") -> str:
    """What to do for a todo. A model that writes its plan again and again hears it in other words each time.

    Where there are several tools, the smallest models take the one that the last words are about. So the last words
    are the order, with the name of the tool.
    """
    text = f"{quoted(todo)}{keeping}"
    if tool := _named_tool(turn):
        if turn.vain_writes > 2:
            return f"Use {tool}, not {policy.tool}: {text}{then}"
        if turn.vain_writes > 1:
            return f"Run one {tool} command: {text}{then}"
        if not turn.only_shell:
            return f"{_item(todo)}{keeping}\n{_order(tool)}{then or '.'}"
        return f"Now run one {tool} command for item {todo.id}: {text}{then}"
    if turn.vain_writes and not turn.constrained:
        return f"Now do item {todo.id} with another tool than {policy.tool}: {text}{then}"
    return f"Now do item {todo.id} with the tool that fits best: {text}{then}"


def _shell_hint(turn: Turn, policy: Policy) -> str:
    return f". {SHELL_HINT}" if policy.shell_hints and turn.in_shell else ""


def _keeping(plan: Plan, todo: Todo) -> str:
    files = ", ".join(map(_harmless, shared_files(plan, todo)))
    return f". Keep what {files} already has, and add to it" if files else ""


def _riding(todo: Todo, turn: Turn) -> str:
    return f'. Put "{FIELD}": "{todo.id}" into the call that finishes it.' if turn.rides else ""


def _is_it_done(todo: Todo, policy: Policy) -> str:
    return (
        f"Is item {todo.id} ({quoted(todo)}) done now? Then {_marking(todo, 'completed', policy)}. If not, finish it."
    )


def _call(use: ToolUse) -> str:
    return _harmless(use.label)


def _is_loop(turn: Turn) -> bool:
    last = turn.work.last
    return last is not None and bool(last.key) and last.times > 2  # twice may well be meant


def _loop(plan: Plan, turn: Turn) -> str:
    last = turn.work.last
    assert last is not None, "a loop has a call"
    end = "It failed each time: try another way." if last.failed else "It is done: go on with what is left."
    return f"You have made the same call {last.times} times: {_call(last)}. {end} {recap(plan)}".rstrip()


def _marking(todo: Todo, status: str, policy: Policy) -> str:
    call = policy.mark.format(id=todo.id, status=status) if policy.mark else f"to mark it {status} with {policy.tool}"
    return f"your next action is {call}"


def _what_is_left(plan: Plan, policy: Policy) -> str:
    todo = plan.next
    assert todo is not None, "the gate lets a plan without a next todo go"
    return (
        f"{len(plan.open)} of {len(plan.todos)} todos are still open. {_now(todo)} {todo.id}: {quoted(todo)}. "
        f"Do it, or {'cancel what is not needed' if policy.can_cancel else 'take what is not needed off the list'}."
    )


def _stale(plan: Plan) -> str:
    return f"{recap(plan)}. Is the plan still right? If not, update it." if plan.next else recap(plan)


def _is_stale(turn: Turn, policy: Policy) -> bool:
    if not policy.stale_after or turn.since_write < policy.stale_after:
        return False
    if turn.reminded >= policy.stale_times > 0:
        return False
    return turn.since_reminder is None or turn.since_reminder >= policy.again_after


def _now(todo: Todo) -> str:
    return "Now" if todo.status is Status.IN_PROGRESS else "Next"


def _go_on(plan: Plan) -> str:
    return f"Go on with {plan.next.id}." if plan.next is not None else ""


def _open_lines(plan: Plan, room: int) -> list[str]:
    lines: list[str] = []
    todos = plan.open
    for position, todo in enumerate(todos):
        line = f"{todo.id}. [{todo.status}] {quoted(todo)}"
        left = room - len(f"and {len(todos)} more") - 1
        if len(line) + 1 > left and position:
            if left < 60:
                return [*lines, f"and {len(todos) - position} more"]
            line = shorten(line, 58)
        lines.append(line)
        room -= len(line) + 1
    return lines


def _reminder(kind: Kind, text: str) -> Reminder:
    return Reminder(kind, f"<reminder>{text}</reminder>")


def _harmless(text: str) -> str:
    return re.sub(r"<(?=[/!?A-Za-z])", "&lt;", one_line(text)) if "<" in text else one_line(text)
