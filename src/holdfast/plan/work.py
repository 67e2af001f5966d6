"""What a model did since its last plan write, as far as its host reports it."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from ..text import brief

LONGEST_CALL = 160
"""How many characters of a call are kept."""


class Work(NamedTuple):
    """Other tools used since the last plan write.

    `calls` are those that count as work. `looks` are successful calls that only read. `failures` are those that failed
    in a row. `done_by` is the last call that counted, in short, if the host says what it was, and `times` how often it
    was made. `key` tells that call from others: in short, two long ones may look the same.
    """

    calls: int = 0
    looks: int = 0
    failures: int = 0
    done_by: str = ""
    times: int = 0
    key: int = 0

    def after(self, failed: bool, read_only: bool, call: str = "", key: int = 0) -> "Work":
        """The work after one more call. A call that failed does not count as work.

        Nor does the first call that only reads: reading a file is seldom all that a todo asks for. The second one
        counts, since some todos ask for nothing more.
        """
        is_repeated = key != 0 and key == self.key
        if failed:
            return self._replace(failures=self.failures + 1, times=self.times + is_repeated)
        if read_only and not self.looks:
            return self._replace(looks=1, failures=0)
        return Work(self.calls + 1, self.looks + read_only, 0, call, self.times + 1 if is_repeated else 1, key)


NO_WORK = Work()


def describe_call(tool: str, arguments: object) -> str:
    """A call in short: its one text, such as a command, or the tool and its arguments; empty if they are not known."""
    if not isinstance(arguments, Mapping):
        return ""
    values = {str(name): _short(value) for name, value in arguments.items()}
    if len(values) == 1 and all(isinstance(value, str) for value in arguments.values()):
        return brief(next(iter(values.values())), LONGEST_CALL)
    return brief(f"{tool} {', '.join(f'{name}={value}' for name, value in values.items())}", LONGEST_CALL)


def call_key(tool: str, arguments: object) -> int:
    """A number that two calls share only if they are the same; 0 if that cannot be known."""
    if not isinstance(arguments, Mapping):
        return 0
    try:
        return hash((tool, json.dumps(dict(arguments), sort_keys=True)))
    except (TypeError, ValueError, RecursionError):
        return 0


def _short(value: object) -> str:
    """A value of a call, never for pages: it may be a whole file, or any object at all."""
    if isinstance(value, str):
        return value[: LONGEST_CALL + 1]
    return str(value) if isinstance(value, (int, float)) else type(value).__name__
