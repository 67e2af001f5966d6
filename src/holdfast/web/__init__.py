"""A page to watch every agent: a server for any store, and what it serves. It needs the extra `web`."""
