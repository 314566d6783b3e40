"""Turns of conversations: kept, searched for, read for memories, and gone with their conversation."""
