"""Setting coding agents up for Holdfast: entries for its MCP server and its hooks in their own settings.

Everything else in the settings stays as it is, byte for byte, and the entries can be removed again.
"""
