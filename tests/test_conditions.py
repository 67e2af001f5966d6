"""The tests pass on any machine: what they start behaves as it does in the foreground."""

import os
import signal
import subprocess
import sys

import pytest
from patience import PATIENCE

IGNORED = "import signal; print([number.name for number in signal.Signals if {}])".format(
    "signal.getsignal(number) is signal.SIG_IGN and number.name in ('SIGINT', 'SIGHUP')"
)


def test_a_program_can_be_interrupted_and_hung_up_on() -> None:
    """Whatever started the tests, a program that they start ignores neither Ctrl-C nor a closed terminal."""
    ran = subprocess.run([sys.executable, "-c", IGNORED], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert ran.stdout == "[]\n"


def test_tests_in_the_background_can_interrupt_what_they_start(pytestconfig: pytest.Config) -> None:
    """`nohup make test &` ignores both signals: the test above passes there, too."""

    def go_into_the_background() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    name = f"{__file__}::{test_a_program_can_be_interrupted_and_hung_up_on.__name__}"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", name],
        cwd=pytestconfig.rootpath,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        preexec_fn=go_into_the_background,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stdout
