"""The reference host: a loop that plans in the open, and the models that it speaks to."""

from .loop import Agent, Event, Model, Result, Tool
from .rehearsal import Rehearsal, call, text

__all__ = ["Agent", "Event", "Model", "Rehearsal", "Result", "Tool", "call", "text"]
