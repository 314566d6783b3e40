"""Working states: one per conversation, for as long as it is in use."""
