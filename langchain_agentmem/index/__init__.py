"""Indexes: they propose memory ids by relevance inside one scope; the ledger decides on its own rows."""
