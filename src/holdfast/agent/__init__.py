"""The reference host: a loop that plans in the open, and the models that it speaks to."""

from .loop import Agent, Answer, Event, Model, Result, Tool
from .rehearsal import Rehearsal, call, text

__all__ = ["Agent", "Answer", "Event", "Model", "Rehearsal", "Result", "Tool", "call", "text"]
