"""What `holdfast agent` refuses: at once, in one line that says what to do."""

import subprocess
from pathlib import Path

import pytest
from agent_driving import HOLDFAST, environ
from patience import PATIENCE

from holdfast.cli import main


def without_a_task(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it with no more than these words: nothing is piped in, and the address in the environment is none."""
    return subprocess.run(
        [*HOLDFAST, *words],
        cwd=folder,
        env=environ(folder, OPENAI_BASE_URL="localhost:8080"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["Do it"], "no model: say which"),
        (["--model", "nobody:x", "Do it"], "unknown model 'nobody'"),
        (["--model", "anthropic:x", "Do it"], "ANTHROPIC_API_KEY"),
        (["--model", "openai:x", "Do it"], "no model's server: expected an address like http://"),
        (["--model", "rehearsal:nowhere.json", "Do it"], "no script in nowhere.json: No such file or directory\n"),
        (["--model", "rehearsal:half.json", "Do it"], "no script in half.json: it is not JSON: Expecting value"),
        (["--model", "rehearsal:shape.json", "Do it"], "no script in shape.json: expected a list of turns, each a"),
        (["--model", "rehearsal:script.json", "--continue", "Do it"], "no conversation to continue"),
        (["--model", "rehearsal:script.json", "--resume", "x", "Do it"], "no conversation 'x'"),
        (["--resume", "nope"], "no conversation 'nope'; `holdfast agent --list` lists them"),
        (["--continue"], "no conversation to continue"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, words: list[str], line: str) -> None:
    """A missing key, an unknown model or conversation: one line that says what to do, exit code 1, nothing left."""
    for name, script in {"script": "[]", "half": "[", "shape": '[["Hello."], 7]'}.items():
        (tmp_path / f"{name}.json").write_text(script)
    ran = without_a_task(tmp_path, *words)
    assert ran.returncode == 1
    assert line in ran.stderr and ran.stderr.count("\n") == 1
    assert not list(tmp_path.glob("conversations/*"))


@pytest.mark.parametrize("address", ["localhost:8080", "http://", "ftp://127.0.0.1/v1", "http://127.0.0.1:port", "x y"])
@pytest.mark.parametrize("command", ["agent", "eval"])
def test_an_address_that_is_none_is_bad_usage(capsys: pytest.CaptureFixture[str], command: str, address: str) -> None:
    """It is refused at once: no server is asked, and asked again."""
    with pytest.raises(SystemExit) as ended:
        main.run([command, "--base-url", address])
    assert ended.value.code == 2
    assert (
        f"--base-url: expected an address like http://127.0.0.1:8080/v1, received '{address}'"
        in capsys.readouterr().err
    )
