"""What people should know about a plan at once, and how they are notified."""
