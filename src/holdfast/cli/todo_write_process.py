"""The process of the command `TodoWrite`. It lives for one write, so Python collects nothing in it, from the start on.

Collecting while everything is imported would take a twentieth of the run.
"""

import gc


def main() -> None:
    """Run the command, and end the process."""
    gc.disable()
    from . import todo_write

    todo_write.main()


if __name__ == "__main__":
    main()
