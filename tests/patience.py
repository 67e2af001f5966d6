"""How tests wait: for what they want to see, and long enough for a machine that has much else to do."""

import time
from collections.abc import Callable

PATIENCE = 60.0
"""How many seconds anything may take before a test gives up."""


def wait_until(is_so: Callable[[], object], what: str = "") -> None:
    """Wait until something is so; fails, and says what was awaited, if it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)
