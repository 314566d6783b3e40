"""Everything that decides, as pure functions of records and a clock: no I/O, no model, no framework."""
