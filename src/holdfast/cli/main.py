"""The command `holdfast`: finds the command that was asked for, runs it, and ends as it ended.

A harness waits for `holdfast hook` at every step of its agent: what only other commands need is not imported for it.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

HELP = ("-h", "--help")


def main() -> int:
    """Run the command that this process was started as; its exit code."""
    if sys.argv[1:2] == ["hook"] and not any(word in HELP for word in sys.argv):
        from ..coding_agents.hooks.process import main as hook

        hook(sys.argv[2:])
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


def run(words: Sequence[str]) -> int:
    """Run one command line; its exit code. Raises SystemExit for help and for a line that is wrong."""
    from ..errors import HoldfastError, StoreError
    from ..terminal.screen import screen
    from .command import Command, Exit
    from .commands import COMMANDS
    from .help import PROGRAM
    from .invocation import Invocation, Misuse
    from .parser import parser

    options = vars(parser(COMMANDS).parse_args(words))
    command: Command = options.pop("command")
    call = Invocation(options, screen(sys.stdout), os.environ, COMMANDS)
    try:
        return command.run(call)
    except StoreError as error:
        return _failed(error, Exit.STORE)
    except Misuse as error:
        return _failed(f"{error}; see {PROGRAM} {command.name} --help", Exit.USAGE)
    except HoldfastError as error:
        return _failed(error, Exit.REFUSED)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        return _failed(f"{command.name} draws with rich, which is not installed: pip install rich", Exit.REFUSED)
    finally:
        call.close()


def _failed(error: object, code: int) -> int:
    """Say what went wrong, in one line."""
    from ..text import one_line
    from .help import PROGRAM

    sys.stdout.flush()
    print(f"{PROGRAM}: {one_line(str(error))}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
