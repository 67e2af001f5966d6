"""The completion log of the `envelope` dialect: a Markdown block for every plan that was worked to its end.

A listener: `board.on_change(CompletionLog(root))`. `Session(dialect="envelope", root=…)` does that by itself.
"""

import time
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from threading import Lock

from ..dialects import Notice
from ..plan import Change, Plan, Status
from ..text import markdown

FOLDER = Path("memory", "todos")


class CompletionLog:
    """Appends to one file per session. It is named by the time the session began, and created with the first block."""

    def __init__(self, root: str | PathLike[str], clock: Callable[[], float] | None = None) -> None:
        self._root = Path(root).absolute()
        self._clock = time.time if clock is None else clock
        self._began = _stamp(self._clock())
        self._path: Path | None = None
        self._blocks = 0
        self._must_retry = False
        self._lock = Lock()

    def __call__(self, change: Change) -> Notice | None:
        """Log the plan if this change finished it. If that fails, the user is told, and nothing is raised.

        A block that could not be written is tried again when the finished list is written again.
        """
        with self._lock:
            finished = _finished(change.after)
            if finished is None or (finished == _finished(change.before) and not self._must_retry):
                self._must_retry = False
                return None
            try:
                path = self._append(_block(change.after, self._blocks + 1, _stamp(self._clock())))
            except OSError as error:
                self._must_retry = True
                return Notice(f"(Not saved to {FOLDER.as_posix()}: {error.strerror or error})")
            self._must_retry = False
            self._blocks += 1
            return Notice(f"(Saved to {path})", {"persisted_to": path})

    def _append(self, block: str) -> str:
        (self._root / FOLDER).mkdir(parents=True, exist_ok=True)
        if self._path is None:
            self._path = self._create_file()
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"\n{block}" if file.tell() else block)
        return self._path.relative_to(self._root).as_posix()

    def _create_file(self) -> Path:
        """A new file for this session, beside those of others that began in the same second."""
        count = 1
        while True:
            path = self._root / FOLDER / f"todoList-{self._began}{'' if count == 1 else f'-{count}'}.md"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                count += 1
            else:
                return path


def _finished(plan: Plan) -> tuple[tuple[str, Status], ...] | None:
    """What the log says of a finished plan; None if the plan is not finished."""
    return tuple((todo.content, todo.status) for todo in plan.todos) if plan.is_finished else None


def _block(plan: Plan, number: int, stamp: str) -> str:
    total = len(plan.todos)
    lines = [f"# task{number}-{stamp}", "", f"总任务概述：{markdown(plan.summary)}"]
    completed = [markdown(todo.content) for todo in plan.todos if todo.status is Status.COMPLETED]
    if completed:
        lines += ["", f"[{len(completed)}/{total}] Completed: 完成的任务.", *(f"- {text}" for text in completed)]
    cancelled = [markdown(todo.content) for todo in plan.todos if todo.status is Status.CANCELLED]
    if cancelled:
        lines += ["", f"[{len(cancelled)}/{total}] Cancelled: 取消的任务.", *(f"- ~~{text}~~" for text in cancelled)]
    return "\n".join(lines) + "\n"


def _stamp(seconds: float) -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.localtime(seconds))
