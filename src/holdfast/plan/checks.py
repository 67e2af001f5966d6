"""Checks: what shows that a todo is done, and what became of them: frozen values and pure functions.

A check is one line of text, as people and models write it:

    make test                          a command, which must end with exit code 0
    file:docs/api.md                   a file or a folder that must exist
    file:docs/api.md contains ## Proof a file that must have this text in it
    host:deployed                      a function of the host, by its name

Nothing is run here. A host runs checks: see `board.verification`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ..errors import UsageError
from ..text import describe, is_plain, one_line, pattern
from .plan import Plan
from .todo import COMPLETED, NO_DETAILS, Proof, Todo

LONGEST_CHECK = 1_000
LONGEST_HEAD, LONGEST_TAIL = 500, 1_000
"""How many characters of an output are kept, from its beginning and from its end: a summary often stands at the end."""

LEFT_OUT = "[the middle is left out]"

FILE, HOST, CONTAINS = "file:", "host:", " contains "

CheckKind = Literal["command", "file", "host"]

_ESCAPE_CODE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)"


class Check(NamedTuple):
    """A check, taken apart. `target` is the command, the path of the file, or the name of the host's function."""

    kind: CheckKind
    target: str
    contains: str = ""


class CheckResult(NamedTuple):
    """How a check came out, and what it printed."""

    passed: bool
    output: str = ""


CheckResults = Mapping[str, CheckResult | None]
"""How checks came out, by their texts; None for one that nobody here can run."""


def parse_check(text: str) -> Check:
    """A check from its text. Raises UsageError for a text that is not a check."""
    if not text.strip():
        raise UsageError("must not be blank")
    if len(text) > LONGEST_CHECK:
        raise UsageError(f"at most {LONGEST_CHECK} characters, received {len(text)}")
    if not is_plain(text):
        raise UsageError("must be one line of plain characters")
    if text.startswith(HOST):
        return Check("host", text.removeprefix(HOST).strip())
    if not text.startswith(FILE):
        return Check("command", text)
    path, _, contains = text.removeprefix(FILE).partition(CONTAINS)
    if not path.strip() or path.startswith(("/", "~")) or ".." in path.split("/"):
        raise UsageError(f"expected a path inside the project, received {describe(path)}")
    return Check("file", path.strip(), contains)


def clean_output(text: str) -> str:
    """What a check printed, fit to be kept and read: no escape codes, no control characters, and not too long."""
    text = pattern(_ESCAPE_CODE).sub("", _within_bounds(text, times=20))  # so that its cost does not grow with the text
    lines = [one_line(line.rstrip("\r").rpartition("\r")[2]) for line in text.split("\n")]
    return _within_bounds("\n".join(lines).strip("\n"), times=1)


def _within_bounds(text: str, times: int) -> str:
    head, tail = times * LONGEST_HEAD, times * LONGEST_TAIL
    return text if len(text) <= head + tail else f"{text[:head]}\n{LEFT_OUT}\n{text[-tail:]}"


def due_checks(before: Plan, after: Plan, completed: Sequence[Todo] | None = None) -> list[Todo]:
    """The todos with a check that a change completes. `completed` are all that it completes, if that is known."""
    if completed is not None:
        return [todo for todo in completed if todo.details.check]
    checked = [todo for todo in after.todos if todo[8] is not NO_DETAILS and todo.status is COMPLETED and todo.check]
    if not checked:
        return checked
    former = {todo.id for todo in before.todos if todo.status is COMPLETED and before.number == after.number}
    return [todo for todo in checked if todo.id not in former]


def with_proofs(plan: Plan, todos: Sequence[Todo], results: CheckResults, by: str, now: float) -> Plan:
    """The plan in which these todos are proved by the checks that passed. Other ones stay as they are."""
    proofs = {
        todo.id: Proof(todo.check, todo.content, result.output, now, by)
        for todo in todos
        if (result := results.get(todo.check)) is not None and result.passed
    }
    return plan._replace(
        todos=tuple(todo._replace(proof=proofs[todo.id]) if todo.id in proofs else todo for todo in plan.todos)
    )
