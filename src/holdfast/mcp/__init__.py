"""Holdfast as an MCP server: a plan for every conversation, over standard input and output or over HTTP."""
