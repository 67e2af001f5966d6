"""One agent's plan: written by the model, corrected by people, watched by listeners."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from threading import RLock
from typing import TYPE_CHECKING, Any

from .. import dialects
from ..attention.policies import Policy, PolicyName, find_policy
from ..dialects import Dialect, DialectName, Notice, Outcome, Reply, Traits, WireForm
from ..errors import InDoubt, StoreError, UsageError
from ..plan import About, Author, DetailsWish, Plan, Status
from ..plan.fault import CHECK_FAILED, IN_DOUBT, Fault, Refusal
from ..plan.model_write import Terms
from ..plan.rules import Rules
from ..plan.step import Step, refuse_with
from ..plan.work import Work
from ..stores import Key, Record, Store, open_store
from ..text import brief
from . import person_steps
from .commit import DELETE, NO_RESULTS, ChangeRequest, Commits
from .listeners import Listener, Listeners, log
from .model_write import ModelWrite
from .settings import Settings, from_json
from .work_journal import WorkJournal

if TYPE_CHECKING:
    from ..stores.leases import Leases
    from .claims import Claim
    from .tokens import Counter
    from .verification import ChecksDue, Runner

Gate = Callable[[], Fault | None]
"""Asked before each of the model's writes: a fault refuses it."""

MOST_ROUNDS = 10
"""How often checks are run again because somebody has changed them meanwhile."""

MARK_TOLD = "told"
"""The action of the change that marks a person's edits as told to the model."""

_new = tuple.__new__  # half the cost of calling a named tuple's class, and every write makes several


class Board:
    """One agent's plan.

    `store` is a Store, the path of an SQLite file, or a `postgresql://` address; None keeps the plan in memory.
    `dialect` is the form of todo tool that the model speaks. `policy` says how much the model is told of its plan: an
    `Attention` acts on it. `rules` change single rules of the dialect and the policy. `clock` gives the time in
    seconds since the epoch. Dialect, policy and rules are kept with the plan: `for_person` opens it under them.

    Raises UsageError for an unknown dialect or policy.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        session: str = "default",
        agent: str = "main",
        dialect: DialectName | Dialect = "holdfast",
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        chosen = dialects.get(dialect) if isinstance(dialect, str) else dialect
        self.policy = find_policy(policy).fitted_to(chosen)
        changes = self.policy.rules if rules is None else rules.over(self.policy.rules)
        self._set_up(
            open_store(store),
            Key(session, agent),
            chosen.with_rules(changes),
            clock,
            Settings(chosen.name, self.policy.name, changes).to_json(),
        )

    @classmethod
    def for_person(cls, store: Store, session: str, agent: str = "main") -> "Board":
        """The board on which a person corrects an agent's plan, under the rules that the plan is kept by.

        Every surface for people comes this way. It answers in the words of the default dialect. Raises StoreError if
        the plan cannot be read.
        """
        kept = store.load(Key(session, agent)).settings
        board = cls.__new__(cls)
        board.policy = find_policy("quiet")
        rules = from_json(kept).all_rules()
        board._set_up(store, Key(session, agent), dialects.get("holdfast").with_rules(rules), None, kept)
        return board

    def _set_up(
        self, store: Store, key: Key, dialect: Dialect, clock: Callable[[], float] | None, settings: str
    ) -> None:
        self.store = store
        self.key = key
        self.dialect = dialect
        self._clock = time.time if clock is None else clock
        self._commits = Commits(store, key, self._clock, settings)
        self._lock = RLock()
        self._listeners = Listeners(self._lock)
        self._gates: list[Gate] = []
        self._runners: list[Runner] = []
        self._detach_driver: Callable[[], None] | None = None
        self._journal = WorkJournal(store, key)
        self._counter: Counter | None = None
        self._refused: tuple[object, int] = (None, 0)

    @property
    def plan(self) -> Plan:
        """The plan as it is now. Raises StoreError if it cannot be read."""
        return self.store.load(self.key)

    @property
    def rules(self) -> Rules:
        """Every rule that the model's writes must obey."""
        return self.dialect.rules

    @property
    def prompt(self) -> str:
        """The text for the system prompt. It never changes."""
        return self.dialect.prompt

    @property
    def traits(self) -> Traits:
        """What a host wants to know of the tool before it runs it."""
        return self.dialect.traits

    @property
    def work(self) -> Work:
        """What was done for the current todo since the last write, as far as the host reported it."""
        return self._journal.read()

    def tool(self, form: WireForm = "json") -> dict[str, Any]:
        """The tool definition in a provider's wire form. It never changes.

        Raises UsageError for an unknown form, and if the dialect has several tools: `tools` gives them all.
        """
        return dialects.definition(self.dialect, form)

    def tools(self, form: WireForm = "json") -> list[dict[str, Any]]:
        """The definitions of all tools of the dialect, one for most, in a wire form. They never change.

        Raises UsageError for an unknown form.
        """
        return dialects.definitions(self.dialect, form)

    def function(self) -> Callable[..., str]:
        """The tool as a typed function, for frameworks that read a signature. Each call is a write.

        Raises UsageError if the dialect has several tools: `functions` gives them all.
        """
        functions = self.functions()
        if len(functions) > 1:
            raise UsageError(f"{self.dialect.name} has {len(functions)} tools: ask for all of them with functions()")
        return functions[0]

    def functions(self) -> list[Callable[..., str]]:
        """All tools of the dialect as typed functions, one for most."""
        from .function import function_of

        return [function_of(tool, self.write) for tool in self.dialect.tools]

    def write(self, payload: object, tool: str | None = None) -> Reply:
        """Take the model's call: a mapping or a JSON text.

        `tool` is the name of the tool that was called, for dialects that have several. Never raises: what is wrong with
        a payload, or with the store, is in the reply.
        """
        return self.write_in(self.dialect, payload, tool)

    def write_in(self, dialect: Dialect, payload: object, tool: str | None = None) -> Reply:
        """Take the model's call in another dialect than the board's own. Never raises."""
        known = self._journal.known
        work = self._journal.read_if_possible() if known is None else known
        tool = tool or ""
        call = _new(ModelWrite, (payload, dialect, tool, work, bool(self._runners)))
        if tool not in dialect.writing_tools and call.is_look:
            request = ChangeRequest(call.look, "host", MARK_TOLD, dialect, payload, tool, is_look=True)
        else:
            fields = (call.write, "model", "write", dialect, payload, tool, False, None, NO_RESULTS, 0, "")
            request = _new(ChangeRequest, fields)
        reply = self._perform(request)
        if not (reply.ok or dialect.is_strict):
            reply = self._insisted(request, reply)
        if self._counter is not None or not reply.ok:
            from .tokens import tally

            tally(self.store, self.key, self._counter, payload, reply)
        return reply

    def update(self, todos: Iterable[Mapping[str, object]], summary: str | None = None) -> Reply:
        """A host's own write, with ids, past the model's schema.

        If every todo carries an id that the plan holds, only those change, field by field; otherwise the whole list is
        replaced.
        """
        items = list(todos)
        step = person_steps.update(items, summary, self.dialect)
        return self._perform(ChangeRequest(step, "host", "update", self.dialect, {"todos": items}))

    def complete(self, id: str, evidence: str = "") -> Reply:
        """A host completes a todo, because the calls that it has reported show that it is done."""
        step = person_steps.complete(id, evidence, self._terms)
        return self._perform(ChangeRequest(step, "host", "complete", self.dialect))

    def block(self, id: str, reason: str = "") -> Reply:
        """A host blocks a todo, because the calls that it has reported show that the model cannot do it."""
        return self._perform(ChangeRequest(person_steps.block(id, reason, self._terms), "host", "block", self.dialect))

    @property
    def _terms(self) -> Terms:
        return Terms(self.rules, "todos", self._journal.read_if_possible(), bool(self._runners))

    def clear(self, *, expected_revision: int | None = None) -> Reply:
        """Take every todo off the plan, and close it."""
        return self._edit("clear", person_steps.clear, expected_revision)

    def edit(
        self,
        id: str,
        *,
        content: str | None = None,
        status: Status | str | None = None,
        active_form: str | None = None,
        check: str | None = None,
        details: DetailsWish | None = None,
        expected_revision: int | None = None,
    ) -> Reply:
        """A person's change of one todo: reword it, start it, finish it, cancel it, block it, say what it must pass.

        `details` are what else may be said of it: what it waits for, a priority, a note, an owner, a heading.
        Like every change by a person, it is refused with the code "conflict" if the plan is not at
        `expected_revision`, where one is given.
        """
        item = {"id": id, "content": content, "status": status, "activeForm": active_form, "check": check}
        given = {key: value for key, value in item.items() if value is not None}
        return self._edit("edit", person_steps.edit(given, details, self.rules), expected_revision)

    def add(
        self,
        content: str,
        *,
        position: int | None = None,
        check: str = "",
        details: DetailsWish | None = None,
        expected_revision: int | None = None,
    ) -> Reply:
        """A person's new todo, at the end or at a position counted from 0, with what it must pass to be done."""
        given = {"content": content, **({"check": check} if check else {})}
        return self._edit("add", person_steps.add(given, position, details, self.rules), expected_revision)

    def prove(self, id: str, *, expected_revision: int | None = None) -> Reply:
        """A person has the check run of a todo that was completed without it. Nothing changes if it fails."""
        step = person_steps.prove(id)
        return self._perform(
            ChangeRequest(step, "person", "prove", self.dialect, expected_revision=expected_revision, proves=id)
        )

    def remove(self, id: str, *, expected_revision: int | None = None) -> Reply:
        """A person removes a todo from the plan."""
        return self._edit("remove", person_steps.remove(id), expected_revision)

    def move(self, id: str, position: int, *, expected_revision: int | None = None) -> Reply:
        """A person puts a todo at another position, counted from 0."""
        return self._edit("move", person_steps.move(id, position), expected_revision)

    def undo(self, *, expected_revision: int | None = None) -> Reply:
        """A person takes back the newest change that is not taken back yet. An undo is a change like any other."""
        return self._edit("undo", person_steps.undo(self.history), expected_revision)

    def redo(self, *, expected_revision: int | None = None) -> Reply:
        """A person takes the newest undo back, if nothing else was changed since."""
        return self._edit("redo", person_steps.redo(self.history), expected_revision)

    def restore(self, revision: int, *, expected_revision: int | None = None) -> Reply:
        """A person brings the plan back as it was at a revision. Raises UsageError for an unknown one."""
        return self._edit("restore", person_steps.restore(self.at(revision)), expected_revision)

    def rename(self, name: str, *, expected_revision: int | None = None) -> Reply:
        """A person gives the session a name; an empty one takes it away."""
        return self._edit("rename", person_steps.rename(name), expected_revision)

    def archive(self, *, expected_revision: int | None = None) -> Reply:
        """A person puts the plan away: lists leave it out until somebody changes it."""
        return self._edit("archive", person_steps.archive, expected_revision)

    def delete(self, *, expected_revision: int | None = None) -> Reply:
        """A person deletes the plan with its whole history. It cannot be undone; whoever writes next begins anew.

        It is refused if the store cannot delete, or may not.
        """
        return self._edit(DELETE, person_steps.delete, expected_revision)

    def request_review(self) -> Reply:
        """A host makes the plan wait for a person's approval, once in a session: the first plan that has open todos.

        It is the host that holds the agent until then: see `plan.awaits_approval`.
        """
        return self.apply(person_steps.request_review, "review")

    def approve(self, *, expected_revision: int | None = None) -> Reply:
        """A person lets the work begin on a plan that waits for it; any other plan stays as it is."""
        return self._edit("approve", person_steps.approve, expected_revision)

    def introduce(self, about: About) -> None:
        """A host says what it knows of the session: title, client, folder, branch. It is kept with the next change."""
        self._commits.about = about._replace(name="", archived_at=0.0, review="")

    @cached_property
    def leases(self) -> "Leases":
        """Who holds which todo, beside the plan. Raises UsageError if the store keeps no leases."""
        from ..stores.leases import leases_of

        return leases_of(self.store)

    def claim(self, holder: str, id: str | None = None, seconds: float = 300.0) -> "Claim":
        """An agent takes a todo for so many seconds: the one named, else its own, else the next that is free.

        To claim again is to renew. After the time, another agent may take it over. Raises UsageError for an
        invalid name or time, StoreError if the store cannot be used.
        """
        from .claims import claim

        return claim(self, holder, id, seconds)

    def release(self, holder: str, id: str) -> Reply:
        """An agent gives a todo back, as pending. Only its owner can."""
        from .claims import release

        return release(self, holder, id)

    def finish(self, holder: str, id: str, evidence: str | None = None) -> Reply:
        """An agent completes the todo that it has claimed. Refused if another agent owns it by now."""
        from .claims import finish

        return finish(self, holder, id, evidence)

    def apply(self, step: Step, action: str, by: Author = "host") -> Reply:
        """A host's own step from the plan as it is to a new one, tried again if somebody else wrote first."""
        return self._perform(ChangeRequest(step, by, action, self.dialect))

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

    def record_tool_use(
        self,
        tool: str,
        arguments: object = None,
        failed: bool = False,
        read_only: bool = False,
        files: Iterable[str] = (),
        *,
        todo: str = "",
    ) -> None:
        """A host reports the use of another tool, for the work journal of the current todo.

        `files` are what it touched, such as paths or a commit. `todo` is the id of what it was used for if no todo can
        be worked on: a blocked one that is tried once more. It never raises: a journal that cannot be kept is logged.
        """
        try:
            self._journal.record(self.plan, tool, arguments, failed, read_only, files, self._clock(), todo)
        except StoreError as error:
            log(f"the use of a tool was not recorded: {error}")

    def resume_work(self, work: Work) -> None:
        """A host that runs in several processes reports what was done since the last write."""
        self._journal.known = work

    def mark_edits_told(self, seen: Plan | None = None) -> None:
        """A host reports that the model knows every edit by a person: all of those in the plan `seen`, if given.

        If there has been another edit since then, none of them counts as told.
        """
        if self.plan.edits:
            self.apply(person_steps.mark_told(seen), MARK_TOLD)

    def recap(self) -> str:
        """One short line for the end of a request; empty when nothing is open."""
        from ..attention.reminders import recap

        return recap(self.plan)

    def resume(self) -> str:
        """The block that brings the plan back before a model that cannot see it; empty when nothing is open."""
        from ..attention.reminders import resume, so_far
        from ..attention.state import work_on

        plan = self.plan
        return resume(plan, so_far=so_far(plan, work_on(plan, self._journal.read_if_possible())))

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every write and edit made through this board. Call the returned function to end that.

        A listener is called after the change is safe, in the order of the changes. What it raises is logged, and the
        change stands. It may return a Notice, which the dialect puts into its reply.
        """
        return self._listeners.add(listener)

    def on_write(self, gate: Gate) -> Callable[[], None]:
        """Ask `gate` before each of the model's writes: a fault that it returns refuses the write.

        Call the returned function to end that. A call that only reads the plan is never refused.
        """
        self._gates.append(gate)
        return lambda: self._gates.remove(gate)

    def verify_with(self, runner: "Runner") -> Callable[[], None]:
        """Let `runner` run the checks of todos, before those that were given earlier. A board runs none by itself.

        A runner returns None for a check that it cannot run. It is called outside of every lock, and may take its time.
        Call the returned function to end that.
        """
        self._runners.insert(0, runner)
        return lambda: self._runners.remove(runner)

    def attach(self, detach: Callable[[], None]) -> None:
        """A driver takes over. A board has one at a time: `detach` is called when the next one comes."""
        if self._detach_driver is not None:
            self._detach_driver()
        self._detach_driver = detach

    def count_tokens(self, counter: "Counter | None") -> None:
        """Count what writes and reminders cost from now on, into the store's totals."""
        self._counter = counter

    def count_reminder(self, text: str) -> None:
        """Count a text that the model was given about its plan."""
        if self._counter is not None:
            self.store.tally(self.key, {"tokens.reminders": self._counter(text)})

    def _insisted(self, request: ChangeRequest, reply: Reply) -> Reply:
        """The answer to a refused call. Who sends the same call again cannot read the refusal.

        So it is repaired, if it has one sensible reading, and otherwise not refused in the same words again. A check
        that failed is another matter: the same call is right, once the check passes.
        """
        if any(fault.code == CHECK_FAILED for fault in reply.faults):
            return reply
        payload, (former, times) = request.payload, self._refused
        try:
            times = times + 1 if payload == former else 1
        except Exception:  # a payload may be any object at all
            times = 1
        self._refused = (payload, times)
        if times == 1:
            return reply
        dialect = request.dialect
        if not dialect.rules.repair and request.by == "model":
            lenient = dialect.with_rules(dialect.rules.replace(repair=True))
            step = ModelWrite(payload, lenient, request.tool, self._journal.read_if_possible()).write
            repaired = self._perform(request._replace(step=step))
            if repaired.ok:
                return repaired
        return reply._replace(text=f"The same call {times} times: send another one. {reply.text}")

    def _edit(self, action: str, step: Step, expected_revision: int | None) -> Reply:
        request = ChangeRequest(step, "person", action, self.dialect, expected_revision=expected_revision)
        reply = self._perform(request)
        undoes = action in ("undo", "redo", "restore")
        if reply.change is not None and (undoes or any(todo.details.owner for todo in reply.change.before.todos)):
            from .claims import release_lost

            release_lost(self, reply.change)
        return reply

    def _perform(self, request: ChangeRequest) -> Reply:
        """The way of every change: step, commit, notify, reply. Nothing is raised.

        Nothing before the commit has an effect, and nothing after it can undo it.
        """
        dialect = request.dialect
        tells_time = dialect.tells_time
        started = self._clock() if tells_time else 0.0
        with self._lock:
            try:
                result = (self._gate(request) if self._gates else None) or self._commits.make(request)
            except Exception as error:
                result = Refusal((_fault_of(error),))
            if isinstance(result, Outcome):
                notices = self._notify(result)
                if notices or tells_time:
                    spent = self._clock() - started if tells_time else 0.0
                    result = result._replace(notices=notices, seconds=spent)
            elif isinstance(result, Refusal):
                faults = dialect.reported(result.faults)
                spent = self._clock() - started if tells_time else 0.0
                plan, payload, tool = self._plan_or_empty(), request.payload, request.tool
                result = Outcome(plan, faults, None, payload, (), (), spent, tool)
            if isinstance(result, Outcome):
                try:
                    return dialect.reply(result)
                except Exception:
                    return _plain_reply(result)
        return self._run_checks(request, result)

    def _run_checks(self, request: ChangeRequest, due: "ChecksDue") -> Reply:
        """Run the checks that a change waits for, outside of the lock; then try it on the plan as it is by then."""
        from .verification import run_checks

        if request.rounds >= MOST_ROUNDS:
            fault = Fault("", f"its checks were changed {MOST_ROUNDS} times while they ran; try again", "busy")
            return self._perform(request._replace(step=refuse_with(fault)))
        results = {**request.results, **run_checks(due.checks, self._runners)}
        return self._perform(request._replace(results=results, rounds=request.rounds + 1))

    def _gate(self, request: ChangeRequest) -> Refusal | None:
        if request.by == "model":
            for gate in self._gates:
                if (fault := gate()) is not None:
                    return Refusal((fault,))
        return None

    def _notify(self, outcome: Outcome) -> tuple[Notice, ...]:
        work, change = self._journal.known, outcome.change
        assert change is not None, "what was committed is a change"
        if work is not None and work.uses and change.by == "model" and change.after is not change.before:
            self._journal.clear()
        if not self._listeners.all or (outcome.is_look and change.before is change.after):
            return ()
        return self._listeners.notify(change)

    def _plan_or_empty(self) -> Plan:
        try:
            return self.plan
        except Exception:  # the reply says what went wrong; an empty plan is enough here
            return Plan()


def _plain_reply(outcome: Outcome) -> Reply:
    """The answer where the dialect has failed to give one. The error is logged; what was written stands."""
    log("a reply failed")
    plan, faults, change = outcome[:3]
    text = "; ".join(fault.message for fault in faults) or "The plan is saved."
    return Reply(not faults, text, None, faults, plan, change, outcome.is_update)


def _fault_of(error: Exception) -> Fault:
    """What went wrong, on one short line: an error may quote anything. Unexpected errors are logged."""
    words = brief(str(error), 400)
    if isinstance(error, InDoubt):
        return Fault("", words, IN_DOUBT)
    if isinstance(error, StoreError):
        return Fault("", f"the plan could not be saved: {words}", "store")
    log("a write failed")
    return Fault("", f"unexpected {type(error).__name__}: {words}", "internal")
