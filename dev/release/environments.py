"""The Pythons of this machine, and empty environments on them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

OLDEST = (3, 11)
NAME = re.compile(r"python3\.\d+")
PROBE = """
import sys, sqlite3, ssl, venv
assert sys.version_info.releaselevel == "final"
print(*sys.version_info[:3])
"""
INSTALLED = """
import sys
from pathlib import Path

import holdfast

assert Path(holdfast.__file__).is_relative_to(sys.prefix), f"{holdfast.__file__} is not in {sys.prefix}"
"""
"""Fails if the package is imported from anywhere but the installation."""

ALONE = """
from importlib.metadata import distributions

assert {each.name for each in distributions()} == {"holdfast"}, sorted(each.name for each in distributions())
"""
PATIENCE = 2 * 3600.0
"""How many seconds a command may take: a suite on a busy machine."""


class CheckFailed(Exception):
    """A check that failed. The message says why."""


class Interpreter(NamedTuple):
    """An interpreter: its version in three numbers, and where it is."""

    numbers: tuple[int, ...]
    path: Path

    @property
    def version(self) -> str:
        """As people write it: 3.12.1."""
        return ".".join(map(str, self.numbers))


def interpreter_folders() -> list[Path]:
    """The folders where Pythons may be: this one's, those of the path, Debian's, pyenv's and uv's."""
    home, named = Path.home(), os.environ.get("PATH", "").split(os.pathsep)
    found = [*(home / ".pyenv" / "versions").glob("*/bin"), *(home / ".local/share/uv/python").glob("*/bin")]
    return [Path(sys.base_prefix) / "bin", *map(Path, named), Path("/usr/bin"), Path("/usr/local/bin"), *found]


def find_interpreters(folders: Iterable[Path]) -> list[Interpreter]:
    """Every supported Python, the latest of each version, oldest first."""
    files = {path.resolve() for folder in folders if folder.is_dir() for path in folder.glob("python3.*")}
    found = sorted(Interpreter(_numbers(path), path) for path in files if NAME.fullmatch(path.name))
    return list({python.numbers[:2]: python for python in found if python.numbers >= OLDEST}.values())


def _numbers(path: Path) -> tuple[int, ...]:
    """The version of an interpreter; empty if it does not start, is a preview, or lacks a module that we need."""
    ran = subprocess.run([path, "-I", "-c", PROBE], capture_output=True, text=True, check=False)
    return tuple(map(int, ran.stdout.split())) if ran.returncode == 0 else ()


class Environment:
    """An empty environment, without pip."""

    def __init__(self, python: Interpreter, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        run_command([python.path, "-m", "venv", "--without-pip", folder], folder.parent)

    def install(self, *what: object) -> None:
        """Install packages."""
        self._pip("install", *what)

    def check_requirements(self) -> None:
        """Check that the requirements of all installed packages are met."""
        self._pip("check")

    def _pip(self, *words: object) -> None:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", self.python]
        run_command([*pip, *words], self.python.parent)

    def run(self, *words: object, folder: Path, **variables: str) -> str:
        """Run Python here, with the environment's commands first on the path; returns what it printed."""
        path = f"{self.python.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return run_command([self.python, *words], folder, {"PATH": path, **variables})

    def versions(self, names: Iterable[str]) -> str:
        """The installed versions of these: `rich 15.0.0, …`."""
        program = "import sys, importlib.metadata as m; print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
        return self.run("-c", program, *names, folder=self.python.parent).strip()

    def check_import(self, folder: Path) -> None:
        """Check that the package is imported from here, and from nowhere else."""
        self.run("-c", INSTALLED, folder=folder)

    def check_alone(self) -> None:
        """Check that nothing else is installed."""
        self.run("-c", ALONE, folder=self.python.parent)


def run_command(command: Iterable[object], folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """What a command printed. Raises CheckFailed with the end of it if the command fails, or never ends."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**clean_environment(os.environ), **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CheckFailed(str(error)) from error
    if done.returncode:
        raise CheckFailed(
            f"{' '.join(words)[:200]} ended with {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}"
        )
    return done.stdout


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment variables without those that point to a checkout or to a user's plans."""
    return {
        name: value
        for name, value in environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV") and not name.startswith("HOLDFAST_")
    }
