"""One agent's plan: written by the model, corrected by people, told to listeners."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from .. import dialects
from ..attention import reminders
from ..dialects import Dialect, Reply, Traits
from ..errors import UsageError
from ..plan import Change, Plan, Status, edits
from ..plan.rules import Fault, Rules
from ..stores import Key, Record, Store, open_store
from . import model_step, person_steps
from .commit import Commits, Made
from .listeners import Listener
from .person_steps import Step
from .replies import LOOK, Answers

if TYPE_CHECKING:
    from ..stores.leases import Leases
    from .claims import Claim
    from .tokens import Counter

Gate = Callable[[], Fault | None]


class Board:
    """One agent's plan.

    `store` is a Store, the path of an SQLite file, a `postgresql://` address, or none to keep the plan in memory.
    `rules` change single rules of the dialect. `clock` gives the time in seconds since the epoch. Set `counter` to
    count the tokens that writes cost.
    """

    def __init__(
        self,
        dialect: str | Dialect = "holdfast",
        store: Store | str | PathLike[str] | None = None,
        session: str = "default",
        agent: str = "main",
        rules: Rules | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        chosen = dialects.get(dialect) if isinstance(dialect, str) else dialect
        self.dialect = chosen if rules is None else chosen.under(rules)
        self.store = open_store(store)
        self.key = Key(session, agent)
        self.gates: list[Gate] = []
        self.let_driver_go: Callable[[], None] | None = None
        self.work = self.looks = self.failures = 0
        self.counter: Counter | None = None
        now = time.time if clock is None else clock
        self._answers = Answers(self.store, self.key, now)
        self._commits = Commits(self.store, self.key, now)

    @property
    def plan(self) -> Plan:
        """The plan as it is now. Raises StoreError if it cannot be read."""
        return self.store.load(self.key)

    @property
    def prompt(self) -> str:
        """The text for the system prompt. It never changes."""
        return self.dialect.prompt

    @property
    def traits(self) -> Traits:
        """What a host wants to know of the tool before it runs it."""
        return self.dialect.traits

    def tool(self, form: str = "json") -> dict[str, Any]:
        """The tool definition in a wire form: "anthropic", "openai", "openai-responses", "mcp" or "json".

        Raises UsageError for a form that is none, and if the dialect has several tools: `tools` gives them all.
        """
        return dialects.definition(self.dialect, form)

    def tools(self, form: str = "json") -> list[dict[str, Any]]:
        """The definitions of every tool that the dialect has, one for most, in a wire form.

        Raises UsageError for a form that is none.
        """
        return dialects.definitions(self.dialect, form)

    def write(self, payload: object, dialect: Dialect | None = None, tool: str = "") -> Reply:
        """Take the model's call: a mapping or a JSON text, in the board's dialect or in another one.

        `tool` is the name of the tool that was called, for dialects that have several. Never raises: what is wrong with
        a payload, or with the store, is in the reply.
        """
        spoken = self.dialect if dialect is None else dialect
        reply = self._answers.give(lambda: self._written(payload, spoken, tool), spoken, payload, tool)
        if self.counter is not None or not reply.ok:
            from .tokens import tally

            tally(self, payload, reply)
        return reply

    def update(self, todos: Iterable[Mapping[str, object]], summary: str | None = None) -> Reply:
        """A host's own write, with ids, past the model's schema.

        If every todo carries an id that the plan holds, only those change, field by field; otherwise the whole list is
        replaced.
        """
        items = list(todos)
        step = person_steps.update(items, summary, self.dialect)
        return self._answers.give(lambda: self._commits.make(step, "host", "update"), self.dialect, {"todos": items})

    def clear(self) -> Reply:
        """Take every todo off the plan, and close it."""
        return self._person("clear", person_steps.clear)

    def edit(
        self,
        id: str,
        content: str | None = None,
        status: Status | str | None = None,
        active_form: str | None = None,
    ) -> Reply:
        """A person's change of one todo: reword it, start it, finish it, cancel it, block it."""
        item = {"id": id, "content": content, "status": status, "activeForm": active_form}
        given = {key: value for key, value in item.items() if value is not None}
        return self._person("edit", person_steps.edit(given, self.dialect.rules))

    def add(self, content: str, position: int | None = None) -> Reply:
        """A person's new todo, at the end or at a position counted from 0."""
        return self._person("add", person_steps.add(content, position, self.dialect.rules))

    def remove(self, id: str) -> Reply:
        """A person takes a todo off the plan."""
        return self._person("remove", person_steps.remove(id))

    def move(self, id: str, position: int) -> Reply:
        """A person puts a todo at another position, counted from 0."""
        return self._person("move", person_steps.move(id, position))

    def undo(self) -> Reply:
        """A person takes the newest change back that is not taken back yet. An undo is a change like any other."""
        return self._answers.give(self._undone, self.dialect)

    @cached_property
    def leases(self) -> "Leases":
        """Who holds which todo, beside the plan. Raises UsageError if the store keeps no leases."""
        from ..stores.leases import leases_of

        return leases_of(self.store)

    def claim(self, holder: str, id: str | None = None, seconds: float = 300.0) -> "Claim":
        """An agent takes a todo for so many seconds: the one named, else its own, else the next that is free.

        To claim again is to renew. After the time, another agent may take it over. Raises UsageError for a name or a
        time that cannot be, StoreError if the store cannot be used.
        """
        from .claims import claim

        return claim(self, holder, id, seconds)

    def release(self, holder: str, id: str) -> Reply:
        """An agent gives a todo back, as pending. Only its owner can."""
        from .claims import release

        return release(self, holder, id)

    def finish(self, holder: str, id: str, evidence: str | None = None) -> Reply:
        """An agent completes the todo that it has claimed. Refused if it is another's by now."""
        from .claims import finish

        return finish(self, holder, id, evidence)

    def apply(self, step: Step, action: str) -> Reply:
        """A host's own step from the plan as it is to a new one, tried again if somebody else came first."""
        return self._answers.give(lambda: self._commits.make(step, "host", action), self.dialect)

    def history(self) -> Iterator[Record]:
        """Every change of this plan and of those before it, the newest first."""
        return self.store.history(self.key)

    def at(self, revision: int) -> Plan:
        """The plan as it was at a revision. Raises UsageError for one that is not in the history."""
        plan = self.plan
        if revision == plan.revision:
            return plan
        for record in self.history():
            if record.change.before.revision == revision:
                return record.change.before
        raise UsageError(f"no revision {revision}: the history goes up to {plan.revision}")

    def worked(self, tool: str, failed: bool = False, looked: bool = False) -> None:
        """A host tells that another tool was used since the last write. A call that failed is no work.

        Neither is the first one that only `looked`: to read a file is seldom to have done what the todo says. A second
        look is: there are todos that ask for no more.
        """
        first_look = looked and not failed and not self.looks
        self.looks += looked and not failed
        self.work += not failed and not first_look
        self.failures = self.failures + 1 if failed else 0

    def told(self, heard: Plan | None = None) -> None:
        """A host tells that the model has now heard of every edit by a person: of those in the plan `heard`, if given.

        If there has been another edit since then, all of them stay to be told.
        """
        if self.plan.edits:
            self.apply(person_steps.tell(heard), "told")

    def recap(self) -> str:
        """One short line for the tail of a request; empty when nothing is open."""
        return reminders.recap(self.plan)

    def resume(self) -> str:
        """The block that brings the plan back before a model that cannot see it; empty when nothing is open."""
        return reminders.resume(self.plan)

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every write and edit made through this board; call what is returned to end that.

        A listener is called after the change is safe, in the order of the changes. What it raises is logged, and the
        change stands. It may return a Notice, which the dialect puts into its reply.
        """
        return self._answers.listeners.add(listener)

    def _written(self, payload: object, dialect: Dialect, tool: str) -> Made | list[Fault]:
        """What became of the model's call. A gate may refuse a write, and none a look."""
        if (unknown := model_step.unknown_tool(tool, dialect)) is not None:
            return [unknown]
        if dialect.looks(payload, tool):
            return self._looked(payload, dialect, tool)
        for gate in self.gates:
            if (refusal := gate()) is not None:
                return [refusal]
        step = model_step.write(payload, dialect, tool, self.work, self.failures)
        made = self._commits.make(step, "model", "write")
        if not isinstance(made, list):
            self.work = self.looks = self.failures = 0
        return made

    def _looked(self, payload: object, dialect: Dialect, tool: str) -> Made | list[Fault]:
        """The plan as the model asked to see it: no change, but now it knows what people did."""
        heard = self.plan
        notes = (edits.told(heard),) if heard.edits else ()
        self.told(heard)
        plan = self.plan
        _, faults = dialect.read(payload, plan, tool)
        return faults or (Change(plan, plan, "model", LOOK), notes)

    def _undone(self) -> Made | list[Fault]:
        change = person_steps.undoable(self.history())
        if change is None:
            return [Fault("", "there is nothing to undo", "nothing_to_undo")]
        return self._commits.make(person_steps.restore(change.before), "person", "undo", change.after.revision)

    def _person(self, action: str, step: Step) -> Reply:
        return self._answers.give(lambda: self._commits.make(step, "person", action), self.dialect)
