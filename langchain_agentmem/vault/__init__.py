"""The vault: how stored bytes are sealed, and where keys come from."""
