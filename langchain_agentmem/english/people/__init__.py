"""Of whom and of what a statement tells: the user, those around them, and what they have."""
