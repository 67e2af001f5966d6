"""Everything that could break a plan, tried on purpose: `make torture`."""
