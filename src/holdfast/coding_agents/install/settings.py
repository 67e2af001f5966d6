"""What goes into a harness's settings, as pure functions of their text: added, and removed again."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from ...errors import UsageError
from . import json_edit, toml_edit

NAME = "holdfast"
_HOOK = re.compile(r"""(^|[\s/\\"'])holdfast(\.exe)?["']?\s+hook\s""")
_PROGRAM = re.compile(r"(^|[/\\])holdfast(\.exe)?$")


class Setting(Protocol):
    """Our part of one text. A missing file is an empty text."""

    def add_to(self, text: str) -> str:
        """The text with our part. Raises UsageError for a text of an unexpected shape."""
        ...

    def remove_from(self, text: str) -> str:
        """The text without our part, whatever version or option added it. Raises UsageError too."""
        ...

    def rest_of(self, text: str) -> str:
        """The same for any two texts that differ only in our part. Raises UsageError too."""
        ...


class JSONSetting(NamedTuple):
    """Settings in JSON: `server` is the entry under `servers`, `hooks` a group for each event.

    `allow` are tools that may be used without a question, and `status_line` a line below the prompt; Claude Code has
    both.
    """

    servers: str = "mcpServers"
    server: Mapping[str, object] | None = None
    hooks: Mapping[str, Mapping[str, object]] = {}
    allow: tuple[str, ...] = ()
    status_line: Mapping[str, object] | None = None

    def add_to(self, text: str) -> str:
        """The text with our entries. A text that has them already stays as it is."""
        mark, text = _split_mark(text)
        text = text if text.strip() else "{}\n"
        value = _parse_settings(text, self.servers)
        known = value.get(self.servers, {}).get(NAME, {})
        if self.server is not None and not self.server.items() <= known.items():
            text = json_edit.put(text, (self.servers, NAME), {**known, **self.server})
        if any(_own_groups(value, event) != [group] for event, group in self.hooks.items()) or self._has_more(value):
            text = _without_hooks(text)
            for event, group in self.hooks.items():
                text = json_edit.put(text, ("hooks", event, -1), group)
        for tool in self.allow:
            if tool not in _allowed(value):
                text = json_edit.put(text, ("permissions", "allow", -1), tool)
        if self.status_line is not None and value.get("statusLine") != self.status_line:
            if "statusLine" in value and not _is_ours(value["statusLine"]):
                raise UsageError("it has a status line already: remove that one first, or leave out --status-line")
            text = json_edit.put(text, ("statusLine",), self.status_line)
        return mark + text

    def remove_from(self, text: str) -> str:
        """The text without our entries, and without objects and lists that this leaves empty."""
        mark, text = _split_mark(text)
        if not text.strip():
            return mark + text
        value = _parse_settings(text, self.servers)
        if NAME in value.get(self.servers, {}):
            text = _remove_with_empty_parents(text, (self.servers, NAME))
        for place in [place for place, tool in enumerate(_allowed(value)) if tool == f"mcp__{NAME}"][::-1]:
            text = _remove_with_empty_parents(text, ("permissions", "allow", place))
        if _is_ours(value.get("statusLine")):
            text = json_edit.remove(text, ("statusLine",))
        return mark + _without_hooks(text)

    def rest_of(self, text: str) -> str:
        """The text without our entries, and without empty objects and lists where they could be."""
        mark, text = _split_mark(self.remove_from(text))
        value = _parse_settings(text, self.servers) if text.strip() else {}
        for event in [event for event, groups in _hooks(value).items() if not groups]:
            text = json_edit.remove(text, ("hooks", event))
        for key in (self.servers, "hooks"):
            if key in value and all(key == "hooks" and groups == [] for groups in value[key].values()):
                text = json_edit.remove(text, (key,))
                del value[key]
        is_bare = not value and (not text.strip() or json_edit.is_empty(text, ()))
        return mark + ("{}" if is_bare else text)

    def _has_more(self, value: Mapping[str, Any]) -> bool:
        """Whether our hooks are at events that these settings do not use."""
        return bool(self.hooks) and any(_own_groups(value, event) for event in _hooks(value) if event not in self.hooks)


class TOMLSetting(NamedTuple):
    """Settings in TOML: one table."""

    server: Mapping[str, object] | None = None

    def add_to(self, text: str) -> str:
        """The text with our table at its end. A text that has it already stays as it is."""
        known = toml_edit.table(text, NAME)
        if known is not None:
            _check_ours(known)
        merged = {**(known or {}), **(self.server or {})}
        return text if merged == (known or {}) else toml_edit.add(toml_edit.remove(text, NAME), NAME, merged)

    def remove_from(self, text: str) -> str:
        """The text without our table and the tables in it."""
        known = toml_edit.table(text, NAME)
        if known is None:
            return text
        _check_ours(known)
        return toml_edit.remove(text, NAME)

    def rest_of(self, text: str) -> str:
        """The text without our table, and without white space at its end."""
        return self.remove_from(text).rstrip()


class OwnFile(NamedTuple):
    """A file that is entirely ours: its first line says so."""

    text: str

    def add_to(self, text: str) -> str:
        """Our text. Raises UsageError for a text that is not ours."""
        self._check(text)
        return self.text

    def remove_from(self, text: str) -> str:
        """An empty text. Raises UsageError for a text that is not ours."""
        self._check(text)
        return ""

    def rest_of(self, text: str) -> str:
        """An empty text: all of it is ours."""
        return self.remove_from(text)

    def _check(self, text: str) -> None:
        mark = self.text.split("\n", 1)[0]
        if text.strip() and not text.startswith(mark):
            raise UsageError("it is there already, and not ours: move it away first")


def _parse_settings(text: str, servers: str) -> dict[str, Any]:
    """The value of a text. Raises UsageError if it has an unexpected shape."""
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
        if not isinstance(groups, list) and event not in _NOT_EVENTS:
            raise UsageError(f"hooks.{event} should be a list")
    return value


_NOT_EVENTS = ("enabled", "disabled", "notifications")
"""Keys that older versions of Gemini CLI have among its events."""


def _check_ours(entry: object) -> None:
    """Raises UsageError for a server with our name that is not ours."""
    command = entry.get("command") if isinstance(entry, dict) else None
    words = command if isinstance(command, list) else [command, *_args(entry)]
    if not (len(words) > 1 and isinstance(words[0], str) and _PROGRAM.search(words[0]) and words[1] == "mcp"):
        raise UsageError(f"it has another MCP server with the name {NAME}: rename that one first")


def _args(entry: object) -> list[object]:
    args = entry.get("args") if isinstance(entry, dict) else None
    return args if isinstance(args, list) else []


def _hooks(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {event: groups for event, groups in value.get("hooks", {}).items() if isinstance(groups, list)}


def _allowed(value: Mapping[str, Any]) -> list[object]:
    permissions = value.get("permissions")
    allowed = permissions.get("allow") if isinstance(permissions, dict) else None
    return allowed if isinstance(allowed, list) else []


def _own_groups(value: Mapping[str, Any], event: str) -> list[object]:
    return [group for group in _hooks(value).get(event, []) if any(map(_is_ours, _commands(group)))]


def _commands(group: object) -> list[Any]:
    inner = group.get("hooks") if isinstance(group, dict) else None
    return inner if isinstance(inner, list) else []


def _is_ours(hook: object) -> bool:
    return isinstance(hook, dict) and bool(_HOOK.search(f"{hook.get('command', '')} "))


def _without_hooks(text: str) -> str:
    """The text without our hooks, and without groups and events that this leaves empty."""
    for event, groups in _hooks(json_edit.parse(text)).items():
        for at in reversed(range(len(groups))):
            inner = _commands(groups[at])
            own = [place for place, hook in enumerate(inner) if _is_ours(hook)]
            for place in reversed(own):
                if len(own) == len(inner):
                    text = _remove_with_empty_parents(text, ("hooks", event, at))
                    break
                text = json_edit.remove(text, ("hooks", event, at, "hooks", place))
    return text


def _remove_with_empty_parents(text: str, path: json_edit.Path) -> str:
    """The text without the value at a path, and without the objects and lists that this leaves empty."""
    text = json_edit.remove(text, path)
    while len(path) > 1:
        path = path[:-1]
        value = json_edit.parse(text)
        for name in path:
            value = value[name]
        if value or not json_edit.is_empty(text, path):
            break
        text = json_edit.remove(text, path)
    return text


def _split_mark(text: str) -> tuple[str, str]:
    """The byte order mark of a text, if it has one, and the rest."""
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
