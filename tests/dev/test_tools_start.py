"""Everything under `dev/` starts from the root of the checkout, and finds what it needs there."""

import subprocess
import sys
from importlib import import_module

import pytest

from dev import ROOT
from dev.bench.__main__ import PARTS, main
from dev.bench.peers import PEERS, PeerProcess


@pytest.mark.parametrize("tool", ["bench", "torture", "mutation", "release", "e2e"])
def test_a_tool_says_what_it_does(tool: str) -> None:
    """`python -m dev.TOOL --help` works with nothing but the checkout."""
    command = [sys.executable, "-m", f"dev.{tool}", "--help"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("usage: ")


@pytest.mark.parametrize("part", PARTS)
def test_every_benchmark_is_there(part: str) -> None:
    """Each name of the table leads to a function."""
    module, _, function = PARTS[part].partition(":")
    if "postgres" in part:
        pytest.importorskip("psycopg")
    assert callable(getattr(import_module(module), function))


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists those that there are."""
    with pytest.raises(SystemExit, match="2"):
        main(["nope"])
    assert "no benchmark nope; there are writes, " in capsys.readouterr().err


def test_a_peer_answers() -> None:
    """Holdfast's own program among the peers times its writes, and says what its model reads."""
    process = PeerProcess(sys.executable, PEERS[0].program, PEERS[0].fields)
    try:
        assert process.ask(calls=2) > 0
        said = process.ask(steps=[[f"Step {step}", f"Doing {step}"] for step in range(10)])["said"]
        assert [reply.partition(" ")[0] for _, reply in said] == [
            "Saved",
            *(f"{done}/10" for done in range(1, 10)),
            "All",
        ]
    finally:
        process.close()
