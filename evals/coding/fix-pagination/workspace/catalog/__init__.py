"""A small product catalogue."""
