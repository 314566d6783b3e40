"""Ways of saying something about oneself and those around one: a book of rules for each theme."""
