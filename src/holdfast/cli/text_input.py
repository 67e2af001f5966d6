"""Text that a command reads from a file or from standard input."""

import sys

from .invocation import CommandError


def read_text(path: str, newline: str | None = None) -> str:
    """The text of a file, or with `-` of standard input. Raises CommandError if it cannot be read.

    An empty `newline` leaves the ends of lines in a file as they are.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(path, encoding="utf-8-sig", newline=newline) as file:
            return file.read()
    except OSError as error:
        raise CommandError(f"{source_name(path)} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{source_name(path)} is not UTF-8 text: save it as UTF-8") from error


def source_name(path: str) -> str:
    """What to call the source in a message."""
    return "standard input" if path == "-" else path
