"""Exports that were forged, and commands that try to outlive their agent: how many got through."""

import json
import random
import tempfile
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from holdfast import Board
from holdfast.agent.tools import ToolFailure, Workspace
from holdfast.agent.tools.bash import bash_tool
from holdfast.errors import HoldfastError
from holdfast.stores.memory import MemoryStore
from holdfast.transfer.json_file import export_json, import_json

from .tally import TortureResult

HOSTILE: tuple[Any, ...] = (
    None,
    "",
    " ",
    -1,
    2**60,
    True,
    [],
    {},
    "1",
    "in_progress",
    "\ud800",
    "x" * 200_000,
    float("inf"),
)
WAYS_OUT = (
    "setsid sleep 600 & echo $! > pid",
    "(setsid sh -c 'sleep 600 & echo $! > pid; wait' &) ",
    "nohup setsid sleep 600 > /dev/null 2>&1 & echo $! > pid; disown",
    "kill -9 $PPID; setsid sleep 600 & echo $! > pid",
    "trap '' TERM HUP INT; (trap '' TERM HUP; echo $BASHPID > pid; exec sleep 600) &",
)

UNTIL_IT_RUNS = "until [ -s pid ]; do sleep 0.01; done"


def torture_exports(seed: int, times: int) -> TortureResult:
    """Exports with values exchanged at random. One that is taken makes a board that can be read, written and undone."""
    chance = random.Random(f"exports {seed}")
    lost = []
    for trial in range(times):
        forged = _forge(json.loads(export_json(_store(chance))), chance)
        store = MemoryStore()
        try:
            imported = import_json(json.dumps(forged), store)
        except HoldfastError:
            if store.sessions():
                lost.append(f"seed {seed}, trial {trial}: half of it was imported")
            continue
        for key in imported:
            try:
                _live_on(Board(store=store, session=key.session, agent=key.agent))
            except Exception as error:
                lost.append(f"seed {seed}, trial {trial}: {type(error).__name__}: {error}")
    return TortureResult("exports with values that somebody exchanged", times, tuple(lost))


def torture_commands(seed: int, times: int) -> TortureResult:
    """Commands that leave their session, their parents and their signals behind. Nothing of them is left."""
    chance = random.Random(f"commands {seed}")
    lost = []
    for trial in range(times):
        way = chance.choice(WAYS_OUT)
        with tempfile.TemporaryDirectory() as folder:
            with suppress(ToolFailure):
                bash_tool(Workspace(folder)).run(command=f"{way}\n{UNTIL_IT_RUNS}", timeout=10)
            pid = (Path(folder) / "pid").read_text().strip()
            if _is_alive(pid):
                lost.append(f"seed {seed}, trial {trial}: {way}")
    return TortureResult("commands that try to outlive their call", times, tuple(lost))


def _store(chance: random.Random) -> MemoryStore:
    """A store with a board on which a model and a person have worked."""
    store = MemoryStore()
    board = Board(store=store, session="s")
    for _ in range(chance.randrange(1, 4)):
        texts = chance.sample("ABCDE", chance.randrange(1, 5))
        board.write({"todos": [{"content": text, "status": "completed"} for text in texts]})
        chance.choice((board.undo, board.clear, lambda: board.add("F"), lambda: board.move("1", 1)))()
    return store


def _forge(value: Any, chance: random.Random) -> Any:
    """The export with one or two of its values exchanged."""
    for _ in range(chance.randrange(1, 3)):
        places = list(_places(value))
        holder, key = chance.choice(places)
        other, its_key = chance.choice(places)
        holder[key] = chance.choice((*HOSTILE, deepcopy(other[its_key]), deepcopy(other[its_key])))
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    inner = [(value, key) for key in keys]
    return inner + [place for key in keys for place in _places(value[key])]


def _live_on(board: Board) -> None:
    """Everything that may be done with a board that came from elsewhere."""
    board.resume()
    board.recap()
    reply = board.write({"todos": [{"content": "A"}, {"content": "new", "status": "in_progress"}]})
    if not reply.ok and any(fault.code == "internal" for fault in reply.faults):
        raise AssertionError(reply.text)
    for reply in (board.add("B"), board.undo(), board.redo(), board.clear(), board.undo()):
        if any(fault.code == "internal" for fault in reply.faults):
            raise AssertionError(reply.text)
    list(board.history())


def _is_alive(pid: str) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
