"""Packaged migrations."""
