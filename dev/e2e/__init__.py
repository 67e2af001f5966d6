"""The real coding agents, from npm, against a scripted model on loopback: does each call the tool, and run the hooks?

`make e2e` runs it. It needs npm and a network to install them; they themselves talk to 127.0.0.1 only.
"""
