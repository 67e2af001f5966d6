"""The commands: `TodoWrite` for agents that live in a shell, `holdfast` for people."""
