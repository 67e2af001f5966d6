"""A client that listens for changes until somebody kills it: `python listening_client.py URL ERA`."""

import sys
import warnings

import anyio
from mcp.client import Client

RESOURCES = ["holdfast://plan", "holdfast://sessions"]


async def listen(url: str, mode: str) -> None:
    """Subscribe as clients of that era do, say so, and wait."""
    async with Client(url, mode=mode) as client:
        if mode != "legacy":
            async with client.listen(resource_subscriptions=RESOURCES):
                await _wait()
        warnings.simplefilter("ignore")  # that is how it was done then
        for uri in RESOURCES:
            await client.subscribe_resource(uri)
        await _wait()


async def _wait() -> None:
    print("listening", flush=True)
    await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(listen, sys.argv[1], sys.argv[2])
