"""How a board answers: one thing is done at a time, told to listeners, and put into words. Nothing is raised."""

from collections.abc import Callable
from threading import RLock

from ..dialects import Dialect, Outcome, Reply
from ..errors import InDoubt, StoreError
from ..plan import Plan
from ..plan.rules import IN_DOUBT, Fault
from ..stores import Key, Store
from ..text import brief
from .commit import Made
from .listeners import Listeners, log

LOOK = "look"
"""The action of a call that only asks for the plan. It is kept nowhere, and nobody is told."""


class Answers:
    """The replies of one board, and who hears of its changes."""

    def __init__(self, store: Store, key: Key, clock: Callable[[], float]) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self._lock = RLock()
        self.listeners = Listeners(self._lock)

    def give(
        self, act: Callable[[], Made | list[Fault]], dialect: Dialect, payload: object = None, tool: str = ""
    ) -> Reply:
        """The reply to what `act` does. What goes wrong in it is told, not raised."""
        clock = self._clock
        started = clock()
        with self._lock:
            try:
                made = act()
            except Exception as error:
                made = [_fault(error)]
            if isinstance(made, list):
                plan = self._plan_if_readable()
                outcome = Outcome(plan, dialect.told(made), None, payload, (), (), clock() - started, tool)
            else:
                change, notes = made
                looked = change.action == LOOK
                notices = self.listeners.tell(change) if self.listeners and not looked else ()
                outcome = Outcome(change.after, (), change, payload, notes, notices, clock() - started, tool, looked)
            return dialect.reply(outcome)

    def _plan_if_readable(self) -> Plan:
        try:
            return self._store.load(self._key)
        except Exception:  # the reply says what went wrong; here an empty plan has to do
            return Plan()


def _fault(error: Exception) -> Fault:
    """What went wrong, on one line and not for pages: an error may quote anything. What nobody foresaw is logged."""
    words = brief(str(error), 400)
    if isinstance(error, InDoubt):
        return Fault("", words, IN_DOUBT)
    if isinstance(error, StoreError):
        return Fault("", f"the plan could not be saved: {words}", "store")
    log("a write failed")
    return Fault("", f"unexpected {type(error).__name__}: {words}", "internal")
