"""What a chat model proposes, checked against the words that it was shown."""
