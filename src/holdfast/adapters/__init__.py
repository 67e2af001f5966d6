"""Holdfast in other people's agent frameworks: one file each, and the framework is imported only there."""
