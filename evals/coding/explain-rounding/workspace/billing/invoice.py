"""The invoice of an order. All amounts are in cents."""


def half_up(amount, rate):
    """Return `rate` percent of an amount, rounded half up to a cent."""
    return (amount * rate + 50) // 100


def invoice_tax(order):
    """Return the tax that the invoice shows."""
    return sum(half_up(amount, order["rate"]) for amount in order["net"])
