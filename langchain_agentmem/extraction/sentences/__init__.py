"""One message cut into clauses that each say one thing, as their writer meant them, in the third person."""
