"""`python -m dev.e2e [--scratch FOLDER] [CLIENT…]`: what passed, what failed, and what could not be run, and why."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from . import claude_code, codex, gemini, inspector, opencode
from .npm import NotRun, Shelf
from .trial import Trial

Check = Callable[[Trial], None]

CLIENTS: Mapping[str, tuple[str, Mapping[str, Check]]] = {
    "inspector": ("@modelcontextprotocol/inspector", inspector.CHECKS),
    "claude-code": ("@anthropic-ai/claude-code", claude_code.CHECKS),
    "codex": ("@openai/codex", codex.CHECKS),
    "gemini": ("@google/gemini-cli", gemini.CHECKS),
    "opencode": ("opencode-ai", opencode.CHECKS),
}


def main() -> int:
    """Try every client, or those that were named; 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="python -m dev.e2e", description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument("--scratch", type=Path, help="where clients are installed and stay; else a folder that goes")
    options = parser.parse_args()
    names = options.clients or list(CLIENTS)
    with tempfile.TemporaryDirectory(prefix="holdfast-e2e-") as folder:
        outcomes = [each for name in names for each in _tried(name, options.scratch or Path(folder), Path(folder))]
    failed = [each for each in outcomes if each.startswith("failed")]
    print(f"{len(outcomes)} checks, {len(failed)} failed")
    return 1 if failed else 0


def _tried(name: str, shelf: Path, folder: Path) -> list[str]:
    package, checks = CLIENTS[name]
    try:
        place = Shelf(shelf)
        client = place.install(package)
    except NotRun as why:
        return [_told("not run", f"{name}, {what}", str(why)) for what in checks]
    outcomes = []
    for number, (what, check) in enumerate(checks.items()):
        trial = Trial(folder / f"{name}-{number}", place.path, client.commands)
        outcomes.append(_checked(f"{name} {client.version}, {what}", check, trial))
    return outcomes


def _checked(what: str, check: Check, trial: Trial) -> str:
    started = time.monotonic()
    try:
        check(trial)
    except NotRun as why:
        return _told("not run", what, str(why))
    except Exception as error:  # one client must not keep the others from being tried
        return _told("failed", what, f"{type(error).__name__}: {error}")
    return _told("passed", what, f"{time.monotonic() - started:.0f} s")


def _told(outcome: str, what: str, why: str) -> str:
    line = f"{outcome:8} {what}: {why}"
    print(line, flush=True)
    return line


if __name__ == "__main__":
    sys.exit(main())
