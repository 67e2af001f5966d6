"""Who runs the checks of a board's todos, and what their results mean for a change.

A board runs nothing by itself. Its host gives it runners: `board.verify_with(runner)`. `FileChecks` is one, for files
below a folder; a `Session` with a root has it. A command is run only by a runner of the host's own, which asks for
permission as the host does for every other command.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from os import PathLike
from typing import NamedTuple

from ..paths import READ, inner_folder, inner_parts
from ..plan import Author, Plan, Todo
from ..plan.checks import Check, CheckResult, CheckResults, clean_output, parse_check, with_proofs
from ..plan.fault import CHECK_FAILED, NOT_CHECKED, Fault, Refusal
from ..text import brief, one_line
from .listeners import log

Runner = Callable[[Check], CheckResult | None]
"""Runs a check and says how it came out; None if it is not one that this runner can run."""

MOST_BYTES = 10_000_000
"""How much of a file is searched for a text."""

LONGEST_QUOTE = 60


class ChecksDue(NamedTuple):
    """A change that waits for checks which nobody has run yet, by their texts."""

    checks: tuple[str, ...]


class Verified(NamedTuple):
    """The plan after a change whose checks passed, and what the model should read of those that nobody could run."""

    plan: Plan
    notes: tuple[str, ...] = ()


class Verifier(NamedTuple):
    """How one change is verified: the results so far, who asks for it, and what to do where nobody can run a check."""

    results: CheckResults
    by: Author
    needs_proof: bool
    list_field: str

    def verify(self, plan: Plan, todos: Sequence[Todo], now: float) -> Verified | ChecksDue | Refusal:
        """What the checks of these todos make of a change that leads to this plan."""
        results = self.results
        known = [todo for todo in todos if todo.check in results]
        for todo in known:
            result = results[todo.check]
            if result is not None and not result.passed:
                return Refusal((self._failed(todo, result.output),))
        if len(known) < len(todos):
            return ChecksDue(tuple(dict.fromkeys(todo.check for todo in todos if todo.check not in results)))
        unchecked = [todo for todo in todos if results[todo.check] is None]
        if unchecked and self.needs_proof:
            return Refusal(tuple(map(self._not_checked, unchecked)))
        notes = tuple(
            f"Nobody ran the check of {todo.id}: {one_line(todo.check)}. Run it yourself." for todo in unchecked
        )
        return Verified(with_proofs(plan, todos, results, self.by, now), notes)

    def _failed(self, todo: Todo, output: str) -> Fault:
        message = f"failed, so {_quote(todo)} is not done: {one_line(todo.check)}"
        return self._fault(todo, f"{message}\n{output}" if output else message, CHECK_FAILED)

    def _not_checked(self, todo: Todo) -> Fault:
        message = f"cannot be run here, so {_quote(todo)} is not done: {one_line(todo.check)}. Ask the user to run it"
        return self._fault(todo, message, NOT_CHECKED)

    def _fault(self, todo: Todo, message: str, code: str) -> Fault:
        return Fault(f"{self.list_field} (id {todo.id}).check", message, code, field="check", received=todo.id)


def run_checks(texts: Sequence[str], runners: Sequence[Runner]) -> dict[str, CheckResult | None]:
    """Run checks in order, each by the first runner that can. After one that fails, the rest is not run."""
    results: dict[str, CheckResult | None] = {}
    for text in texts:
        result = results[text] = _run(text, runners)
        if result is not None and not result.passed:
            break
    return results


def _run(text: str, runners: Sequence[Runner]) -> CheckResult | None:
    """The result of a check. A runner that raises proves nothing."""
    if not runners:
        return None
    try:
        check = parse_check(text)
        for runner in runners:
            if (result := runner(check)) is not None:
                return CheckResult(result.passed is True, clean_output(result.output))
    except Exception as error:
        log("a check could not be run")
        return CheckResult(False, clean_output(f"it could not be run: {type(error).__name__}: {error}"))
    return None


class FileChecks:
    """Runs the checks of files below a folder. It follows no symlink, and it leaves other checks to others."""

    def __init__(self, root: str | PathLike[str]) -> None:
        self._root = os.path.realpath(root)

    def __call__(self, check: Check) -> CheckResult | None:
        """Whether the file is there and contains what it must."""
        if check.kind != "file":
            return None
        try:
            parts = inner_parts(check.target)
            with inner_folder(self._root, parts[:-1]) as folder:
                return _look(folder, parts[-1] if parts else ".", check.contains)
        except ValueError:
            return CheckResult(False, "the path leaves the project")
        except OSError as error:
            is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
            return CheckResult(False, "it goes through a symlink or a file" if is_link else str(error.strerror))


def _look(folder: int, name: str, contains: str) -> CheckResult:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not contains:
        return CheckResult(True)
    if not stat.S_ISREG(mode):
        return CheckResult(False, "it is not a regular file")
    with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as file:
        found = contains.encode() in file.read(MOST_BYTES)
    return CheckResult(found, "" if found else "the text is not in it")


def _quote(todo: Todo) -> str:
    return f'"{brief(todo.content, LONGEST_QUOTE)}"'
