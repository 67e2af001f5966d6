"""Scripts for a model in an evaluation: one that does its work, one that only says so, in the words of every arm."""

from collections.abc import Callable, Iterator, Sequence

from holdfast.agent.messages import Block
from holdfast.attention.coverage import points_to_adopt
from holdfast.evaluation.arms import Arm
from holdfast.evaluation.tasks import Job, Task
from holdfast.testing import ScriptedTurn, action, call, text

Speaker = Callable[..., Block]
Said = list[Block]
"""What the model says in one turn."""
GOODBYE = "All of it is done."


class Script:
    """Turns for a server, which can be changed while it runs."""

    def __init__(self, turns: Sequence[ScriptedTurn] = ()) -> None:
        self.turns = iter(turns)

    def __iter__(self) -> Iterator[ScriptedTurn]:
        return self

    def __next__(self) -> ScriptedTurn:
        return next(self.turns)


def honest(task: Task, arm: Arm, json: bool = False) -> list[Said]:
    """Plans if the arm has a plan and does not take the user's list as it is, does each job, and marks it."""
    return _script(task, arm, [job.solution for job in steps(task)], json, marks=not arm.policy.completes)


def lying(task: Task, arm: Arm, json: bool = False) -> list[Said]:
    """The same with no work in it: every job is marked, none is done. What the user says then moves it to nothing."""
    said = _script(task, arm, [idle(number) for number, _ in enumerate(steps(task))], json)
    return [*said, said[-1]] if task.later else said


def hasty(arm: Arm, texts: Sequence[str], commands: Sequence[str]) -> list[Said]:
    """Works and marks in the same turn: half of the list, then the rest of it."""
    half = len(commands) // 2
    turns: list[Said] = [] if arm.dialect is None else [[_plan(arm, texts, 0, call)]]
    for start, end in ((0, half), (half, len(commands))):
        marks = [] if arm.dialect is None else [_plan(arm, texts, end, call, start)]
        turns.append([call("bash", command="\n".join(commands[start:end])), *marks])
    return [*turns, [text(GOODBYE)]]


def idle(number: int) -> str:
    """A command that does nothing, is not the one before, and is too long for `quiet` to know that it does nothing."""
    return f": {number} {'.' * 80}"


def steps(task: Task) -> list[Job]:
    """The jobs as they come: those of the list, then what the user said later."""
    return [*task.jobs, *(job for job in task.later_jobs if job not in task.jobs)]


def todo_texts(task: Task) -> list[str]:
    """What the todos of a task say: the user's own words, where they are a plan as they stand."""
    own = points_to_adopt(task.text)
    texts = [job.text for job in steps(task)]
    return list(own) if len(own) == len(texts) else texts


def _script(task: Task, arm: Arm, commands: Sequence[str], json: bool, marks: bool = True) -> list[Said]:
    speak: Speaker = action if json else call
    texts = todo_texts(task)
    is_planned = arm.policy.adopts and points_to_adopt(task.text) == tuple(texts)
    turns: list[Said] = [] if arm.dialect is None or is_planned else [[_plan(arm, texts, 0, speak)]]
    for at, command in enumerate(commands, 1):
        turns.append([speak("bash", command=command)])
        if arm.dialect is not None and marks:
            turns.append([_plan(arm, texts, at, speak)])
    return [*turns, [action("finish", text=GOODBYE) if json else text(GOODBYE)]]


def _plan(arm: Arm, texts: Sequence[str], done: int, speak: Speaker, before: int | None = None) -> Block:
    """The plan with so many todos done: by id where the dialect has ids, those since `before`, else the whole list."""
    if arm.dialect == "holdfast" and done:
        first = done if before is None else before + 1
        return speak("TodoWrite", todos=[{"id": str(at), "status": "completed"} for at in range(first, done + 1)])
    if arm.dialect == "holdfast":
        return speak("TodoWrite", todos=[{"content": words} for words in texts])
    statuses = ["completed"] * done + ["pending"] * (len(texts) - done)
    listed = list(zip(texts, statuses, strict=True))
    if arm.dialect == "codex":
        return speak("update_plan", plan=[{"step": words, "status": status} for words, status in listed])
    items = [{"content": words, "status": status, "activeForm": words} for words, status in listed]
    return speak("TodoWrite", items=items)
