"""Does a plan help? The same tasks under several arms, graded by what is true in the folder at the end."""
