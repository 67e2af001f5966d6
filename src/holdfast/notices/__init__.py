"""Being told: what of a plan a person should know of at once, and the ways to tell."""
