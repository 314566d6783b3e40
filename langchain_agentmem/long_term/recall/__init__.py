"""From a question to hits and a receipt, and what is read without a question."""
