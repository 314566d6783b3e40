"""How English is read: words, sentences and requests, as pure functions of texts and records; it decides nothing."""
