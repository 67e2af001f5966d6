"""A TOML text with a table of ours: added at its end, removed again, comments and everything else unchanged."""

import tomllib
from typing import NoReturn

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tomlkit.exceptions import KeyAlreadyPresent

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

OWN_LINES = [
    "[mcp_servers]",
    "[mcp_servers.holdfast]",
    "[mcp_servers.holdfast.env]",
    'args = ["mcp"]',
    "[mcp_servers.b]",
]


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
    more = toml_edit.add(text, "holdfast", OURS)
    assert more.startswith(text)
    assert tomllib.loads(more)["mcp_servers"]["holdfast"] == OURS
    assert toml_edit.remove(more, "holdfast") == text


def test_tables_in_our_table_go_with_it() -> None:
    """What Codex has added to it since, such as approvals, would be broken without it; what follows stays."""
    more = toml_edit.add("a = 1\n", "holdfast", OURS)
    grown = more + '[mcp_servers.holdfast.tools.TodoWrite]\napproval_mode = "approve"\n\n[after]\nb = 2\n'
    assert toml_edit.remove(grown, "holdfast") == "a = 1\n\n[after]\nb = 2\n"


@given(st.lists(lines | st.sampled_from(OWN_LINES), max_size=8, unique=True))
def test_our_table_is_removed_from_anywhere(rows: list[str]) -> None:
    """Wherever our tables stand, they go, and everything else says what it did, in the same lines; or it is refused."""
    text = "".join(f"{row}\n" for row in rows)
    assume(is_toml(text))
    expected = tomllib.loads(text)
    expected.get("mcp_servers", {}).pop("holdfast", None)
    try:
        rest = toml_edit.remove(text, "holdfast")
    except UsageError as error:
        if "by hand" not in str(error):  # an order of tables that the library cannot read
            raise
        return
    assert tomllib.loads(rest).get("mcp_servers", {}) == expected.pop("mcp_servers", {})
    assert {**tomllib.loads(rest), "mcp_servers": {}} == {**expected, "mcp_servers": {}}
    assert set(rest.split("\n")) <= set(text.split("\n"))


def test_a_server_in_one_line_is_removed() -> None:
    """However a person wrote it, a server of ours goes and its neighbours stay as they are."""
    text = 'a = 1\nmcp_servers.holdfast = { command = "holdfast", args = ["mcp"] } # mine\nb = 2 # why\n'
    assert toml_edit.remove(text, "holdfast") == "a = 1\nb = 2 # why\n"


def test_what_cannot_be_changed_safely_is_refused() -> None:
    """All servers in one line leave no place for a table of ours: that is left to people."""
    with pytest.raises(UsageError, match="by hand"):
        toml_edit.add('mcp_servers = { other = { command = "npx" } }\n', "holdfast", OURS)


def test_where_the_editor_fails_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each version of the library has orders of tables that it cannot read, and Python can."""

    def fail(text: str) -> NoReturn:
        raise KeyAlreadyPresent("holdfast")

    monkeypatch.setattr("tomlkit.parse", fail)
    with pytest.raises(UsageError, match="by hand"):
        toml_edit.remove("[mcp_servers.holdfast]\n", "holdfast")


def test_what_is_no_toml_is_refused() -> None:
    """The place of the mistake is named."""
    with pytest.raises(UsageError, match=r"not TOML .*line 2"):
        toml_edit.table("a = 1\nb = \n", "holdfast")
    with pytest.raises(UsageError, match="mcp_servers should be a table"):
        toml_edit.table("mcp_servers = 1\n", "holdfast")
