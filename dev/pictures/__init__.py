"""The pictures in the docs, drawn from the real program."""
