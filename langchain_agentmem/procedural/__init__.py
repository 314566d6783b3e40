"""Procedural memory: skills and policies in git, found by intent, enforced before actions."""
