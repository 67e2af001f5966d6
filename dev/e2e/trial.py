"""One client in its own project and home, and the plans in the store afterwards."""

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


class ClientOutput(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    stdout: str
    stderr: str


class ClientTrial:
    """A new project and a new home, which only the client and Holdfast write to."""

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
        for folder in (self.project, self.home):
            folder.mkdir(parents=True)
        self.command(["git", "init", "--quiet"])

    def install(self, harness: str, *words: str) -> None:
        """Set the client up for Holdfast, as a person does."""
        ran = self.command([str(HOLDFAST), "install", harness, *words])
        assert ran.code == 0, ran.stderr

    def holdfast(self, *words: str) -> ClientOutput:
        """Run one of our own commands in the project, as a person does in another terminal."""
        ran = self.command([str(HOLDFAST), *words])
        assert ran.code == 0, ran.stderr
        return ran

    def run(self, name: str, *words: str, **environ: str) -> ClientOutput:
        """Run a command of the client in the project."""
        return self.command([str(self._client / name), *words], environ)

    def client(self, name: str) -> str:
        """The path of a command of the client."""
        return str(self._client / name)

    def beside_client(self, name: str) -> Path:
        """A file from where the packages of the client can be imported."""
        return self._client.parent.parent / name

    def command(self, words: Sequence[str], environ: Mapping[str, str] | None = None) -> ClientOutput:
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
        return ClientOutput(ran.returncode, ran.stdout, ran.stderr)

    def plans(self) -> dict[tuple[str, str], Plan]:
        """Every plan in the project's store, by session and agent."""
        os.environ["HOLDFAST_TRUST"] = str(self.project)  # it was made with another home than ours
        store = open_store(self.project / ".holdfast" / "plans.db")
        try:
            return {(one.key.session, one.key.agent): one.plan for one in store.sessions()}
        finally:
            store.close()

    def tallies(self) -> dict[str, int]:
        """The totals of the plan that was changed last."""
        os.environ["HOLDFAST_TRUST"] = str(self.project)
        store = open_store(self.project / ".holdfast" / "plans.db")
        try:
            return store.tallies(store.sessions()[0].key)
        finally:
            store.close()

    def todos(self) -> list[list[tuple[str, str]]]:
        """The texts and statuses of every plan, the one changed last first."""
        return [[(todo.content, str(todo.status)) for todo in plan.todos] for plan in self.plans().values()]


def _end(output: object) -> str:
    return str(output.decode(errors="replace") if isinstance(output, bytes) else output)[-400:]
