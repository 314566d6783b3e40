"""The SQL plumbing: engines, schema and migrations, shared by every part that stores rows."""
