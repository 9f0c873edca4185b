"""Splits a basket into parcels."""

PARCEL_SIZE = 5


def parcels(basket, size=PARCEL_SIZE):
    """Return lists of SKUs, each with at most `size` products."""
    skus = [sku for sku, quantity in basket.items for _ in range(quantity)]
    return [skus[start:start + size] for start in range(0, len(skus), size)]
