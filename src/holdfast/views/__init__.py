"""Ways to show a plan to people."""
