"""Changing a TOML text: one table under `mcp_servers`, added at the end of the text or removed from anywhere."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from ...errors import UsageError
from ...text import one_line

TABLES = "mcp_servers"
UNSAFE = f"its {TABLES} are written in a way that cannot be changed safely: change it by hand"


def table(text: str, name: str) -> Mapping[str, Any] | None:
    """The table of a server, if there is one. Raises UsageError for a text that is not TOML, or of another shape."""
    servers = _parse(text).get(TABLES, {})
    if not isinstance(servers, dict):
        raise UsageError(f"{TABLES} should be a table")
    server = servers.get(name)
    return {"": server} if server is not None and not isinstance(server, dict) else server


def add(text: str, name: str, values: Mapping[str, object]) -> str:
    """The text with a table at its end. Raises UsageError if it cannot stand there."""
    expected = _parse(text)
    line = _newline(text)
    gap = "" if not text else line if text.endswith("\n") else line * 2
    rows = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    expected.setdefault(TABLES, {})[name] = dict(values)
    return _verified(text + gap + line.join([f"[{TABLES}.{name}]", *rows, ""]), expected)


def remove(text: str, name: str) -> str:
    """The text without a server's table and the tables in it. Raises UsageError if they cannot be removed safely."""
    expected = _parse(text)
    if name not in expected.get(TABLES, {}):
        return text
    _delete(expected, name)
    rest, line = _without(text, name), _newline(text)
    if text.startswith(rest) and rest.endswith(line * 2):
        rest = rest.removesuffix(line)  # the empty line that `add` puts before the table
    return _verified(rest, expected)


def _without(text: str, name: str) -> str:
    import tomlkit  # slow to import, and only needed here
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        _delete(document, name)
    except TOMLKitError as error:  # tables in an order that it does not know
        raise UsageError(UNSAFE) from error
    return tomlkit.dumps(document)


def _delete(document: dict[str, Any], name: str) -> None:
    del document[TABLES][name]
    if not document[TABLES]:
        del document[TABLES]


def _verified(text: str, expected: Mapping[str, Any]) -> str:
    """A text that says exactly what it should. Raises UsageError for any other: then nothing is written."""
    try:
        if tomllib.loads(text) == expected:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise UsageError(UNSAFE)


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"it is not TOML ({one_line(str(error))})") from error


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
