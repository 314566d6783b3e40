"""Planners: from what is said in a conversation to what is asked of memory, by rules or by a chat model."""
