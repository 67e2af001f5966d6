"""A TOML text with a table of ours: put at its end, taken out again, comments and all else kept."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.coding_agents.install import toml_edit
from holdfast.errors import UsageError

OURS = {"command": "holdfast", "args": ["mcp"]}

lines = st.sampled_from(
    [
        "# a comment",
        "",
        'model = "gpt" # why',
        "[features]",
        "hooks = true",
        "[mcp_servers.other]",
        'command = "npx"',
        'text = """\n[mcp_servers.fake]\n"""',
        "[[rules]]",
        "list = [\n  [1],\n]",
    ]
)


def is_toml(text: str) -> bool:
    """Whether a text can be read."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


texts = st.lists(lines, max_size=8, unique=True).map(lambda rows: "".join(f"{row}\n" for row in rows)).filter(is_toml)


@given(texts, st.sampled_from(["\n", "\r\n"]))
def test_our_table_comes_and_goes(text: str, line: str) -> None:
    """With it the text says one thing more; without it, it is as it was, byte for byte."""
    text = text.replace("\n", line)
    more = toml_edit.put(text, "holdfast", OURS)
    assert more.startswith(text)
    assert tomllib.loads(more)["mcp_servers"]["holdfast"] == OURS
    assert toml_edit.take(more, "holdfast") == text


def test_tables_in_our_table_go_with_it() -> None:
    """What Codex has added to it since, such as approvals, would be broken without it; what follows stays."""
    more = toml_edit.put("a = 1\n", "holdfast", OURS)
    grown = more + '[mcp_servers.holdfast.tools.TodoWrite]\napproval_mode = "approve"\n\n[after]\nb = 2\n'
    assert toml_edit.take(grown, "holdfast") == "a = 1\n[after]\nb = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "npx" } }\n',
        'mcp_servers.holdfast = { command = "holdfast", args = ["mcp"] }\n',
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    """Tables written in one line are left to people."""
    with pytest.raises(UsageError, match="by hand"):
        toml_edit.put(toml_edit.take(text, "holdfast"), "holdfast", OURS)


def test_what_is_no_toml_is_refused() -> None:
    """The place of the mistake is named."""
    with pytest.raises(UsageError, match=r"not TOML .*line 2"):
        toml_edit.table("a = 1\nb = \n", "holdfast")
    with pytest.raises(UsageError, match="mcp_servers should be a table"):
        toml_edit.table("mcp_servers = 1\n", "holdfast")
