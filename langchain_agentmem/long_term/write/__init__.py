"""From a candidate to a memory in force: compared, weighed, inserted, changed, approved, and taken out again."""
