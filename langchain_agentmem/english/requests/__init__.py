"""What a message asks of memory: to recall, to forget, to keep nothing."""
