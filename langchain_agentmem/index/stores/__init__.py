"""What each known vector store needs to be told, and how: one dialect per file."""
