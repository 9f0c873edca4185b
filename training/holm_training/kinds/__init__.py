"""Kinds of tool, written down as data: one file a field of life, one block a kind."""
