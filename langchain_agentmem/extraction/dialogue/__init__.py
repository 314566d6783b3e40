"""Words that mean something only beside what was said before: answers, corrections, pronouns."""
