"""What the docs say of each coding agent names the check that shows it, and every check is named."""

import re

from dev import ROOT
from dev.e2e.__main__ import CLIENTS

NAMES = {
    "Claude Code": ("claude-code",),
    "Codex": ("codex",),
    "Gemini CLI": ("gemini",),
    "opencode": ("opencode",),
    "Cursor": ("cursor",),
    "VS Code": ("vscode", "code-server"),
}


def test_every_line_names_a_check_that_is_there() -> None:
    """The tables and the checks are the same, client by client."""
    page = (ROOT / "docs" / "coding-agents.md").read_text(encoding="utf-8")
    section = page.partition("## Each agent")[2].partition("\n## ")[0]
    parts = re.split(r"\n\*\*([^*]+)\*\*", section)[1:]
    named = {
        name: re.findall(r"^\|[^|]*\| (`.*`) \|$", text, re.M) for name, text in zip(*[iter(parts)] * 2, strict=True)
    }
    assert named.keys() == NAMES.keys()
    for name, lines in named.items():
        found = [check for line in lines for check in re.findall(r"`([^`]+)`", line)]
        assert sorted(found) == sorted(check for client in NAMES[name] for check in CLIENTS[client][1]), name
