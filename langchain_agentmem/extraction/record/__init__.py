"""What of a conversation may be read: whose words they are, and what is only shown, played or called."""
