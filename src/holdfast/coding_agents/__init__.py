"""Other people's coding agents: their hooks, and their settings."""
