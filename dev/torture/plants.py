"""Plan folders and conversations that somebody planted, linked or forged: nothing of them is read, made or believed."""

import json
import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from planted import EVIL, FORGERIES, LAYOUTS, NOBODY, alter, attackers_project, git, run

from holdfast import Board
from holdfast.agent.conversations import ConversationFolder
from holdfast.agent.messages import text, user_message
from holdfast.errors import DamagedRecord, StoreError
from holdfast.stores import Key
from holdfast.stores.sqlite import SQLiteStore

from .tally import TortureResult

KEY = Key("default", "main")
LONGEST = 20.0
"""How many seconds a refusal may take on a machine that is busy with other things."""

MOST_MEMORY = 400 * 1024
"""How many KB more than before the process may use in the end. The bomb takes 900 MB at a time."""

COMMANDS = (("show",), ("sessions",), ("log",), ("add", "x"), ("export",), ("doctor",))
EVERY_COMMAND = 40
"""One in so many plants is met with a command, too, in a process of its own."""

Plant = Callable[[Path, random.Random], None]


def _tracked(project: Path, chance: random.Random) -> None:
    git(project, "init", "-q")
    git(project, "config", "index.version", chance.choice("24"))
    git(project, "add", "-f", chance.choice((".holdfast", ".holdfast/plans.db")))


def _forged_id(project: Path, chance: random.Random) -> None:
    forged = chance.choice(("", "../" * 11, "f" * 32, "0" * 33, ".", "\0" * 32, str(chance.random())))
    (project / ".holdfast" / "id").write_text(forged)


def _pipe_as_id(project: Path, chance: random.Random) -> None:
    (project / ".holdfast" / "id").unlink(missing_ok=True)
    os.mkfifo(project / ".holdfast" / "id")


def _linked_folder(project: Path, chance: random.Random) -> None:
    shutil.rmtree(project / ".holdfast")
    (project / ".holdfast").symlink_to(project.parent / "attacker" / ".holdfast")


def _linked_file(project: Path, chance: random.Random) -> None:
    (project / ".holdfast" / "plans.db").unlink()
    (project / ".holdfast" / "plans.db").symlink_to(project.parent / "attacker" / ".holdfast" / "plans.db")


def _dangling_folder(project: Path, chance: random.Random) -> None:
    git(project, "init", "-q")  # so that it is the place of the project's plans, whatever is there
    shutil.rmtree(project / ".holdfast")
    (project / ".holdfast").symlink_to(project.parent / "outside")


def _dangling_file(project: Path, chance: random.Random) -> None:
    (project / ".holdfast" / "plans.db").unlink()
    (project / ".holdfast" / "plans.db").symlink_to(project.parent / "outside")


def _second_name(project: Path, chance: random.Random) -> None:
    os.link(project / ".holdfast" / "plans.db", project / "other")


def _writable(project: Path, chance: random.Random) -> None:
    place, mode = chance.choice(((".holdfast", 0o777), (".holdfast", 0o770), (".holdfast/plans.db", 0o666)))
    (project / place).chmod(mode)


def _of_another_user(project: Path, chance: random.Random) -> None:
    os.chown(project / chance.choice((".holdfast", ".holdfast/plans.db")), NOBODY, NOBODY)


def _other_layout(project: Path, chance: random.Random) -> None:
    alter(project / ".holdfast" / "plans.db", *chance.choice(LAYOUTS)[0])


IN_AN_UNKNOWN_FOLDER: Mapping[str, Plant] = {
    "an archive": lambda project, chance: None,
    "a clone": _tracked,
    "a forged id": _forged_id,
    "a pipe as its id": _pipe_as_id,
    "a layout of its own in an archive": _other_layout,
}
IN_ONES_OWN_FOLDER: Mapping[str, Plant] = {
    "a file that git tracks": _tracked,
    "a linked folder": _linked_folder,
    "a linked file": _linked_file,
    "a folder that leads nowhere": _dangling_folder,
    "a file that leads nowhere": _dangling_file,
    "a second name": _second_name,
    "what others may write": _writable,
    "a trigger, a view, a bomb": _other_layout,
    **({"what another user owns": _of_another_user} if os.geteuid() == 0 else {}),
}


def torture_plants(seed: int, times: int) -> TortureResult:
    """So many plants, each met in every way that reads or writes a plan."""
    chance, lost = random.Random(f"plants {seed}"), list[str]()
    before = _memory()
    with own_home() as home:
        attacker = attackers_project(home / "attacker")
        for trial in range(times):
            with tempfile.TemporaryDirectory(dir=home) as folder:
                shutil.copytree(attacker, Path(folder) / "attacker")
                kind, project = _plant(Path(folder), chance)
                where = f"seed {seed}, trial {trial}, {kind}"
                lost += [f"{where}: {loss}" for loss in _met(project, chance, is_command=trial % EVERY_COMMAND == 0)]
    if (grown := _memory() - before) > MOST_MEMORY:
        lost.append(f"seed {seed}: the memory grew by {grown} KB")
    return TortureResult("planted, linked and forged plan folders", times, tuple(lost))


def torture_forgeries(seed: int, times: int) -> TortureResult:
    """Plans and histories that were changed past Holdfast: whoever reads the history is told."""
    chance, lost = random.Random(f"forgeries {seed}"), list[str]()
    with own_home() as home:
        for trial in range(times):
            path = home / f"{trial}.db"
            with closing(SQLiteStore(path)) as store:
                board = Board(store=store)
                board.write({"todos": [{"content": "mine"}, {"content": "second"}]})
                board.write({"todos": [{"content": "mine", "status": "completed"}, {"content": "second"}]})
            forgery = chance.choice(FORGERIES)
            alter(path, forgery)
            with closing(SQLiteStore(path)) as store:
                try:
                    list(store.history(KEY))
                    lost.append(f"seed {seed}, trial {trial}: {forgery}")
                except DamagedRecord:
                    path.unlink()
    return TortureResult("plans that were changed past Holdfast", times, tuple(lost))


def torture_conversations(seed: int, times: int) -> TortureResult:
    """Conversations with values exchanged beside a sound one: the list has both; an unknown folder has none."""
    chance, lost = random.Random(f"conversations {seed}"), list[str]()
    with own_home() as home:
        for trial in range(times):
            project = home / str(trial)
            folder = ConversationFolder(project / ".holdfast" / "conversations")
            is_known = trial % 10 != 0
            if is_known:
                mine = folder.begin(str(project))
                mine.save([user_message(text("mine"))])
                mine.close()
            _plant_conversation(project, chance)
            where = f"seed {seed}, trial {trial}"
            try:
                titles = [saved.title for saved in folder.all()]
                if not is_known or "mine" not in titles:
                    lost.append(f"{where}: {titles}")
            except StoreError as error:
                lost += [f"{where}: {error}"] if is_known else []
            shutil.rmtree(project)
    return TortureResult("planted and malformed conversations", times, tuple(lost))


@contextmanager
def own_home() -> Iterator[Path]:
    """A home folder for a while, in which nothing is known yet."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        named = {"HOME": folder, "XDG_STATE_HOME": str(home / "state"), "TMPDIR": folder}
        with patch.dict(os.environ, named), patch.object(tempfile, "tempdir", folder):
            for name in ("HOLDFAST_DB", "HOLDFAST_TRUST"):
                os.environ.pop(name, None)
            yield home


def _plant(folder: Path, chance: random.Random) -> tuple[str, Path]:
    """A project with a plant in it, and its kind."""
    project = folder / "project"
    if chance.random() < 0.4:
        kind, plant = chance.choice(list(IN_AN_UNKNOWN_FOLDER.items()))
        (folder / "attacker").rename(project)
        shutil.rmtree(project / ".git")
    else:
        kind, plant = chance.choice(list(IN_ONES_OWN_FOLDER.items()))
        with closing(SQLiteStore(project / ".holdfast" / "plans.db")) as store:
            assert Board(store=store).write({"todos": [{"content": "mine"}]}).ok
    plant(project, chance)
    return kind, project


def _met(project: Path, chance: random.Random, is_command: bool) -> list[str]:
    """What got through to somebody who works in the project."""
    path, began = project / ".holdfast" / "plans.db", time.monotonic()
    ways: list[tuple[str, Callable[[SQLiteStore], object]]] = [
        ("a list", lambda store: store.sessions()),
        ("a plan", lambda store: store.load(KEY)),
        ("a history", lambda store: list(store.history(KEY))),
        ("a block for the model", lambda store: Board(store=store).resume()),
    ]
    chance.shuffle(ways)
    lost = []
    with closing(SQLiteStore(path)) as store:
        for way, read in ways:
            try:
                lost.append(f"{way} was read: {str(read(store))[:200]}")
            except StoreError as error:
                lost += [f"{way}: {error}"] if EVIL in str(error) else []
        reply = Board(store=store).write({"todos": [{"content": "mine", "status": "in_progress"}]})
        if reply.ok or EVIL in reply.text:
            lost.append(f"a write was answered with {reply.text[:200]}")
    if is_command:
        answer = run(project, *chance.choice(COMMANDS))
        if answer.returncode != 3 or EVIL in answer.stdout + answer.stderr or "Traceback" in answer.stderr:
            lost.append(f"a command ended with {answer.returncode}: {(answer.stdout + answer.stderr)[-300:]}")
    if (project.parent / "outside").exists():
        lost.append("a file was made outside")
    if (took := time.monotonic() - began) > LONGEST:
        lost.append(f"it took {took:.0f} s")
    return lost


def _plant_conversation(project: Path, chance: random.Random) -> None:
    values: tuple[object, ...] = (
        None,
        5,
        -1,
        "text",
        [],
        [None],
        {},
        {"role": "user"},
        user_message(text(EVIL)),
        "\ud800",
        2**70,
        [[[[]]]],
    )
    about = {"id": "evil", "session": "evil", "workspace": str(project), "began_at": 1.0}
    about |= {chance.choice((*about, "more")): chance.choice(values) for _ in range(chance.randrange(2))}
    records = [{chance.choice(("at", "message", "messages", "x")): chance.choice(values) for _ in range(3)}]
    lines = [json.dumps(one) for one in (about, *records)]
    if chance.random() < 0.3:
        lines[chance.randrange(len(lines))] = chance.choice(
            ("", "{", "[" * 5000, "\0", '"\\ud800"', "null", "9" * 5000)
        )
    folder = project / ".holdfast" / "conversations"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evil.jsonl").write_text("\n".join(lines) + chance.choice(("", "\n")))


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
