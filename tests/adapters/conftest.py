"""What tests of the adapters share."""

import asyncio
import importlib.util
from collections.abc import Iterator

import pytest

collect_ignore_glob = (
    [
        "test_langchain.py",
        "test_pydantic_ai.py",
        "test_openai_agents.py",
        "test_claude_agent_sdk.py",
        "test_agent_framework.py",
    ]
    if importlib.util.find_spec("google")
    else ["test_google_adk.py", "test_strands.py"]
)
"""What is tested in the other environment: two frameworks have one of their own. Nothing is left out of both."""


@pytest.fixture(autouse=True)
def event_loop() -> Iterator[None]:
    """A loop for frameworks whose sync entries want one that is there, and leave it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)
