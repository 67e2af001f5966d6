"""Coding agents of other makers: their hooks, and their settings."""
