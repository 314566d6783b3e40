"""Words by kind, each in one list, and the patterns made of them: what every reader of English shares."""
