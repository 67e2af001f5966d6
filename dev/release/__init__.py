"""The wheel and the archive as a new user gets them, in empty environments on every Python: `make dist`."""
