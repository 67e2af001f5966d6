"""What a model did since its last plan write, as far as its host reports it."""

from typing import NamedTuple


class Work(NamedTuple):
    """Other tools used since the last plan write.

    `calls` are those that count as work. `looks` are successful calls that only read. `failures` are those that failed
    in a row.
    """

    calls: int = 0
    looks: int = 0
    failures: int = 0

    def after(self, failed: bool, read_only: bool) -> "Work":
        """The work after one more call. A call that failed does not count as work.

        Nor does the first call that only reads: reading a file is seldom all that a todo asks for. The second one
        counts, since some todos ask for nothing more.
        """
        if failed:
            return self._replace(failures=self.failures + 1)
        is_first_look = read_only and not self.looks
        return Work(self.calls + (not is_first_look), self.looks + read_only, 0)


NO_WORK = Work()
