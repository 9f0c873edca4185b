"""Various helpers."""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def slug(title):
    """Return a title as part of an address."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def round_money(amount):
    """Return an amount with two decimals; half a cent is rounded up."""
    return Decimal(amount).quantize(CENT, ROUND_HALF_UP)


def shorten(text, length):
    """Return a text with at most `length` characters."""
    return text if len(text) <= length else text[:length - 1].rstrip() + "…"


def with_tax(net, rate):
    """Return the gross amount for a net amount and a tax rate in percent."""
    return round_money(Decimal(net) * (100 + Decimal(rate)) / 100)
