"""What a model is told of a person's changes, taken at its word, and compared with the plan.

A model of the documented semantics that shares nothing with the engine: it reads the sentence that the engine tells,
changes its own list by it, and must arrive at the plan. Then it sends the list that it knew before, as a model does
that has not looked: that must change nothing that a person did. What becomes of any other list is foretold from the
table in `plan.edits`. A number of a plan never goes back, and an id in a plan always means the same todo. Agents claim
todos meanwhile, and no lease on an old one keeps them from a new one.
"""

import random
import re
import tempfile
from collections.abc import Callable, Sequence, Set
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from dev import NotRun
from dev.database import database_server
from holdfast import Board, Plan, Todo
from holdfast.dialects import DialectName
from holdfast.plan.edits import describe
from holdfast.stores import Store, open_store

from .tally import TortureResult

_T = TypeVar("_T")
Choose = Callable[[Sequence[_T]], _T]

WHAT = "lives in which a model takes what it is told at its word"
TEXTS = tuple("ABCDE")
STATUSES = ("pending", "in_progress", "completed", "cancelled", "blocked")
DONE = ("completed", "cancelled")
DIALECTS: tuple[DialectName, ...] = ("holdfast", "holdfast", "claude-code", "codex", "gemini", "opencode", "langchain")
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


def believed(before: KnownTodos, told: str, owned: Set[str] = frozenset(), most: int | None = 1) -> KnownTodos:
    """What a model makes of what it is told. Todos that agents have claimed do not wait for others."""
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
    started = [id for id in started if id not in owned]
    return {
        id: (text, "pending") if most == 1 and id not in owned and _waits(id, status, started) else (text, status)
        for id, (text, status) in after.items()
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


class Foretold(NamedTuple):
    """A todo that must be there after a write: under this id, if it is known, in one of these statuses."""

    id: str | None
    content: str
    statuses: frozenset[str]


def foretell(
    knows: KnownTodos,
    now: KnownTodos,
    wrote: Sequence[tuple[str, str]],
    statuses: Sequence[str] = STATUSES,
    shown_otherwise: Set[str] = frozenset(),
) -> list[Foretold]:
    """The todos after a whole list, from what the model knew, what people have made of it, and what it writes.

    A status that the model's dialect has no word for may stay: the model is shown another in its place. The todos in
    `shown_otherwise` have another active form by a person.
    """
    is_started = any(
        status == "in_progress" and knows.get(id, ("", ""))[1] != status for id, (_, status) in now.items()
    )

    def wished(status: str) -> frozenset[str]:
        return frozenset({status, "pending"} if status == "in_progress" and is_started else {status})

    def granted(id: str, status: str) -> Foretold:
        """A todo that the model means. What a person changed stays, but what only waits for another may be done."""
        (text, is_now), knew = now[id], knows.get(id, ("", "pending"))[1]
        lost_focus = (knew, is_now) == ("in_progress", "pending") and is_started and status in DONE
        unsayable = {knew} - set(statuses)
        is_wish = knew == is_now or lost_focus
        return Foretold(id, text, wished(status) | unsayable if is_wish else frozenset({is_now}))

    free = list(knows.items())
    foretold: list[Foretold] = []
    meant: set[str] = set()
    new: list[tuple[str, str]] = []
    for content, status in wrote:
        found = next((item for item in free if item[1][0] == content), None)
        if found is None:
            new.append((content, status))
            continue
        free.remove(found)
        meant.add(found[0])
        if found[0] in now:
            foretold.append(granted(found[0], status))
    foretold += [
        Foretold(id, text, frozenset({status, "pending"} if status == "in_progress" else {status}))
        for id, (text, status) in now.items()
        if id not in meant
        and (id not in knows or ((knows[id] != (text, status) or id in shown_otherwise) and status not in DONE))
    ]
    theirs = {now[id][0]: id for id in now if id not in meant and (id not in knows or knows[id][0] != now[id][0])}
    for content, status in new:
        if (id := theirs.pop(content, None)) is not None:  # the model comes to the same words as the person
            foretold = [*(one for one in foretold if one.id != id), granted(id, status)]
        else:
            foretold.append(Foretold(None, content, wished(status)))
    return foretold


def check_foretold(foretold: Sequence[Foretold], before: Plan, after: Plan) -> None:
    """Raise Untrue unless these todos, and no others, are there. A plan that begins anew counts its ids from 1."""
    left = list(after.todos)
    for one in sorted(foretold, key=lambda one: (one.id is None, len(one.statuses))):
        todo = next(
            (
                todo
                for todo in left
                if (todo.id == one.id or one.id is None or after.number != before.number)
                and todo.content == one.content
                and str(todo.status) in one.statuses
            ),
            None,
        )
        if todo is None:
            raise Untrue(f"{one} is not in {known(after)}")
        left.remove(todo)
    if left:
        raise Untrue(f"nobody wants {left}")


def _form(todo: Todo) -> str:
    return todo.active_form


class ToldLife:
    """One board, a model, a person, and two agents that claim todos."""

    def __init__(
        self,
        choose: Choose[object],
        dialect: DialectName = "holdfast",
        store: Store | None = None,
        session: str = "default",
    ) -> None:
        self.choose = choose
        self.board = Board(dialect=dialect, store=store, session=session)
        self.statuses = STATUSES[:4] if dialect in ("holdfast", "gemini", "opencode") else STATUSES[:3]
        self.knows: KnownTodos = {}
        self.names: dict[tuple[int, str], float] = {}
        self.number = 1

    def pick(self, options: Sequence[_T]) -> _T:
        """One of these."""
        return self.choose(options)  # type: ignore[return-value]  # what is chosen is one of the options

    def live(self, steps: int = STEPS) -> None:
        """Some steps. Raises Untrue."""
        for _ in range(steps):
            acts = [self.model_writes, self.person_acts, self.person_acts, self.model_restates]
            if self.board.dialect.name == "holdfast":
                acts += [self.model_updates, self.agent_acts]
            self.pick(acts)()
            self._check_names()

    def model_writes(self) -> None:
        """The model writes a whole list. What becomes of it is known before."""
        count = self.pick((0, 1, 2, 3))
        wrote = [(self.pick(TEXTS), self.pick(self.statuses)) for _ in range(count)]
        before, knows = self.board.plan, self.knows
        texts = [[text for text, _ in todos.values()] for todos in (knows, known(before))]
        is_plain = not (
            self._starts_several(wrote)
            or any(todo.details.owner for todo in before.todos)
            or any(of.count(text) > 1 for of in texts for text, _ in wrote)  # which of two with one text is open
        )
        if self._write(self._list(wrote)) and wrote and is_plain:
            shown = {
                one.id for one in before.edits if one.before and one.after and _form(one.before) != _form(one.after)
            }
            check_foretold(foretell(knows, known(before), wrote, self.statuses, shown), before, self.board.plan)

    def model_updates(self) -> None:
        """The model changes one todo that it knows."""
        if self.knows:
            self._write({"todos": [{"id": self.pick(tuple(self.knows)), "status": self.pick(STATUSES[:4])}]})

    def model_restates(self) -> None:
        """A model that has not looked sends what it knew. Nothing that a person did is changed by it."""
        before = self.board.plan
        if not self.knows or not before.edits or any(status not in self.statuses for _, status in self.knows.values()):
            return
        wrote = list(self.knows.values())
        if self._starts_several(wrote) or not self._write(self._list(wrote)):
            return
        after = self.board.plan
        if known(after) != known(before):
            raise Untrue(f"{describe(before)} A model that knew {wrote} made {known(before)} into {known(after)}")

    def agent_acts(self) -> None:
        """An agent claims, gives back or finishes a todo. One that nobody owns is never held by anybody else."""
        board, agent = self.board, self.pick(("ann", "bob"))
        ids = tuple(todo.id for todo in board.plan.todos) or ("1",)
        before = board.plan
        act = self.pick(("claim", "claim", "release", "finish"))
        if act == "claim":
            claim = board.claim(agent, self.pick((None, *ids)))
            owners = {todo.details.owner for todo in before.todos if todo.is_open}
            if claim.todo is None and claim.reply.faults[0].code == "held" and owners <= {"", agent}:
                raise Untrue(f"{claim.reply.text}, but nobody else owns one of {before.todos}")
        elif act == "release":
            board.release(agent, self.pick(ids))
        else:
            board.finish(agent, self.pick(ids))
        edited = {edit.id for edit in board.plan.edits}
        now = known(board.plan)
        self.knows = {id: now[id] if id in now and id not in edited else todo for id, todo in self.knows.items()}

    def _starts_several(self, todos: Sequence[tuple[str, str]]) -> bool:
        """Whether a list breaks the rule of one in progress: it is refused, and repaired when it comes again."""
        return self.board.rules.max_in_progress == 1 and [status for _, status in todos].count("in_progress") > 1

    def _list(self, todos: Sequence[tuple[str, str]]) -> dict[str, object]:
        """A whole list in the words of the dialect."""
        form = self.board.dialect.form
        content = form.names.get("content", "content")
        more = {"claude-code": {"activeForm": "x"}, "opencode": {"priority": "low"}}.get(self.board.dialect.name, {})
        return {form.list_field: [{content: text, "status": status, **more} for text, status in todos]}

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
        owned = {todo.id for todo in board.plan.todos if todo.details.owner}
        if believed(self.knows, told, owned, board.rules.max_in_progress) != known(board.plan):
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


def torture_told(seed: int, times: int, store: Store | None = None) -> TortureResult:
    """Lives of boards, each with its own seed, in memory or all in one store."""
    untrue = []
    for life in range(times):
        choose, dialect = random.Random(f"{seed} {life}").choice, DIALECTS[life % len(DIALECTS)]
        try:
            ToldLife(choose, dialect, store, f"{seed} {life}").live()
        except Untrue as error:
            untrue.append(f"seed {seed}, life {life}: {error}")
    return TortureResult(WHAT, times, tuple(untrue))


def torture_told_on_postgres(seed: int, times: int) -> TortureResult:
    """The same in PostgreSQL, on a server of our own."""
    what = f"{WHAT}, PostgreSQL"
    try:
        with database_server() as server, closing(open_store(server.address())) as store:
            return torture_told(seed, times, store)._replace(what=what)
    except NotRun as why:
        return TortureResult(what, not_run=str(why))


def torture_told_on_sqlite(seed: int, times: int) -> TortureResult:
    """The same in a file."""
    with tempfile.TemporaryDirectory() as folder, closing(open_store(str(Path(folder) / "plans.db"))) as store:
        found = torture_told(seed, times, store)
    return found._replace(what=f"{found.what}, SQLite")
