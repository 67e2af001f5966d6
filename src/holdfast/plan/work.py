"""What a model did since its last plan write, as far as its host reports it."""

from collections.abc import Mapping
from typing import NamedTuple

from ..text import brief

LONGEST_CALL = 160
"""How many characters of a call are kept."""


class Work(NamedTuple):
    """Other tools used since the last plan write.

    `calls` are those that count as work. `looks` are successful calls that only read. `failures` are those that failed
    in a row. `done_by` is the last call that counted, in short, if the host says what it was, and `times` how often it
    was made.
    """

    calls: int = 0
    looks: int = 0
    failures: int = 0
    done_by: str = ""
    times: int = 0

    def after(self, failed: bool, read_only: bool, call: str = "") -> "Work":
        """The work after one more call. A call that failed does not count as work.

        Nor does the first call that only reads: reading a file is seldom all that a todo asks for. The second one
        counts, since some todos ask for nothing more.
        """
        is_repeated = call != "" and call == self.done_by
        if failed:
            return self._replace(failures=self.failures + 1, times=self.times + is_repeated)
        if read_only and not self.looks:
            return self._replace(looks=1, failures=0)
        return Work(self.calls + 1, self.looks + read_only, 0, call, self.times + 1 if is_repeated else 1)


NO_WORK = Work()


def describe_call(tool: str, arguments: object) -> str:
    """A call in short: its one text, such as a command, or the tool and its arguments; empty if they are not known."""
    if isinstance(arguments, Mapping):
        texts = [value for value in arguments.values() if isinstance(value, str)]
        if len(arguments) == len(texts) == 1:
            return brief(texts[0], LONGEST_CALL)
        return brief(f"{tool} {', '.join(f'{name}={value}' for name, value in arguments.items())}", LONGEST_CALL)
    return ""
