"""One agent's plan as a board: written by its model, corrected by people, shared by agents, kept in a store."""

from .board import Board

__all__ = ["Board"]
