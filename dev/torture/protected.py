"""The agent's own file tools against what they must not write: what other programs run, and everything outside."""

import os
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path

from holdfast.agent.events import ToolCall
from holdfast.agent.tools.files import PROTECTED, file_tools
from holdfast.agent.tools.tool import run_tool
from holdfast.agent.tools.workspace import Workspace

from .tally import TortureResult

UNSEEN = ("\u200c", "\u200d", "\u2060", "\ufeff", "\u202e")
INSIDE = ("config", "hooks/post-checkout", "settings.json", "tasks.json", "plans.db", "a/b/c")
LINKS = {"link": ".git", "deep/link": "../.git", "out": "..", "file": ".git/config", "there": "../outside.txt"}
"""Links that came with the project: to a protected place, and out of the folder."""

EVERY = 50
"""One in so many failures is looked at, too: did it change something all the same?"""

Files = Mapping[str, bytes]


def torture_protected(seed: int, times: int) -> TortureResult:
    """So many writes and edits by a model whose user allows nothing: no protected file and nothing outside changes."""
    chance, lost = random.Random(f"protected {seed}"), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        root = _project(Path(folder))
        tools = {tool.name: tool for tool in file_tools(Workspace(root))}
        before = _guarded(Path(folder))
        for trial in range(times):
            name, path = chance.choice(("write_file", "edit_file")), _path(chance)
            written, edited = {"content": "evil", "replace": True}, {"old": "safe", "new": "evil"}
            arguments = {"path": path, **(written if name == "write_file" else edited)}
            ran = run_tool(tools, ToolCall("1", name, arguments), lambda tool, given: False)
            if ran.failed and trial % EVERY:
                continue
            if (after := _guarded(Path(folder))) != before:
                changed = sorted(file for file in {*before, *after} if before.get(file) != after.get(file))
                lost.append(f"seed {seed}, trial {trial}: {name} {path!r} changed {changed}")
                before = after
    return TortureResult("writes of a model to protected places and outside", times, tuple(lost))


def _project(folder: Path) -> Path:
    """A project with protected files, links, and second names of protected files, as an archive can hold them."""
    root = folder / "project"
    for name in PROTECTED:
        for inner in INSIDE[:2]:
            (root / name / inner).parent.mkdir(parents=True, exist_ok=True)
            (root / name / inner).write_text("safe")
    (folder / "outside.txt").write_text("safe")
    (root / "deep").mkdir()
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    os.link(root / ".git" / "config", root / "second-name")
    return root


def _guarded(folder: Path) -> Files:
    """What must stay as it is: everything outside of the project, and every protected place in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = ((path, path.relative_to(folder).parts) for path in files)
    return {
        str(path): path.read_bytes()
        for path, parts in names
        if parts[0] != "project" or parts[-1] == "HEAD" or any(_plain(part) in PROTECTED for part in parts)
    }


def _plain(name: str) -> str:
    """The name as a file system of a Mac takes it."""
    return "".join(char for char in name if char not in UNSEEN).casefold()


def _path(chance: random.Random) -> str:
    """A path by which a model might get there."""
    name = chance.choice((*PROTECTED, *LINKS, "second-name", "..", "../..", "/tmp", "HEAD"))
    if chance.random() < 0.3:
        name = "".join(chance.choice((char.upper(), char)) for char in name)
    if chance.random() < 0.2:
        at = chance.randrange(len(name) + 1)
        name = name[:at] + chance.choice(UNSEEN) + name[at:]
    parts = [*chance.choice(((), (), ("deep",), (".",), ("new", "folder"), ("deep", ".."), ("",))), name]
    if chance.random() < 0.8:
        parts.append(chance.choice((*INSIDE, "outside.txt", "project/.git/config")))
    return chance.choice(("/", "/", "//", "/./")).join(parts)
