"""What a model is told of a person's changes, taken at its word, and compared with the plan.

A model of the documented semantics that shares nothing with the engine: it reads the sentence that the engine tells,
changes its own list by it, and must arrive at the plan. Then it sends the list that it knew before, as a model does
that has not looked: that must change nothing that a person did. A number of a plan never goes back, and an id in a
plan always means the same todo.
"""

import random
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from holdfast import Board, Plan
from holdfast.plan.edits import describe

from .tally import TortureResult

_T = TypeVar("_T")
Choose = Callable[[Sequence[_T]], _T]

TEXTS = tuple("ABCDE")
STATUSES = ("pending", "in_progress", "completed", "cancelled", "blocked")
STEPS = 12
_TODO = r'(?P<id>\S+) \("(?P<content>[^"]*)"\)'
_ADDED = re.compile(rf"added {_TODO}(?:, (?P<status>\w+))?")
_REMOVED = re.compile(rf"removed {_TODO}")
_CHANGED = re.compile(rf"{_TODO} (?P<words>.+)")

KnownTodos = dict[str, tuple[str, str]]
"""What a model knows: the text and the status of each todo, by its id, in order."""


class Untrue(AssertionError):
    """What was told is not what is there."""


def known(plan: Plan) -> KnownTodos:
    """What a model knows that has just seen the plan."""
    return {todo.id: (todo.content, str(todo.status)) for todo in plan.todos}


def believed(before: KnownTodos, told: str) -> KnownTodos:
    """What a model makes of what it is told."""
    if not told:
        return dict(before)
    if told == "The user cleared the plan.":
        return {}
    after = dict(before)
    started = []
    for part in told.removeprefix("The user changed the plan: ").removesuffix(".").split("; "):
        if found := _ADDED.fullmatch(part):
            after[found["id"]] = (found["content"], found["status"] or "pending")
            started += [found["id"]] * (found["status"] == "in_progress")
        elif found := _REMOVED.fullmatch(part):
            del after[found["id"]]
        elif found := _CHANGED.fullmatch(part):
            after[found["id"]] = _changed(after[found["id"]], found["words"])
            started += [found["id"]] * (after[found["id"]][1] == "in_progress")
        else:
            raise Untrue(f"cannot be understood: {part}")
    return {
        id: (text, "pending") if _waits(id, status, started) else (text, status) for id, (text, status) in after.items()
    }


def _changed(todo: tuple[str, str], words: str) -> tuple[str, str]:
    content, status = todo
    for word in words.split(", "):
        if word.startswith('now reads "'):
            content = word.removeprefix('now reads "').removesuffix('"')
        elif word.startswith("is ") and word.removeprefix("is ") in STATUSES:
            status = word.removeprefix("is ")
    return content, status


def _waits(id: str, status: str, started: Sequence[str]) -> bool:
    """Whether a todo must wait, since a person has started another: only one is in progress."""
    return status == "in_progress" and bool(started) and id not in started


class ToldLife:
    """One board, a model and a person."""

    def __init__(self, choose: Choose[object]) -> None:
        self.choose = choose
        self.board = Board()
        self.knows: KnownTodos = {}
        self.names: dict[tuple[int, str], float] = {}
        self.number = 1

    def pick(self, options: Sequence[_T]) -> _T:
        """One of these."""
        return self.choose(options)  # type: ignore[return-value]  # what is chosen is one of the options

    def live(self, steps: int = STEPS) -> None:
        """Some steps. Raises Untrue."""
        for _ in range(steps):
            self.pick(
                (self.model_writes, self.model_updates, self.person_acts, self.person_acts, self.model_restates)
            )()
            self._check_names()

    def model_writes(self) -> None:
        """The model writes a whole list."""
        count = self.pick((0, 1, 2, 3))
        todos = [{"content": self.pick(TEXTS), "status": self.pick(STATUSES[:4])} for _ in range(count)]
        self._write({"todos": todos})

    def model_updates(self) -> None:
        """The model changes one todo that it knows."""
        if self.knows:
            self._write({"todos": [{"id": self.pick(tuple(self.knows)), "status": self.pick(STATUSES[:4])}]})

    def model_restates(self) -> None:
        """A model that has not looked sends what it knew. Nothing that a person did is changed by it."""
        before = self.board.plan
        if not self.knows or not before.edits:
            return
        todos = [{"content": content, "status": status} for content, status in self.knows.values()]
        if not self._write({"todos": todos}):
            return
        after = self.board.plan
        if known(after) != known(before):
            raise Untrue(f"{describe(before)} A model that knew {todos} made {known(before)} into {known(after)}")

    def person_acts(self) -> None:
        """A person does something, and the model is told, in thought."""
        board, plan = self.board, self.board.plan
        ids = tuple(todo.id for todo in plan.todos) or ("1",)
        acts: tuple[Callable[[], object], ...] = (
            lambda: board.edit(self.pick(ids), status=self.pick(STATUSES)),
            lambda: board.edit(self.pick(ids), content=self.pick(TEXTS)),
            lambda: board.edit(self.pick(ids), content=self.pick(TEXTS), status=self.pick(STATUSES)),
            lambda: board.add(self.pick(TEXTS), position=self.pick((None, 0, 1))),
            lambda: board.remove(self.pick(ids)),
            lambda: board.move(self.pick(ids), self.pick((0, 1, 2))),
            board.undo,
            board.redo,
            board.clear,
            lambda: board.restore(self.pick(range(plan.revision + 1))),
        )
        self.pick(acts)()
        told = describe(board.plan)
        if believed(self.knows, told) != known(board.plan):
            raise Untrue(f"{self.knows} and {told!r} are not {known(board.plan)}")

    def _write(self, payload: object) -> bool:
        reply = self.board.write(payload)
        if reply.ok:
            self.knows = known(self.board.plan)
        return reply.ok

    def _check_names(self) -> None:
        plan = self.board.plan
        if plan.number < self.number:
            raise Untrue(f"plan {self.number} became plan {plan.number}")
        self.number = plan.number
        for todo in plan.todos:
            if self.names.setdefault((plan.number, todo.id), todo.created_at) != todo.created_at:
                raise Untrue(f"the id {todo.id} of plan {plan.number} was given twice")


def torture_told(seed: int, times: int) -> TortureResult:
    """Lives of boards, each with its own seed."""
    untrue = []
    for life in range(times):
        try:
            ToldLife(random.Random(f"{seed} {life}").choice).live()
        except Untrue as error:
            untrue.append(f"seed {seed}, life {life}: {error}")
    return TortureResult("lives in which a model takes what it is told at its word", times, tuple(untrue))
