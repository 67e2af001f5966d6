"""The real coding agents, each with the tool and the hooks: what passed, what failed, and what could not run.

python -m dev.e2e [--scratch FOLDER] [CLIENT…]
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dev import NotRun

from . import claude_code, codex, editors, gemini, inspector, javascript, opencode, vscode
from .npm import ClientFolder, InstalledClient
from .trial import ClientTrial

ClientCheck = Callable[[ClientTrial], None]

CLIENTS: Mapping[str, tuple[Sequence[str], Mapping[str, ClientCheck]]] = {
    "inspector": (["@modelcontextprotocol/inspector"], inspector.CHECKS),
    "claude-code": (["@anthropic-ai/claude-code"], claude_code.CHECKS),
    "codex": (["@openai/codex"], codex.CHECKS),
    "gemini": (["@google/gemini-cli"], gemini.CHECKS),
    "opencode": (["opencode-ai"], opencode.CHECKS),
    "vercel": (["ai", "@ai-sdk/mcp", "@ai-sdk/openai"], javascript.VERCEL_CHECKS),
    "mastra": (["@mastra/core", "@mastra/mcp", "@ai-sdk/openai"], javascript.MASTRA_CHECKS),
    "cursor": ([], editors.CURSOR_CHECKS),
    "vscode": ([], editors.VSCODE_CHECKS),
    "code-server": (["code-server"], vscode.CHECKS),
}
"""The packages of each client and its checks; no package for one that is played by the official MCP client."""


def main() -> int:
    """Try every client, or the named ones; returns 1 if a check failed."""
    parser = argparse.ArgumentParser(prog="python -m dev.e2e", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    parser.add_argument(
        "--scratch", type=Path, help="where clients are installed, and stay; default a temporary folder"
    )
    options = parser.parse_args()
    names = options.clients or list(CLIENTS)
    with tempfile.TemporaryDirectory(prefix="holdfast-e2e-") as folder:
        outcomes = [each for name in names for each in _try_client(name, options.scratch or Path(folder), Path(folder))]
    failed = [each for each in outcomes if each.startswith("failed")]
    print(f"{len(outcomes)} checks, {len(failed)} failed")
    return 1 if failed else 0


def _try_client(name: str, shelf: Path, folder: Path) -> list[str]:
    packages, checks = CLIENTS[name]
    try:
        place = ClientFolder(shelf)
        client = place.install(*packages) if packages else InstalledClient("settings", folder)
    except NotRun as why:
        return [_report("not run", f"{name}, {what}", str(why)) for what in checks]
    outcomes = []
    for number, (what, check) in enumerate(checks.items()):
        trial = ClientTrial(folder / f"{name}-{number}", place.path, client.commands)
        outcomes.append(_run_check(f"{name} {client.version}, {what}", check, trial))
    return outcomes


def _run_check(what: str, check: ClientCheck, trial: ClientTrial) -> str:
    started = time.monotonic()
    try:
        check(trial)
    except NotRun as why:
        return _report("not run", what, str(why))
    except Exception as error:  # a failure must not stop the other checks
        return _report("failed", what, f"{type(error).__name__}: {error}")
    return _report("passed", what, f"{time.monotonic() - started:.0f} s")


def _report(outcome: str, what: str, why: str) -> str:
    line = f"{outcome:8} {what}: {why}"
    print(line, flush=True)
    return line


if __name__ == "__main__":
    sys.exit(main())
