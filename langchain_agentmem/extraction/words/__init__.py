"""Words that only extraction reads by, and what they tell of a sentence."""
