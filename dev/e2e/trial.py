"""One client in a project and a home of its own, and the plans that are in the store afterwards."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from holdfast import Plan
from holdfast.stores import open_store

HOLDFAST = Path(sys.executable).parent / "holdfast"
PATIENCE = 600


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


class Trial:
    """A fresh project and a fresh home, which nothing but the client and Holdfast write into."""

    def __init__(self, folder: Path, path: str, client: Path) -> None:
        self.project = folder / "project"
        self.home = folder / "home"
        self._client = client
        self.environ = {
            "PATH": f"{HOLDFAST.parent}{os.pathsep}{path}",
            "HOME": str(self.home),
            "TERM": "dumb",
            "NO_COLOR": "1",
            "DO_NOT_TRACK": "1",
        }
        for made in (self.project, self.home):
            made.mkdir(parents=True)
        self.command(["git", "init", "--quiet"])

    def install(self, harness: str, *words: str) -> None:
        """Set the client up for Holdfast, as a person does."""
        ran = self.command([str(HOLDFAST), "install", harness, *words])
        assert ran.code == 0, ran.stderr

    def run(self, name: str, *words: str, **environ: str) -> Ran:
        """Run a command of the client in the project."""
        return self.command([str(self._client / name), *words], environ)

    def command(self, words: Sequence[str], environ: Mapping[str, str] | None = None) -> Ran:
        """Run any command in the project."""
        try:
            ran = subprocess.run(
                words,
                cwd=self.project,
                env={**self.environ, **(environ or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{words[0]} took more than {PATIENCE} seconds: {_end(late.stderr)}") from None
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def plans(self) -> dict[tuple[str, str], Plan]:
        """Every plan in the project's store, by session and agent."""
        store = open_store(self.project / ".holdfast" / "plans.db")
        try:
            return {(kept.key.session, kept.key.agent): kept.plan for kept in store.sessions()}
        finally:
            store.close()

    def todos(self) -> list[list[tuple[str, str]]]:
        """The texts and statuses of every plan, the one changed last first."""
        return [[(todo.content, str(todo.status)) for todo in plan.todos] for plan in self.plans().values()]


def _end(output: object) -> str:
    return str(output.decode(errors="replace") if isinstance(output, bytes) else output)[-400:]
