"""What models and people read of the server, word for word."""

import json
from collections.abc import Callable
from pathlib import Path

from mcp_driving import bounded, http_thread, over_http
from mcp_types import TextContent


@bounded
async def test_the_words_of_the_server(tmp_path: Path, snapshot: Callable[[str, str], None]) -> None:
    """Instructions, tools, resources and prompts, as a client is given them."""
    with http_thread(tmp_path) as url:
        async with over_http(url) as client:
            tools = (await client.list_tools()).tools
            resources = (await client.list_resources()).resources
            prompts = (await client.list_prompts()).prompts
            (message,) = (await client.get_prompt("plan", {"task": "Make the tests pass"})).messages
            assert isinstance(message.content, TextContent)
            words = {
                "instructions": client.instructions,
                "tools": [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools],
                "resources": [resource.model_dump(by_alias=True, exclude_none=True) for resource in resources],
                "prompts": [prompt.model_dump(by_alias=True, exclude_none=True) for prompt in prompts],
                "prompt plan": message.content.text,
            }
    snapshot("mcp-server.json", json.dumps(words, indent=2))
