"""What was done for the current todo since the last write, as far as the host reported it: kept beside the plan."""

from collections.abc import Iterable

from ..errors import StoreError
from ..plan import Plan
from ..plan.work import NO_WORK, Work, tool_use
from ..stores import Key, Store
from .listeners import log


class WorkJournal:
    """A board's work since the last write. `known` is None until it was read from the store."""

    def __init__(self, store: Store, key: Key) -> None:
        self._store = store
        self._key = key
        self.known: Work | None = None

    def read(self) -> Work:
        """The work so far. Raises StoreError."""
        if self.known is None:
            kept_work = getattr(self._store, "kept_work", None)  # somebody else's store may keep no journals
            self.known = _read_work(kept_work(self._key)) if kept_work is not None else NO_WORK
        return self.known

    def read_if_possible(self) -> Work:
        """The work so far; nothing if it cannot be read: the write itself will say why."""
        try:
            return self.read()
        except StoreError:
            return NO_WORK

    def record(
        self,
        plan: Plan,
        tool: str,
        arguments: object,
        failed: bool,
        read_only: bool,
        files: Iterable[str],
        now: float,
        id: str = "",
    ) -> None:
        """Add the use of a tool to the work on the current todo, or else on the open one with this id.

        Raises StoreError.
        """
        from ..plan.goals import names_for  # not before a tool is used: most boards are only written

        todo = plan.next or plan.get(id) or next(iter(plan.open), None)
        use = tool_use(
            tool,
            arguments,
            failed,
            read_only,
            todo_text=todo.content if todo is not None else None,
            names=names_for(plan, todo) if todo is not None else (),
            files=files,
            at=now,
        )
        id = todo.id if todo is not None else ""
        so_far = self.read()
        self._keep((so_far if so_far.todo == id else Work(id)).after(use))

    def clear(self) -> None:
        """The plan has taken the work in. It never raises."""
        try:
            self._keep(NO_WORK)
        except StoreError as error:
            log(f"the work journal was not cleared: {error}")

    def _keep(self, work: Work) -> None:
        from ..stores.journals import save_work

        self.known = work
        save_work(self._store, self._key, work)


def _read_work(kept: str) -> Work:
    if not kept:
        return NO_WORK
    from ..stores.journals import read_work

    return read_work(kept)
