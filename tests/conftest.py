"""What every test may use: snapshots of texts that a model or a person reads, and Hypothesis without a stop watch."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

SNAPSHOTS = Path(__file__).parent / "snapshots"

settings.register_profile("holdfast", deadline=None, print_blob=True)
settings.load_profile("holdfast")


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
