"""Working memory: what an agent is doing at the moment, one state per conversation."""
