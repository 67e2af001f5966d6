"""What goes into a harness's settings, as pure functions of their text: put in, and taken out again."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from ...errors import UsageError
from . import json_edit, toml_edit

NAME = "holdfast"
_HOOK = re.compile(r"""(^|[\s/\\"'])holdfast(\.exe)?["']?\s+hook\s""")
_PROGRAM = re.compile(r"(^|[/\\])holdfast(\.exe)?$")


class Setting(Protocol):
    """One text that Holdfast has a part in. An empty text stands for a file that is not there."""

    def put(self, text: str) -> str:
        """The text with our part. Raises UsageError for one that is not of the shape that it must have."""
        ...

    def take(self, text: str) -> str:
        """The text without our part, whatever version or option put it in. Raises UsageError, too."""
        ...

    def bare(self, text: str) -> str:
        """What two texts have in common that differ only in our part. Raises UsageError, too."""
        ...


class JSONSetting(NamedTuple):
    """Settings in JSON: `server` is the entry under `servers`, `hooks` a group for each event."""

    servers: str = "mcpServers"
    server: Mapping[str, object] | None = None
    hooks: Mapping[str, Mapping[str, object]] = {}

    def put(self, text: str) -> str:
        """The text with our entries. One that has them already stays as it is."""
        mark, text = _unmarked(text)
        text = text if text.strip() else "{}\n"
        value = _checked(text, self.servers)
        known = value.get(self.servers, {}).get(NAME, {})
        if self.server is not None and not self.server.items() <= known.items():
            text = json_edit.put(text, (self.servers, NAME), {**known, **self.server})
        if any(_own_groups(value, event) != [group] for event, group in self.hooks.items()) or self._has_more(value):
            text = _without_hooks(text)
            for event, group in self.hooks.items():
                text = json_edit.put(text, ("hooks", event, -1), group)
        return mark + text

    def take(self, text: str) -> str:
        """The text without our entries, and without what is empty since then."""
        mark, text = _unmarked(text)
        if not text.strip():
            return mark + text
        value = _checked(text, self.servers)
        if NAME in value.get(self.servers, {}):
            text = _taken(text, (self.servers, NAME))
        return mark + _without_hooks(text)

    def bare(self, text: str) -> str:
        """The text without our entries, and with nothing empty where they could stand."""
        mark, text = _unmarked(self.take(text))
        value = _checked(text, self.servers) if text.strip() else {}
        for event in [event for event, groups in _hooks(value).items() if not groups]:
            text = json_edit.take(text, ("hooks", event))
        for key in (self.servers, "hooks"):
            if key in value and all(key == "hooks" and groups == [] for groups in value[key].values()):
                text = json_edit.take(text, (key,))
                del value[key]
        return mark + (text if value else "{}")

    def _has_more(self, value: Mapping[str, Any]) -> bool:
        """Whether hooks of ours stand at events that these settings leave alone."""
        return bool(self.hooks) and any(_own_groups(value, event) for event in _hooks(value) if event not in self.hooks)


class TOMLSetting(NamedTuple):
    """Settings in TOML: a table of our own."""

    server: Mapping[str, object] | None = None

    def put(self, text: str) -> str:
        """The text with our table at its end. One that has it already stays as it is."""
        known = toml_edit.table(text, NAME)
        if known is not None:
            _check_ours(known)
        merged = {**(known or {}), **(self.server or {})}
        return text if merged == (known or {}) else toml_edit.add(toml_edit.remove(text, NAME), NAME, merged)

    def take(self, text: str) -> str:
        """The text without our table, and what belongs to it."""
        known = toml_edit.table(text, NAME)
        if known is None:
            return text
        _check_ours(known)
        return toml_edit.remove(text, NAME)

    def bare(self, text: str) -> str:
        """The text without our table, and without the end of its last line."""
        return self.take(text).rstrip()


class OwnFile(NamedTuple):
    """A file that is ours alone: its first line says so."""

    text: str

    def put(self, text: str) -> str:
        """Our text. Raises UsageError if there is a file that is not ours."""
        self._check(text)
        return self.text

    def take(self, text: str) -> str:
        """Nothing. Raises UsageError if there is a file that is not ours."""
        self._check(text)
        return ""

    def bare(self, text: str) -> str:
        """Nothing: all of it is ours."""
        return self.take(text)

    def _check(self, text: str) -> None:
        mark = self.text.split("\n", 1)[0]
        if text.strip() and not text.startswith(mark):
            raise UsageError("it is there already, and not ours: move it away first")


def _checked(text: str, servers: str) -> dict[str, Any]:
    """The value of a text, if it is of the shape that it must have."""
    value = json_edit.parse(text)
    if not isinstance(value, dict):
        raise UsageError("it should be a JSON object")
    if not isinstance(value.get(servers, {}), dict):
        raise UsageError(f"{servers} should be an object")
    if NAME in value.get(servers, {}):
        _check_ours(value[servers][NAME])
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict):
        raise UsageError("hooks should be an object")
    for event, groups in hooks.items():
        if not isinstance(groups, list) and event not in _NO_EVENTS:
            raise UsageError(f"hooks.{event} should be a list")
    return value


_NO_EVENTS = ("enabled", "disabled", "notifications")
"""What older versions of Gemini CLI keep among its events."""


def _check_ours(entry: object) -> None:
    """Raises UsageError for a server of our name that somebody else has put there."""
    command = entry.get("command") if isinstance(entry, dict) else None
    words = command if isinstance(command, list) else [command, *_args(entry)]
    if not (len(words) > 1 and isinstance(words[0], str) and _PROGRAM.search(words[0]) and words[1] == "mcp"):
        raise UsageError(f"it has another MCP server of the name {NAME}: give that one another name first")


def _args(entry: object) -> list[object]:
    args = entry.get("args") if isinstance(entry, dict) else None
    return args if isinstance(args, list) else []


def _hooks(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {event: groups for event, groups in value.get("hooks", {}).items() if isinstance(groups, list)}


def _own_groups(value: Mapping[str, Any], event: str) -> list[object]:
    return [group for group in _hooks(value).get(event, []) if any(map(_is_ours, _commands(group)))]


def _commands(group: object) -> list[Any]:
    inner = group.get("hooks") if isinstance(group, dict) else None
    return inner if isinstance(inner, list) else []


def _is_ours(hook: object) -> bool:
    return isinstance(hook, dict) and bool(_HOOK.search(f"{hook.get('command', '')} "))


def _without_hooks(text: str) -> str:
    """The text without our hooks, and without the groups and events that have none since then."""
    for event, groups in _hooks(json_edit.parse(text)).items():
        for at in reversed(range(len(groups))):
            inner = _commands(groups[at])
            own = [place for place, hook in enumerate(inner) if _is_ours(hook)]
            for place in reversed(own):
                if len(own) == len(inner):
                    text = _taken(text, ("hooks", event, at))
                    break
                text = json_edit.take(text, ("hooks", event, at, "hooks", place))
    return text


def _taken(text: str, path: json_edit.Path) -> str:
    """The text without what stands at a path, and without what that leaves empty."""
    text = json_edit.take(text, path)
    while len(path) > 1:
        path = path[:-1]
        value = json_edit.parse(text)
        for name in path:
            value = value[name]
        if value:
            break
        text = json_edit.take(text, path)
    return text


def _unmarked(text: str) -> tuple[str, str]:
    """A text apart from its byte order mark."""
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
