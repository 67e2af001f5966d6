"""Setting coding agents up for Holdfast: an entry for its MCP server and its hooks, put into their own settings.

What is there stays as it is, byte for byte; what was put in can be taken out again.
"""
