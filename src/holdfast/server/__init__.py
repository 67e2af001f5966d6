"""What the servers have in common: where they listen, who may connect, how large a request may be, and how they end."""
