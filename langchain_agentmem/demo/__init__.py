"""The demo: four sessions of two users in separate processes, or a conversation from a file as real input."""
