"""The ledger: the append-only log of what memory was told, and the table of what it holds now."""
