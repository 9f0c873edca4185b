"""Teaches a small model Holm's trade: which tool a request needs, with which arguments, and when none fits."""
