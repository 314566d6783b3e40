"""What is forgotten, restored and erased, and what ends with it."""
