"""A session: the main agent's board, its subagents' boards, plan mode, and events."""

from collections.abc import Callable
from os import PathLike
from typing import Any

from ..attention.driver import Attention
from ..attention.policies import Policy
from ..dialects import Dialect
from ..errors import UsageError
from ..plan import Change, Todo
from ..plan.rules import Fault, Rules
from ..stores import Key, Store
from .board import Board
from .tokens import Counter, Tokens, compact, estimate

TodosListener = Callable[[tuple[Todo, ...]], object]

EVENTS = ("todos:update",)
PLAN_MODE = "in plan mode the todo list cannot be written: finish planning, and write it when the work starts"


class Session:
    """One run of an agent and its subagents over one store.

    Every board of a session speaks the same dialect under the same rules. `root` is the project's folder, for
    dialects that write into it. `counter` counts the tokens that the plan costs.
    """

    def __init__(
        self,
        store: Store | str | PathLike[str] | None = None,
        name: str = "default",
        dialect: str | Dialect = "holdfast",
        rules: Rules | None = None,
        root: str | PathLike[str] | None = None,
        clock: Callable[[], float] | None = None,
        counter: Counter = estimate,
    ) -> None:
        self.name = name
        self.plan_mode = False
        self.board = Board(dialect, store, name, "main", rules, clock)
        self._clock = clock
        self._subagents: dict[str, Board] = {}
        self._agents: set[str] = set()
        self.board.gates.append(self._refuse_in_plan_mode)
        self.board.counter = counter
        if root is not None and self.board.dialect.name == "envelope":
            from .completion_log import CompletionLog

            self.board.on_change(CompletionLog(root, clock))

    def subagent(self, name: str) -> Board:
        """The board of a subagent: a list of its own, of which no event tells. The same name gives the same board.

        Raises UsageError for the main agent's name.
        """
        if name == "main":
            raise UsageError("'main' is the main agent: Session.board")
        board = self._subagents.get(name)
        if board is None:
            new = Board(self.board.dialect, self.board.store, self.name, name, clock=self._clock)
            new.counter = self.board.counter
            self._agents.add(name)
            board = self._subagents.setdefault(name, new)
        return board

    def dismiss(self, name: str) -> None:
        """A subagent is through: its list is cleared and goes with it. What it was stays in the store's history.

        Raises UsageError for the main agent's name.
        """
        self.subagent(name).update([])
        self._subagents.pop(name, None)

    def tools(self, form: str = "json") -> list[dict[str, Any]]:
        """The tools that the main agent has now: none in plan mode, unless the dialect's traits allow it there."""
        return [] if self._withheld else self.board.tools(form)

    def attend(self, policy: str | Policy = "quiet", on_stop: Callable[[str], object] | None = None) -> Attention:
        """Keep the main agent's model on its plan by a policy; the host asks what is returned before each request."""
        return Attention(self.board, policy, on_stop)

    @property
    def tokens(self) -> Tokens:
        """What the plans of this session have cost so far, over all its agents."""
        counter = self.board.counter or estimate
        spent = [self.board.store.tallies(Key(self.name, agent)) for agent in ("main", *self._agents)]
        return Tokens(
            sum(counter(compact(tool)) for tool in self.board.tools()),
            counter(self.board.prompt),
            *(sum(totals.get(f"tokens.{kind}", 0) for totals in spent) for kind in Tokens._fields[2:]),
        )

    def on(self, event: str, listener: TodosListener) -> Callable[[], None]:
        """Call `listener` with the main agent's todos after each write or edit; call what is returned to end that.

        Raises UsageError for an event that is none.
        """
        if event not in EVENTS:
            raise UsageError(f"no event {event!r}; there is {', '.join(EVENTS)}")

        def tell(change: Change) -> None:
            listener(change.after.todos)

        return self.board.on_change(tell)

    @property
    def _withheld(self) -> bool:
        return self.plan_mode and not self.board.traits.in_plan_mode

    def _refuse_in_plan_mode(self) -> Fault | None:
        return Fault("", PLAN_MODE, "plan_mode") if self._withheld else None
