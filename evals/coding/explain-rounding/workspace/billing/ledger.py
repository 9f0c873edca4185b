"""Entries of the ledger. All amounts are in cents."""

from decimal import ROUND_HALF_UP, Decimal


def ledger_tax(order):
    """Return the tax for the ledger."""
    tax = Decimal(sum(order["net"])) * order["rate"] / 100
    return int(tax.quantize(Decimal(1), ROUND_HALF_UP))
