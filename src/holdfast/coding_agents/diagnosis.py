"""How each coding agent is set up: where our part is, whether it can run, when it last did, and what to do."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import UsageError
from .hooks.log import log_path
from .hooks.trail import last_event
from .install.files import MARK
from .install.targets import TARGETS, InstallOptions

LOG_TAIL = 64 * 1024
_COMMAND = re.compile(r"""["'\s;]([^\s"';]*holdfast(?:\.exe)?)["']?(?:\s+(?:hook|mcp)|",\s*"(?:hook|mcp)|",\s*"args)""")
_PROGRAM = re.compile(r'"?command"?\s*[:=]\s*\[?\s*"([^"]*holdfast(?:\.exe)?)"')


class ClientDiagnosis(NamedTuple):
    """What was found of one coding agent. `last_event` is 0 if no hook ever ran, `trouble` the last line of its log."""

    name: str
    files: tuple[str, ...]
    command: str
    is_found: bool
    is_trusted: bool | None
    last_event: float
    trouble: str
    advice: str


def diagnose(folder: str, environ: Mapping[str, str]) -> list[ClientDiagnosis]:
    """Every coding agent that has our entries in its settings, or has run a hook."""
    found = [_diagnose(name, folder, environ) for name in TARGETS]
    return [each for each in found if each.files or each.last_event]


def _diagnose(name: str, folder: str, environ: Mapping[str, str]) -> ClientDiagnosis:
    texts = _installed(name, folder, environ)
    command = next((word for text in texts.values() for word in _commands(text)), "")
    is_found = bool(command) and shutil.which(command, path=environ.get("PATH")) is not None
    is_trusted = _is_trusted(name, folder, environ) if any(path.startswith(folder) for path in texts) else None
    seen = last_event(environ, name)
    advice = _advice(name, bool(texts), is_found, is_trusted, seen)
    return ClientDiagnosis(name, tuple(texts), command, is_found, is_trusted, seen, _trouble(name, environ), advice)


def _installed(name: str, folder: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The settings that have our part in them, with their texts."""
    texts: dict[str, str] = {}
    for for_user, is_local in ((False, False), (False, True), (True, False)):
        options = InstallOptions(MARK, folder, environ, for_user=for_user, is_local=is_local)
        for path, setting in TARGETS[name].settings(options):
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    text = file.read()
                if MARK in text and setting.remove_from(text) != text:
                    texts[path] = text
            except (OSError, UnicodeDecodeError, UsageError):
                continue
    return texts


def _commands(text: str) -> list[str]:
    return [*_PROGRAM.findall(text), *_COMMAND.findall(text), *re.findall(r'COMMAND = \["([^"]+)"', text)]


def _is_trusted(name: str, folder: str, environ: Mapping[str, str]) -> bool | None:
    """Whether the agent reads this project's settings, as far as its own files say so."""
    home = environ.get("HOME") or os.path.expanduser("~")
    try:
        if name == "gemini":
            with open(os.path.join(home, ".gemini", "trustedFolders.json"), encoding="utf-8") as file:
                rules = json.load(file)
            return any(rule != "DO_NOT_TRUST" and _is_below(folder, path) for path, rule in rules.items())
        if name == "codex":
            with open(os.path.join(environ.get("CODEX_HOME") or f"{home}/.codex", "config.toml"), "rb") as file:
                projects = tomllib.load(file).get("projects", {})
            return any(part.get("trust_level") == "trusted" and _is_below(folder, p) for p, part in projects.items())
    except FileNotFoundError:
        return False if name in ("gemini", "codex") else None
    except (OSError, ValueError, AttributeError):
        return None
    return None


def _is_below(folder: str, path: str) -> bool:
    return os.path.join(os.path.realpath(folder), "").startswith(os.path.join(os.path.realpath(path), ""))


def _trouble(name: str, environ: Mapping[str, str]) -> str:
    """The last line of the log that is about an agent."""
    try:
        with open(log_path(environ), "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - LOG_TAIL, 0))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line for line in reversed(lines) if f" {name}: " in line), "")


def _advice(name: str, is_installed: bool, is_found: bool, is_trusted: bool | None, seen: float) -> str:
    if not is_installed:
        return f"its settings no longer have our part: holdfast install {name}"
    if not is_found:
        return "the command is not found from here: install Holdfast where every shell finds it (pipx, uv tool)"
    if is_trusted is False:
        return f"{name} does not trust this folder, so it ignores the project's settings: start it here and trust it"
    if not TARGETS[name].has_hooks:
        return ""
    if not seen:
        more = ", and trust the hooks with /hooks" if name == "codex" else ""
        return f"no hook has run yet: restart {name}{more}"
    return ""
