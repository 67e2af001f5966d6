"""The wheel and the archive as a stranger would meet them, in empty environments on every Python: `make dist`."""
