"""What was said in conversations: turns, their words, and messages on their way into memory."""
