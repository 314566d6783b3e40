"""Checkpoints: the states of each thread, every item of them stored once."""
