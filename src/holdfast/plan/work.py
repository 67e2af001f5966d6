"""The work journal: which other tools a model used for a todo, as far as its host reports it.

The uses for the current todo are kept beside the plan as they come (`stores.journals`). The next plan write puts them
into `Todo.work`. So a compaction, a restart or a failed call does not make anybody forget what was done.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..text import brief

LONGEST_CALL = 160
"""How many characters of a call are kept."""

MOST_USES = 12
"""How many uses are kept for a todo that is open: the newest ones."""

MOST_WHEN_DONE = 5
"""How many are kept when it is done."""


class ToolUse(NamedTuple):
    """One use of another tool. `call` is the call in short, `times` how often it was made in a row.

    `key` tells the call from every other one. `mentions` are the names in the todo's text that the call has, too.
    `files` are what it touched, such as paths or a commit, where the host knows.
    """

    tool: str
    call: str = ""
    failed: bool = False
    read_only: bool = False
    times: int = 1
    key: str = ""
    mentions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    at: float = 0.0

    @property
    def changes(self) -> bool:
        """Whether it did more than read, and succeeded."""
        return not (self.failed or self.read_only)

    @property
    def label(self) -> str:
        """What was called, for a reader."""
        return self.call or self.tool


class Work(NamedTuple):
    """The uses of other tools for one todo, in their order."""

    todo: str = ""
    uses: tuple[ToolUse, ...] = ()

    def after(self, use: ToolUse) -> "Work":
        """The work after one more use. The same call with the same end again is counted, not listed twice."""
        last = self.uses[-1] if self.uses else None
        if last is not None and use.key and (last.key, last.failed) == (use.key, use.failed):
            again = last._replace(times=last.times + 1, at=use.at)
            return self._replace(uses=(*self.uses[:-1], again))
        return self._replace(uses=(*self.uses, use)[-MOST_USES:])

    @property
    def looks(self) -> int:
        """How many of them only read, and succeeded."""
        return sum(use.times for use in self.uses if use.read_only and not use.failed)

    @property
    def calls(self) -> int:
        """How many of them count as work. One that failed does not.

        Nor does the first that only reads: reading a file is seldom all that a todo asks for. The second one counts,
        since some todos ask for nothing more.
        """
        done = sum(use.times for use in self.uses if not use.failed)
        return done - (1 if self.looks else 0)

    @property
    def failures(self) -> int:
        """How many failed since the last one that succeeded."""
        count = 0
        for use in reversed(self.uses):
            if not use.failed:
                break
            count += use.times
        return count

    @property
    def ways(self) -> int:
        """In how many different ways it was tried since anything but a look succeeded."""
        tried: list[str] = []
        for use in reversed(self.uses):
            if not (use.failed or use.read_only):
                break
            if use.failed and (not use.key or use.key not in tried):
                tried.append(use.key)
        return len(tried)

    @property
    def last(self) -> ToolUse | None:
        """The newest use."""
        return self.uses[-1] if self.uses else None

    @property
    def done_by(self) -> ToolUse | None:
        """The newest use that succeeded and did more than read; a look if there is nothing else."""
        succeeded = [use for use in self.uses if not use.failed]
        return next((use for use in reversed(succeeded) if not use.read_only), succeeded[-1] if succeeded[1:] else None)

    def missing_names(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of a todo's names that no successful use has mentioned. Unknown if a host reports no arguments."""
        succeeded = [use for use in self.uses if not use.failed]
        if not all(use.key for use in succeeded):
            return ()
        said = {name for use in succeeded for name in use.mentions}
        return tuple([name for name in names if name not in said])


NO_WORK = Work()


def tool_use(
    tool: str,
    arguments: object = None,
    failed: bool = False,
    read_only: bool = False,
    *,
    todo_text: str | None = None,
    names: Iterable[str] = (),
    files: Iterable[str] = (),
    at: float = 0.0,
) -> ToolUse:
    """One use of a tool, as it is kept: in short, whatever its arguments are. `names` are those in the todo's text."""
    from .commands import only_looks, without_prints  # not before a tool is used: most boards are only written
    from .names import mentioned

    if not isinstance(arguments, Mapping):
        return ToolUse(brief(tool, LONGEST_CALL), "", failed, read_only, files=_few(files), at=at)
    read_only = read_only or only_looks(arguments)
    # a call that only repeats the todo's own words has done nothing of what they ask for
    is_echo = any(value == todo_text for value in arguments.values() if isinstance(value, str))
    whole = _as_text(arguments)
    return ToolUse(
        brief(tool, LONGEST_CALL),
        describe_call(tool, arguments),
        failed,
        read_only,
        1,
        _digest(f"{tool} {whole}") if whole else "",
        () if is_echo else mentioned(names, _as_text(without_prints(arguments))),
        _few(files),
        at,
    )


def describe_call(tool: str, arguments: object) -> str:
    """A call in short: its one text, such as a command, or the tool and its arguments; empty if they are not known."""
    if not isinstance(arguments, Mapping):
        return ""
    values = {str(name): _short(value) for name, value in arguments.items()}
    if len(values) == 1 and all(isinstance(value, str) for value in arguments.values()):
        return brief(next(iter(values.values())), LONGEST_CALL)
    return brief(f"{tool} {', '.join(f'{name}={value}' for name, value in values.items())}", LONGEST_CALL)


def counted_work(calls: int, failures: int) -> Work:
    """Work of which only the numbers are known, as hooks of other agents have it."""
    uses = [ToolUse("", times=calls)] * bool(calls) + [ToolUse("", failed=True, times=failures)] * bool(failures)
    return Work("", tuple(uses))


def _as_text(arguments: Mapping[object, object]) -> str:
    """All of the arguments as one text; empty if they cannot be written out."""
    import json

    try:
        return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


@lru_cache(maxsize=64)  # a loop sends the same call again and again
def _digest(text: str) -> str:
    from hashlib import blake2b  # slow to load, and a hook that only counts does not need it

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _few(files: Iterable[str]) -> tuple[str, ...]:
    return tuple([brief(str(file), LONGEST_CALL) for file in files][:MOST_WHEN_DONE])


def _short(value: object) -> str:
    """A value of a call, never for pages: it may be a whole file, or any object at all."""
    if isinstance(value, str):
        return brief(value, LONGEST_CALL)
    return str(value) if isinstance(value, (int, float)) else type(value).__name__
