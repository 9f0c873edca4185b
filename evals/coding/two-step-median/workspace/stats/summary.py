"""Summaries of lists of numbers. The lists never change."""


def mean(values):
    """Return the average."""
    if not values:
        raise ValueError("mean of an empty list")
    return sum(values) / len(values)


def spread(values):
    """Return the largest minus the smallest value."""
    if not values:
        raise ValueError("spread of an empty list")
    return max(values) - min(values)
