"""Vectors and indexes: searched, brought along, made anew."""
