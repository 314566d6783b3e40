"""Who and what a user's memories are about, and how that hangs together: a projection of the ledger."""
