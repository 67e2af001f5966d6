"""Changing a TOML text by hand: one table under `mcp_servers`, at the end of the text."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from ...errors import UsageError
from ...text import one_line

TABLES = "mcp_servers"


def table(text: str, name: str) -> Mapping[str, Any] | None:
    """The table of a server, if there is one. Raises UsageError for a text that is no TOML, or of another shape."""
    servers = _parse(text).get(TABLES, {})
    if not isinstance(servers, dict):
        raise UsageError(f"{TABLES} should be a table")
    found = servers.get(name)
    return {"": found} if found is not None and not isinstance(found, dict) else found


def put(text: str, name: str, values: Mapping[str, object]) -> str:
    """The text with a table at its end. Raises UsageError if it cannot stand there."""
    expected = _parse(text)
    line = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else line if text.endswith("\n") else line * 2
    rows = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    after = text + gap + line.join([f"[{TABLES}.{name}]", *rows, ""])
    expected.setdefault(TABLES, {})[name] = dict(values)
    return _verified(after, expected)


def take(text: str, name: str) -> str:
    """The text without a server's table and the tables in it. Raises UsageError if they cannot be told apart."""
    expected = _parse(text)
    if name not in expected.get(TABLES, {}):
        return text
    del expected[TABLES][name]
    own = re.compile(rf"[ \t]*\[{TABLES}\.(?:{name}|\"{name}\")(?:\.[^\]]*)?\][ \t]*(?:#.*)?$")
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    inside = False
    for row in lines:
        if re.match(r"[ \t]*\[", row) and (not inside or re.match(r"[ \t]*\[\[?[A-Za-z0-9_\"'. -]+\]", row)):
            inside = own.match(row.rstrip("\r\n")) is not None
            if inside and kept and not kept[-1].strip():
                kept.pop()  # the empty line before it
        if not inside:
            kept.append(row)
    if not expected[TABLES] and not re.search(rf"^[ \t]*\[{TABLES}\]", "".join(kept), re.M):
        del expected[TABLES]
    return _verified("".join(kept), expected)


def _verified(text: str, expected: Mapping[str, Any]) -> str:
    """A text that says just what it should. Raises UsageError for one that does not: then nothing is written."""
    try:
        if tomllib.loads(text) == expected:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise UsageError(f"its {TABLES} are written in a way that cannot be changed safely: do it by hand")


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"it is not TOML ({one_line(str(error))})") from error
