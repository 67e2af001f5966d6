"""What to say to a model about its plan, and when: policies, reminders, offers, and the driver for a host's loop."""
