"""Averages. README.md describes them."""


def mean(values):
    """Return the average of the values that are not None, or None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def weighted_mean(values, weights):
    """Return the weighted average."""
    return sum(value * weight for value, weight in zip(values, weights)) / len(values)
