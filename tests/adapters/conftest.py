"""What tests of the adapters share."""

import asyncio
from collections.abc import Iterator

import pytest
from adapter_driver import ENVIRONMENTS, HERE

collect_ignore_glob = [f"test_{name}.py" for names in ENVIRONMENTS.values() if names is not HERE for name in names]
"""What is tested in another environment. Nothing is left out of all."""


def pytest_configure(config: pytest.Config) -> None:
    """The frameworks of the recipes warn of each other at every turn."""
    if "smolagents" in HERE:
        config.addinivalue_line("filterwarnings", "ignore")


@pytest.fixture(autouse=True)
def event_loop() -> Iterator[None]:
    """A loop for frameworks whose sync entries want one that is there, and leave it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)
