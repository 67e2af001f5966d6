"""The wheel as a stranger would meet it: in empty environments, on every Python there is. Part of `make dist`.

    python scripts/release.py dist [--quick]

The core alone, then each extra alone, then the whole suite of the source archive against the installed wheel, on each
Python from 3.11 on that this machine has. `--quick` leaves the suites out.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 15)

CORE = """
import sys
from holdfast import Board
board = Board(store="plans.db")
assert board.write({"todos": [{"content": "a"}]}).ok
assert Board(store="plans.db").plan.todos[0].content == "a"
ours = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"__main__", "holdfast"}
ours = {name for name in ours if not name.startswith(("_", "sitecustomize"))}
assert not ours, f"the core imported {ours}"
"""

EXTRAS = {
    "agent": "import holdfast.agent.models.anthropic, holdfast.agent.models.openai",
    "mcp": "import holdfast.mcp.server",
    "web": "import holdfast.views.web.server",
    "postgres": "import holdfast.stores.postgres",
    "langchain": "import holdfast.adapters.langchain",
    "pydantic-ai": "import holdfast.adapters.pydantic_ai",
    "openai-agents": "import holdfast.adapters.openai_agents",
    "google-adk": "import holdfast.adapters.google_adk",
    "claude-agent-sdk": "import holdfast.adapters.claude_agent_sdk",
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("dist", type=Path)
    options.add_argument("--quick", action="store_true")
    chosen = options.parse_args()
    (wheel,), (source,) = chosen.dist.glob("*.whl"), chosen.dist.glob("*.tar.gz")
    failed = [what for what, is_good in _checks(wheel.resolve(), source.resolve(), chosen.quick) if not is_good]
    print(f"\n{'failed: ' + ', '.join(failed) if failed else 'all good'}")
    return 1 if failed else 0


def _checks(wheel: Path, source: Path, is_quick: bool) -> Iterator[tuple[str, bool]]:
    """Each check by name, and whether it was passed."""
    with tempfile.TemporaryDirectory() as folder:
        root = _unpacked(source, Path(folder))
        yield _said("the core alone", _works(Path(folder) / "core", sys.executable, ["--no-deps", str(wheel)], CORE))
        for extra in tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]:
            what = ["-c", str(_constraints(root)), f"{wheel}[{extra}]"]
            yield _said(f"the extra {extra} alone", _works(Path(folder) / extra, sys.executable, what, EXTRAS[extra]))
        for python in [] if is_quick else pythons():
            yield _said(f"the suite on {python}", _suite(Path(folder) / Path(python).name, python, wheel, root))


def _said(what: str, is_good: bool) -> tuple[str, bool]:
    print(f"{what:50} {'ok' if is_good else 'FAILED'}", flush=True)
    return what, is_good


def pythons() -> list[str]:
    """Every Python in our range on this machine, one of each version."""
    found: dict[int, str] = {}
    for minor in range(OLDEST[1], NEWEST[1]):
        name = f"python3.{minor}"
        for path in (
            sys.executable,
            shutil.which(name) or "",
            *map(str, Path.home().glob(f".pyenv/versions/*/bin/{name}")),
        ):
            if path and _version(path) == (3, minor):
                found.setdefault(minor, path)
    return list(found.values())


def _version(python: str) -> tuple[int, ...]:
    ran = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
    return tuple(map(int, ran.stdout.split())) if ran.returncode == 0 else ()


def _works(environment: Path, python: str, install: list[str], program: str) -> bool:
    """Whether a program runs where nothing but the wheel and what it asks for is installed."""
    if not _installed(environment, python, install):
        return False
    return _ran([str(environment / "bin" / "python"), "-I", "-c", program], environment)


def _suite(environment: Path, python: str, wheel: Path, root: Path) -> bool:
    """Whether the tests of the source archive pass against the installed wheel."""
    copy = environment.with_name(f"{environment.name}-source")
    shutil.copytree(root, copy)
    shutil.rmtree(copy / "src")
    requirements = [f"--requirement={copy / 'requirements' / 'dev.txt'}"]
    if not _installed(environment, python, requirements) or not _installed(
        environment, python, ["--no-deps", str(wheel)]
    ):
        return False
    return _ran([str(environment / "bin" / "python"), "-m", "pytest", "-q", "-n", "auto"], copy)


def _installed(environment: Path, python: str, what: list[str]) -> bool:
    if not environment.exists() and not _ran([python, "-m", "venv", str(environment)], environment.parent):
        return False
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    return _ran([*pip, *what], environment)


def _ran(command: list[str], folder: Path) -> bool:
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HOLDFAST_DB")}
    ran = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
    if ran.returncode:
        print((ran.stdout + ran.stderr)[-3000:])
    return ran.returncode == 0


def _unpacked(source: Path, folder: Path) -> Path:
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def _constraints(root: Path) -> Path:
    """Every exact version that the project pins, as constraints for pip."""
    path = root / "constraints.txt"
    lines = {line for file in (root / "requirements").glob("*.txt") for line in file.read_text().splitlines()}
    pins = (re.match(r"([A-Za-z0-9_.-]+)(?:\[.*\])?(==\S+)", line) for line in lines)
    path.write_text("\n".join(sorted({f"{pin[1]}{pin[2]}" for pin in pins if pin})) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
