"""A session: the main agent's board, its subagents' boards, plan mode, and events."""

from collections.abc import Callable
from functools import cached_property
from os import PathLike
from typing import Any

from ..attention.driver import Attention
from ..attention.policies import Policy, PolicyName
from ..dialects import Dialect, DialectName, WireForm
from ..errors import UsageError
from ..plan import Change, Todo
from ..plan.fault import Fault
from ..plan.rules import Rules
from ..stores import Key, Store
from .board import Board
from .tokens import Counter, Tokens, compact, estimate
from .verification import FileChecks

TodosListener = Callable[[tuple[Todo, ...]], object]

PLAN_MODE = "in plan mode the todo list cannot be written: finish planning, and write it when the work starts"


class Session:
    """One run of an agent and its subagents over one store.

    Every board of a session speaks the same dialect under the same policy and rules. `root` is the project's folder,
    for dialects that write into it, and for checks of files. `counter` counts the tokens that the plan costs.

    Raises UsageError for an unknown dialect or policy.
    """

    def __init__(
        self,
        *,
        store: Store | str | PathLike[str] | None = None,
        name: str = "default",
        dialect: DialectName | Dialect = "holdfast",
        policy: PolicyName | Policy = "quiet",
        rules: Rules | None = None,
        root: str | PathLike[str] | None = None,
        clock: Callable[[], float] | None = None,
        counter: Counter = estimate,
    ) -> None:
        self.name = name
        self.plan_mode = False
        self._dialect: DialectName | Dialect = dialect
        self._policy: PolicyName | Policy = policy
        self._rules, self._clock, self._root = rules, clock, root
        self._counter = counter
        self._subagents: dict[str, Board] = {}
        self._agents: set[str] = set()
        self.board = self._open(store, "main")
        self.board.on_write(self._refuse_in_plan_mode)
        if root is not None and self.board.dialect.name == "envelope":
            from .completion_log import CompletionLog

            self.board.on_change(CompletionLog(root, clock))

    @cached_property
    def attention(self) -> Attention[Board]:
        """What keeps the main agent's model on its plan. It drives the board from the moment it is first asked for."""
        return Attention(self.board)

    def subagent(self, name: str) -> Board:
        """The board of a subagent: a list of its own, without events. The same name gives the same board.

        Raises UsageError for the main agent's name.
        """
        if name == "main":
            raise UsageError("'main' is the main agent: Session.board")
        board = self._subagents.get(name)
        if board is None:
            self._agents.add(name)
            board = self._subagents.setdefault(name, self._open(self.board.store, name))
        return board

    def dismiss(self, name: str) -> None:
        """A subagent has finished: its list is cleared and forgotten. It stays in the store's history.

        Raises UsageError for the main agent's name.
        """
        self.subagent(name).update([])
        self._subagents.pop(name, None)

    def tools(self, form: WireForm = "json") -> list[dict[str, Any]]:
        """The tools that the main agent has now: no tools in plan mode, unless the dialect's traits allow it there."""
        return [] if self._is_withheld else self.board.tools(form)

    @property
    def tokens(self) -> Tokens:
        """What the plans of this session have cost so far, over all its agents."""
        count = self._counter
        spent = [self.board.store.tallies(Key(self.name, agent)) for agent in ("main", *self._agents)]
        return Tokens(
            sum(count(compact(tool)) for tool in self.board.tools()),
            count(self.board.prompt),
            *(sum(totals.get(f"tokens.{kind}", 0) for totals in spent) for kind in Tokens._fields[2:]),
        )

    def on_todos(self, listener: TodosListener) -> Callable[[], None]:
        """Call `listener` with the main agent's todos after each write or edit. The returned function ends that."""

        def call_listener(change: Change) -> None:
            listener(change.after.todos)

        return self.board.on_change(call_listener)

    def _open(self, store: Store | str | PathLike[str] | None, agent: str) -> Board:
        board = Board(
            store=store,
            session=self.name,
            agent=agent,
            dialect=self._dialect,
            policy=self._policy,
            rules=self._rules,
            clock=self._clock,
        )
        board.count_tokens(self._counter)
        if self._root is not None:
            board.verify_with(FileChecks(self._root))
        return board

    @property
    def _is_withheld(self) -> bool:
        return self.plan_mode and not self.board.traits.in_plan_mode

    def _refuse_in_plan_mode(self) -> Fault | None:
        return Fault("", PLAN_MODE, "plan_mode") if self._is_withheld else None
