"""Runs hooks as a harness does: a process an event, JSON in, JSON out."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from counted import COUNTED
from patience import PATIENCE
from payloads import SESSION

from holdfast import Board, Plan

COMPILED = Path(tempfile.gettempdir()) / "holdfast-tests-compiled"


class Hooked(NamedTuple):
    """What a hook left behind."""

    stdout: str
    stderr: str
    code: int

    @property
    def context(self) -> str:
        """What it wants the model to read; empty if it has nothing to say."""
        said: str = json.loads(self.stdout)["hookSpecificOutput"]["additionalContext"] if self.stdout else ""
        return said

    @property
    def answer(self) -> Any:
        """All of its answer."""
        return json.loads(self.stdout)


SILENT = Hooked("", "", 0)
NUMBERS = count()


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment that is the same everywhere, with the folder's own plan file and log."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "HOLDFAST_DB": str(folder / "plans.db"),
        "HOLDFAST_RESIDENT": "off",
        "PYTHONPYCACHEPREFIX": str(COMPILED),
        **COUNTED,
        **more,
    }


def hook(folder: Path, event: object, *words: str, harness: str = "claude-code", **environ: str) -> Hooked:
    """Run one hook. An event that is no bytes is sent as JSON, each with a number: no two events are the same."""
    numbered = {**event, "number": next(NUMBERS)} if isinstance(event, dict) else event
    return hook_as_it_is(folder, numbered, *words, harness=harness, **environ)


def hook_as_it_is(folder: Path, event: object, *words: str, harness: str = "claude-code", **environ: str) -> Hooked:
    """Run one hook with an event that may have come before."""
    ran = subprocess.run(
        [sys.executable, "-m", "holdfast", "hook", harness, *words],
        input=event if isinstance(event, bytes) else json.dumps(event).encode(),
        cwd=folder,
        env=environment(folder, **environ),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return Hooked(ran.stdout.decode(), ran.stderr.decode(), ran.returncode)


def board(folder: Path, session: str = SESSION, agent: str = "main") -> Board:
    """A board on the folder's plan file."""
    return Board(dialect="holdfast", store=folder / "plans.db", session=session, agent=agent)


def plan(folder: Path, session: str = SESSION, agent: str = "main") -> Plan:
    """The plan that was recorded."""
    found = board(folder, session, agent)
    try:
        return found.plan
    finally:
        found.store.close()


def todos(folder: Path, session: str = SESSION, agent: str = "main") -> list[tuple[str, str, str]]:
    """The todos that were recorded: ids, texts and statuses."""
    return [(todo.id, todo.content, str(todo.status)) for todo in plan(folder, session, agent).todos]


def log(folder: Path) -> str:
    """What was logged."""
    path = folder / "state" / "holdfast" / "hooks.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def edited(folder: Path, id: str, **fields: Any) -> None:
    """A person changes a todo."""
    found = board(folder)
    assert found.edit(id, **fields).ok
    found.store.close()


def tallies(folder: Path) -> Mapping[str, int]:
    """The totals of the board."""
    found = board(folder)
    try:
        return found.store.tallies(found.key)
    finally:
        found.store.close()
