"""A client on a real terminal, for what it shows only there. tmux is the terminal."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dev import NotRun

PATIENCE = 120.0


class ClientScreen:
    """The screen of a command that runs in a terminal of its own."""

    def __init__(self, server: str) -> None:
        self._tmux = ("tmux", "-L", server, "-f", "/dev/null")

    def start(self, command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
        """Run a command in a folder with nothing but this environment."""
        clean = ["env", "-i", *(f"{name}={value}" for name, value in environ.items()), *command]
        size = ("-x", "110", "-y", "40")
        subprocess.run([*self._tmux, "new-session", "-d", *size, "-c", str(folder), *clean], check=True)

    def text(self) -> str:
        """What is on the screen now; empty if the command has ended."""
        shown = subprocess.run([*self._tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False)
        return shown.stdout

    def type(self, words: str) -> None:
        """Type a line."""
        subprocess.run([*self._tmux, "send-keys", "-l", words], check=True)
        subprocess.run([*self._tmux, "send-keys", "Enter"], check=True)

    def wait_for(self, words: str) -> None:
        """Wait until the words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in (shown := self.text()):
            assert time.monotonic() < deadline, f"no {words!r} on the screen: {' '.join(shown.split())[-400:]}"
            time.sleep(0.2)

    def end(self) -> None:
        """End the terminal, and the command in it."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


@contextmanager
def terminal(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Iterator[ClientScreen]:
    """A command in a terminal. Raises NotRun."""
    if shutil.which("tmux") is None:
        raise NotRun("tmux is not installed")
    screen = ClientScreen(f"holdfast-e2e-{os.getpid()}")
    screen.start(command, folder, environ)
    try:
        yield screen
    finally:
        screen.end()
