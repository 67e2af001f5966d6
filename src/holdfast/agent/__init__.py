"""The reference host: a loop that plans in the open, its tools, and the models that it speaks to."""

from .events import Event
from .limits import Limits
from .loop import Agent
from .messages import Answer, Model
from .rehearsal import Rehearsal, call, text
from .result import Result
from .tools import Tool, Workspace, standard_tools

__all__ = [
    "Agent",
    "Answer",
    "Event",
    "Limits",
    "Model",
    "Rehearsal",
    "Result",
    "Tool",
    "Workspace",
    "call",
    "standard_tools",
    "text",
]
