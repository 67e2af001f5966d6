"""What the dialects share: from a payload to a draft and its faults, and the way back."""
