"""Invoices."""

from app import helpers


def invoice(number, title, net, rate="19"):
    """Return an invoice with its file name."""
    return {"file": f"{number}-{helpers.slug(title)}.pdf", "gross": helpers.with_tax(net, rate)}
