"""Clients from npm, each in its own folder, and a Node that is new enough for them."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from dev import NotRun

NODE = (22, 19)
"""The oldest Node that all of them run on."""

EDITOR, EDITOR_NODE = "code-server", "node@24"
"""VS Code, and the Node that it needs. Its scripts are left out: they compile what no check uses, for many minutes."""

PATIENCE = 900


class InstalledClient(NamedTuple):
    """A client that is installed: its version, and where its commands are."""

    version: str
    commands: Path


class ClientFolder:
    """A folder for clients. A client that is there already is used again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = os.environ.get("PATH", "")
        if shutil.which("npm") is None:
            raise NotRun("npm is not installed")
        if _node_version() < NODE:
            self.path = f"{self.install('node@22').commands}{os.pathsep}{self.path}"

    def install(self, package: str, *beside: str) -> InstalledClient:
        """Install the newest version of a package, and of others beside it. Raises NotRun."""
        name = package.rpartition("@")[0] or package
        folder = self.folder / (package if package == EDITOR_NODE else name).strip("@").replace("/", "-")
        about = folder / "node_modules" / name / "package.json"
        if name == EDITOR:
            self.path = f"{self.install(EDITOR_NODE).commands}{os.pathsep}{self.path}"
        if not about.exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}\n')
            wanted = [each if each.rpartition("@")[0] else f"{each}@latest" for each in (package, *beside)]
            self._npm(folder, *(["--ignore-scripts"] if name == EDITOR else []), *wanted)
        if name == EDITOR and not (about.parent / "lib" / "vscode" / "node_modules").exists():
            self._npm(about.parent / "lib" / "vscode", "--ignore-scripts", "--omit=dev")
        version = json.loads(about.read_text(encoding="utf-8"))["version"]
        return InstalledClient(version, folder / "node_modules" / ".bin")

    def _npm(self, folder: Path, *packages: str) -> None:
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *packages]
        try:
            ran = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PATH": self.path},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NotRun(f"npm install {packages[0]} took more than {PATIENCE} seconds") from None
        if ran.returncode:
            raise NotRun(f"npm install {packages[0]} failed: {ran.stderr.strip()[-300:]}")


def _node_version() -> tuple[int, ...]:
    if shutil.which("node") is None:
        return (0,)
    printed = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in printed.strip().lstrip("v").split(".") if part.isdecimal())
