"""Who the user is, and what they pursue: projections of the ledger, written like any other memory."""
