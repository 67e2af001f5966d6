"""The board that a driver keeps a model to, as far as the driver has to know it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from ..dialects import Dialect, Reply
from ..plan import Change, Plan
from ..plan.fault import Fault
from ..plan.step import Step
from ..plan.work import Work
from .policies import Policy


class AttendedBoard(Protocol):
    """What the driver needs of a board."""

    policy: Policy
    dialect: Dialect

    @property
    def plan(self) -> Plan:
        """The plan as it is now."""
        ...

    @property
    def work(self) -> Work:
        """What was done since the last write."""
        ...

    def write_in(self, dialect: Dialect, payload: object, tool: str | None = None) -> Reply:
        """Take the model's call in a dialect."""
        ...

    def record_tool_use(
        self, tool: str, arguments: object = None, failed: bool = False, read_only: bool = False, *, todo: str = ""
    ) -> None:
        """Another tool was used, for the next todo or the one with this id."""
        ...

    def resume_work(self, work: Work) -> None:
        """This is what was done since the last write."""
        ...

    def update(self, todos: Iterable[Mapping[str, object]], summary: str | None = None) -> Reply:
        """Take a host's own list."""
        ...

    def complete(self, id: str, evidence: str = "") -> Reply:
        """Complete a todo, because the calls for it show that it is done."""
        ...

    def block(self, id: str, reason: str = "") -> Reply:
        """Block a todo, because the calls for it show that nothing helps."""
        ...

    def apply(self, step: Step, action: str) -> Reply:
        """Take a host's own step."""
        ...

    def mark_edits_told(self, seen: Plan | None = None) -> None:
        """The model knows every edit by a person."""
        ...

    def count_reminder(self, text: str) -> None:
        """A text was given to the model."""
        ...

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call a listener after every change."""
        ...

    def on_write(self, gate: Callable[[], Fault | None]) -> Callable[[], None]:
        """Ask a gate before each write."""
        ...

    def attach(self, detach: Callable[[], None]) -> None:
        """A driver takes over."""
        ...
