"""The reference host: an agent loop with a plan, its tools, and the models behind it."""

from .events import AgentEvent
from .limits import Limits
from .loop import Agent
from .messages import Model, ModelAnswer
from .rehearsal import Rehearsal, call, text
from .result import RunResult
from .tools import AgentTool, Workspace, standard_tools

__all__ = [
    "Agent",
    "AgentEvent",
    "AgentTool",
    "Limits",
    "Model",
    "ModelAnswer",
    "Rehearsal",
    "RunResult",
    "Workspace",
    "call",
    "standard_tools",
    "text",
]
