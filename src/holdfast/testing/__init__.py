"""For tests of agents: a scripted model behind a real API, for the real SDKs, without a key or a network.

with ModelServer([[call("bash", command="ls")], [text("Done.")]]) as server:
    client = anthropic.Anthropic(api_key="any", base_url=server.url)
    client = openai.OpenAI(api_key="any", base_url=server.chat_url)
"""

from ..agent.rehearsal import call, text
from .server import ModelServer, Request
from .turns import Dropped, Failing, Garbage, ScriptedTurn, Slow, action, broken_call

__all__ = [
    "Dropped",
    "Failing",
    "Garbage",
    "ModelServer",
    "Request",
    "ScriptedTurn",
    "Slow",
    "action",
    "broken_call",
    "call",
    "text",
]
