"""Summaries of lists of numbers."""

from stats.summary import mean, spread

__all__ = ["mean", "spread"]
