"""How what was said ends, by request or in time, and what ends with it."""
