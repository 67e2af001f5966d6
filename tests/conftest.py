"""What every test may use: snapshots of texts that somebody reads, and the same conditions on any machine."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SNAPSHOTS = Path(__file__).parent / "snapshots"
SETTINGS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")

# Without a stop watch: how long an example takes says more about the machine than about the code.
settings.register_profile("holdfast", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("holdfast")


@pytest.fixture(scope="session", autouse=True)
def plain_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that the user has set for colours, windows, keys or Holdfast itself reaches a test.

    What Holdfast keeps for its user, such as which folders are trusted, goes into a home folder of the tests.
    """
    names = [name for name in os.environ if name in SETTINGS or name.startswith(("HOLDFAST_", "ANTHROPIC_", "OPENAI_"))]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.delenv(name)
        patch.delenv("XDG_STATE_HOME", raising=False)
        patch.setenv("HOLDFAST_RESIDENT", "off")  # a test leaves no process behind
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def signals_of_the_foreground() -> Iterator[None]:
    """Let the programs that tests start be interrupted and hung up on, even if the tests run in the background.

    A job in the background ignores these signals, and so does every program that it starts. A program does not inherit
    a handler, though. So the tests take SIGINT as Python does in the foreground, and do nothing about a hang-up.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: lambda *_: None}
    ignored = [number for number in handlers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, handlers[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare a text with `tests/snapshots/<name>`; `UPDATE_SNAPSHOTS=1` writes it anew, for a person to read."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / name
        text = text.rstrip("\n") + "\n"
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            return
        assert path.exists(), f"no snapshot {name}; UPDATE_SNAPSHOTS=1 writes it"
        assert text == path.read_text(encoding="utf-8"), f"{name} changed; UPDATE_SNAPSHOTS=1 takes the new text"

    return compare
