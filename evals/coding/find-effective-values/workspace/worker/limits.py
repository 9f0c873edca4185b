"""Limits that the queue service sets."""

MAX_BATCH = 200
MAX_BATCH_BY_REGION = {"us": 500}


def limited_batch(region, size):
    """Return a batch size that the region allows."""
    return min(size, MAX_BATCH_BY_REGION.get(region, MAX_BATCH))
