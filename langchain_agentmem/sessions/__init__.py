"""Sessions: the conversations of each user, message by message."""
