"""The command `holdfast`: finds the command that was asked for, runs it, and ends with its exit code.

A coding agent waits for `holdfast hook` at every step: what only other commands need is not imported for it.
"""

import os
import sys
from io import TextIOWrapper

TYPE_CHECKING = False  # `typing` alone takes a fifth of the time of a bare start
if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> int:
    """Run the command that this process was started as; its exit code."""
    if sys.argv[1:2] == ["hook"] and not any(word in ("-h", "--help") for word in sys.argv):
        from ..coding_agents.hooks.relay import run_hook

        run_hook(sys.argv[2:])
    from .command import Exit

    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 it is open as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = run([os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the exit does not try again
        return Exit.PIPE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return code


def run(words: "Sequence[str]") -> int:
    """Run one command line; its exit code. Raises SystemExit for help and for a wrong line."""
    from ..errors import HoldfastError, StoreError
    from ..terminal.screen import Screen
    from .command import PROGRAM, Exit
    from .invocation import Invocation, Misuse
    from .parser import parse

    command, options = parse(words)
    call = Invocation(options, Screen.of_stream(sys.stdout), os.environ)
    try:
        return command.run(call)
    except StoreError as error:
        return _print_error(error, Exit.STORE)
    except Misuse as error:
        return _print_error(f"{error}; see {PROGRAM} {command.name} --help", Exit.USAGE)
    except HoldfastError as error:
        return _print_error(error, Exit.REFUSED)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        return _print_error(f"{command.name} draws with rich, which is not installed: pip install rich", Exit.REFUSED)
    finally:
        call.close()


def _print_error(error: object, code: int) -> int:
    """Say what went wrong, in one line; the exit code."""
    from ..text import one_line
    from .command import PROGRAM

    sys.stdout.flush()
    print(f"{PROGRAM}: {one_line(str(error))}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
