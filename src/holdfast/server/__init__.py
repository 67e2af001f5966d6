"""What every server of ours has in common: its address, who may connect, and the limits of a request."""
