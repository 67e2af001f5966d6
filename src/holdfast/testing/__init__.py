"""For tests of agents: a scripted model behind a real wire, for the real SDKs, with no key and no network.

with ModelServer([[call("bash", command="ls")], [text("Done.")]]) as server:
    client = anthropic.Anthropic(api_key="any", base_url=server.url)
    client = openai.OpenAI(api_key="any", base_url=server.chat_url)
"""

from ..agent.rehearsal import call, text
from .server import ModelServer, Request
from .turns import Dropped, Failing, Garbage, Slow, Turn, action, broken_call

__all__ = [
    "Dropped",
    "Failing",
    "Garbage",
    "ModelServer",
    "Request",
    "Slow",
    "Turn",
    "action",
    "broken_call",
    "call",
    "text",
]
